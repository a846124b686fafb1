import CivilTime
import Geodesy
import Positioning

/// Decodes bytes in one piece, or in pieces that a seed cuts.
func decode(
  _ bytes: [UInt8], _ options: FixDecoder.Options, cutBy seed: UInt8? = nil
) -> (fixes: [Fix], statistics: DecoderStatistics) {
  var decoder = FixDecoder(options: options)
  var fixes: [Fix] = []
  if let seed {
    var cuts = Cuts(seed: seed)
    let most = seed & 1 == 0 ? 7 : 90
    var start = 0
    while start < bytes.count {
      let end = min(bytes.count, start + cuts.next(most: most))
      decoder.consume(bytes.span.extracting(start..<end), into: &fixes)
      require(decoder.pendingBytes <= FixDecoder.longestJSON, "\(decoder.pendingBytes) bytes wait")
      start = end
    }
  } else {
    decoder.consume(bytes.span, into: &fixes)
  }
  decoder.finish(into: &fixes)
  return (fixes, decoder.statistics)
}

/// Options by the bits of a byte.
func options(_ choice: UInt8) -> FixDecoder.Options {
  var options = FixDecoder.Options()
  options.learnsCycleEnd = choice & 1 != 0
  options.acceptsMissingChecksum = choice & 2 != 0
  options.correctsWeekRollover = choice & 4 != 0
  if choice & 8 != 0 { options.referenceTime = Instant(microseconds: 1_795_253_400_000_000) }
  return options
}

/// What must hold for any bytes: the pieces make no difference, every fix is possible, and what was
/// counted fits.
func checkDecoding(_ bytes: [UInt8], _ options: FixDecoder.Options, cutBy seed: UInt8) {
  let whole = decode(bytes, options)
  let pieces = decode(bytes, options, cutBy: seed)
  require(whole.fixes == pieces.fixes, "pieces give other fixes")
  for (a, b, what) in [
    (whole.statistics.sentences, pieces.statistics.sentences, "sentences"),
    (whole.statistics.wrongChecksums, pieces.statistics.wrongChecksums, "wrong checksums"),
    (whole.statistics.missingChecksums, pieces.statistics.missingChecksums, "missing checksums"),
    (whole.statistics.overlongLines, pieces.statistics.overlongLines, "overlong lines"),
    (whole.statistics.malformed, pieces.statistics.malformed, "malformed lines"),
    (whole.statistics.jsonLines, pieces.statistics.jsonLines, "reports"),
    (whole.statistics.binaryBytes, pieces.statistics.binaryBytes, "binary bytes"),
    (whole.statistics.lateSentences, pieces.statistics.lateSentences, "late sentences"),
    (whole.statistics.lastFaultOffset, pieces.statistics.lastFaultOffset, "offset of the fault"),
  ] { require(a == b, "pieces give other numbers of \(what): \(a), \(b)") }
  require(whole.statistics.bytes == bytes.count, "bytes are not counted")
  require(whole.statistics.fixes == whole.fixes.count, "fixes are not counted")
  let sum = whole.statistics.sentencesByName.reduce(0) { $0 + $1.count }
  require(sum == whole.statistics.sentences, "sentences are not counted by name")
  for fix in whole.fixes { check(fix) }
}

func check(_ fix: Fix) {
  func within(_ value: Double?, _ range: ClosedRange<Double>, _ what: String) {
    if let value { require(range.contains(value), "\(what) is \(value)") }
  }
  within(fix.position.latitude, -90...90, "latitude")
  within(fix.position.longitude, -180...180, "longitude")
  within(fix.altitudeMSL, -13_000...100_000, "altitude")
  within(fix.altitudeHAE, -14_000...101_000, "height")
  within(fix.speed, 0...600, "speed")
  within(fix.track, 0...360.0.nextDown, "track")
  within(fix.climb, -600...600, "climb")
  within(fix.eph, 0.0.nextUp...1_000_000, "error")
  within(fix.time?.seconds, 0...253_402_300_800 + 366 * 86_400, "time")
  within(fix.timeOfDay.map { Double($0) }, 0...86_399_999, "time of day")
  require(fix.time == nil || fix.timeOfDay == nil, "two times")
}

/// The lines of an input as sentences with right checksums, so that their fields are read: a random
/// change would hardly ever hit the checksum as well.
func framed(_ bytes: [UInt8], _ start: (Int) -> [UInt8] = { _ in [] }) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(bytes.count * 2 + 16)
  var number = 0
  var index = 0
  while index < bytes.count {
    result += start(number)
    number += 1
    result.append(UInt8(ascii: "$"))
    let begin = result.count
    while index < bytes.count, bytes[index] != 0x0A {
      let byte = bytes[index]
      index += 1
      switch byte {
      case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "*"): break
      case 0x20..<0x7F: result.append(byte)
      default: break
      }
    }
    index += 1
    result += checksum(result[begin...])
    result.append(0x0D)
    result.append(0x0A)
  }
  return result
}

/// `*hh` of a text.
func checksum(_ text: ArraySlice<UInt8>) -> [UInt8] {
  var sum: UInt8 = 0
  for byte in text { sum ^= byte }
  func digit(_ value: UInt8) -> UInt8 { value + UInt8(ascii: value < 10 ? "0" : "7") }
  return [UInt8(ascii: "*"), digit(sum >> 4), digit(sum & 15)]
}
