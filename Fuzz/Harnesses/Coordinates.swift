// Support: Input
import CivilTime
import Geodesy

/// What people type: coordinates, lengths, spans, times. Each is read or refused, and what is
/// printed of it reads back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCoordinates(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: Input(start, count).rest, as: UTF8.self)
  do {
    check(try ParsedCoordinate(parsing: text).coordinate)
  } catch {
    require(!error.description.isEmpty, "a refusal says nothing")
  }
  if let length = try? Length.metres(parsing: text) {
    require(length.isFinite && length >= 0, "a length of \(length) m")
    _ = Length.formatted(metres: length)
  }
  if let span = try? TimeSpan(parsing: text) {
    require((try? TimeSpan(parsing: span.description)) == span, "\(span) is another span")
  }
  if let stamp = try? TimeStamp(parsing: text) {
    require((try? TimeStamp(parsing: stamp.description)) == stamp, "\(stamp) is another stamp")
    _ = stamp.instant(in: zone)
  }
  let now = Instant(microseconds: 1_795_253_400_000_000)
  if let stamp = (try? TypedTime(text, now: now, zone: zone))?.stamp {
    _ = stamp.instant(in: zone).rfc3339()
  }
  return 0
}

private let zone = TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc

private func check(_ coordinate: Coordinate) {
  require((-90...90).contains(coordinate.latitude), "latitude \(coordinate.latitude)")
  require((-180...180).contains(coordinate.longitude), "longitude \(coordinate.longitude)")
  for format in CoordinateFormat.allCases {
    let text = coordinate.formatted(format)
    guard let again = try? Coordinate(parsing: text) else {
      fatalError("\(text) cannot be read back")
    }
    let distance = coordinate.distance(to: again)
    require(distance < 15, "\(text) is \(distance) m away")
  }
}
