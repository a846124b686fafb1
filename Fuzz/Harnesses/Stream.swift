// Support: Input Decoding
import Positioning

/// Any bytes at all: framing, checksums, binary between the lines, sentences mixed with reports.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzStream(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  let options = options(input.choice())
  let seed = input.choice()
  checkDecoding(input.rest, options, cutBy: seed)
  return 0
}
