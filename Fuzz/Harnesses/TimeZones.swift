// Support: Input
import CivilTime

/// Files of time zones, and the rules of POSIX in them: every moment has an offset, every reading
/// of a clock a moment.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTimeZones(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Input(start, count).rest
  if let zone = try? TimeZoneRules(tzif: bytes, name: "input") { check(zone) }
  if let zone = TimeZoneRules(posix: String(decoding: bytes, as: UTF8.self)) { check(zone) }
  return 0
}

private func check(_ zone: TimeZoneRules) {
  for second in [Int64.min / 1_000_000, -5_000_000_000, 0, 1_795_253_400, 9_000_000_000] {
    var moment = Instant(microseconds: second * 1_000_000)
    for _ in 0..<3 {
      let offset = zone.offset(at: moment)
      require(abs(offset) <= 26 * 3600, "an offset of \(offset) s")
      let local = zone.localDateTime(at: moment)
      _ = zone.instant(of: local)
      guard let next = zone.nextTransition(after: moment) else { break }
      require(next > moment, "the next transition is not later")
      moment = next
    }
  }
}
