import CivilTime
import Geodesy
import Glibc
import Positioning

/// Decodes `bytes` `passes` times on one thread and says how fast that went.
///
/// The bytes go through the decoder in pieces of 64 KiB, as a file feed reads them; the fixes of
/// each piece are folded into a checksum, so that none of the work can be left out. The rates are
/// of processor time, median over the passes; megabytes are 10⁶ bytes.
func decodeBench(bytes: [UInt8], passes: Int) -> String {
  var seconds: [Double] = []
  var checksum: UInt64 = 0
  var sentences = 0
  var count = 0
  var fixes: [Fix] = []
  for _ in 0..<max(1, passes) {
    var decoder = FixDecoder()
    checksum = 0xCBF2_9CE4_8422_2325
    count = 0
    let start = processorTime()
    var index = 0
    while index < bytes.count {
      let end = min(bytes.count, index + 65_536)
      decoder.consume(bytes.span.extracting(index..<end), into: &fixes)
      index = end
      fold(&fixes, &checksum, &count)
    }
    decoder.finish(into: &fixes)
    fold(&fixes, &checksum, &count)
    seconds.append(processorTime() - start)
    sentences = decoder.statistics.sentences
  }
  seconds.sort()
  let median = max(seconds[seconds.count / 2], 1e-9)
  let rate = (Double(bytes.count) / 1e5 / median).rounded() / 10
  let hexadecimal = String(checksum, radix: 16)
  return "mb_per_s=\(rate) sentences_per_s=\(Int(Double(sentences) / median)) fixes=\(count) "
    + "checksum=\(String(repeating: "0", count: 16 - hexadecimal.utf8.count))\(hexadecimal)"
}

/// FNV-1a, a word at a time, over what a fix says.
private func fold(_ fixes: inout [Fix], _ checksum: inout UInt64, _ count: inout Int) {
  for fix in fixes {
    let words: InlineArray<6, UInt64> = [
      fix.position.latitude.bitPattern, fix.position.longitude.bitPattern,
      UInt64(bitPattern: fix.time?.microseconds ?? Int64(fix.timeOfDay ?? -1)),
      (fix.speed ?? -1).bitPattern, (fix.altitudeMSL ?? -1e9).bitPattern,
      UInt64(fix.mode.rawValue) << 8 | UInt64(fix.source.rawValue),
    ]
    for index in words.indices {
      checksum = (checksum ^ words[index]) &* 0x100_0000_01B3
    }
  }
  count += fixes.count
  fixes.removeAll(keepingCapacity: true)
}
