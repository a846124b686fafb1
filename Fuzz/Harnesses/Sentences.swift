// Support: Input Decoding
import Positioning

/// The fields of sentences: each line of the input becomes a sentence with a right checksum.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSentences(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  let options = options(input.choice())
  let seed = input.choice()
  checkDecoding(framed(input.rest), options, cutBy: seed)
  return 0
}
