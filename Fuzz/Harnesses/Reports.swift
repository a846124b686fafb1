// Support: Input Decoding
import Geodesy
import JSONText
import Positioning

/// Lines of gpsd. Where the reader of whole JSON documents takes a line for a report with a
/// position, the decoder must find that position; where it finds one, the line must be JSON to its
/// end.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReports(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  let options = options(input.choice())
  let seed = input.choice()
  checkDecoding(input.rest, options, cutBy: seed)
  for line in input.rest.split(separator: 0x0A).prefix(8) { compare(Array(line)) }
  return 0
}

private func compare(_ line: [UInt8]) {
  // The decoder does not resolve escapes in names.
  guard line.first == UInt8(ascii: "{"), !line.contains(UInt8(ascii: "\\")),
    !line.contains(0x0D), line.count < 16_384,
    let value = try? JSONParser.parse(line), let object = value.object,
    object["class"]?.string == "TPV", let mode = object["mode"]?.double, mode >= 2, mode <= 1000,
    let latitude = object["lat"]?.double, let longitude = object["lon"]?.double,
    abs(latitude) <= 90, abs(longitude) <= 180,
    // Near 0/0 a position may stand for none.
    max(abs(latitude), abs(longitude)) >= 0.2
  else { return }
  let fixes = decode(line, FixDecoder.Options()).fixes
  require(fixes.count == 1, "a report gives \(fixes.count) fixes")
  let position = fixes[0].position
  require(abs(position.latitude - latitude) < 1e-9, "\(position.latitude) for \(latitude)")
  require(abs(position.longitude - longitude) < 1e-9, "\(position.longitude) for \(longitude)")
}
