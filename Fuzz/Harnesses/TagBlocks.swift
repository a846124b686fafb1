// Support: Input Decoding
import Positioning

/// TAG blocks of any content, with right and wrong checksums, before sentences and alone on a line:
/// the fixes are those of the sentences. Sources are left out: they tell receivers apart.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTagBlocks(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  let options = options(input.choice())
  let seed = input.choice()
  let form = input.choice()
  let parts = input.rest.split(separator: 0x09, maxSplits: 1, omittingEmptySubsequences: false)
  let tags = parts[0].split(separator: 0x0A)
  let sentences = parts.count > 1 ? Array(parts[1]) : []
  let tagged = framed(sentences) { number in
    guard !tags.isEmpty else { return [] }
    // What begins a sentence or a report would be one, in a TAG block as anywhere.
    let text = tags[number % tags.count].filter { !"$!{\n\rs".utf8.contains($0) }
    let sum = form & 1 == 0 ? checksum(text[...]) : Array("*00".utf8)
    let block = Array("\\".utf8) + text + sum + Array("\\".utf8)
    return form & 2 == 0 ? block : block + [0x0D, 0x0A]
  }
  checkDecoding(tagged, options, cutBy: seed)
  require(
    decode(tagged, options).fixes == decode(framed(sentences), options).fixes,
    "TAG blocks change the fixes")
  return 0
}
