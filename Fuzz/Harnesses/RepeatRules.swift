// Support: Input
import CivilTime

/// Repeat rules, and what follows from them in a zone with summer time: in order, none twice, none
/// before it was asked for, and the same whether they are walked through or jumped to.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRepeatRules(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  let day = input.choice()
  let hour = input.choice()
  let isBerlin = input.choice() & 1 == 0
  let text = String(decoding: input.rest, as: UTF8.self)
  guard let rule = try? RepeatRule(parsing: text) else { return 0 }
  require((try? RepeatRule(parsing: rule.description)) == rule, "\(rule) is another rule")
  let zone = isBerlin ? berlin : .utc
  // 2026-01-01 and later, so that one of them is a 29 February.
  let begin = LocalDateTime(
    microseconds: 1_767_225_600_000_000 + Int64(day) * 7 * 86_400_000_000
      + Int64(hour) * 600_000_000)
  var last: LocalDateTime?
  var steps = 0
  for name in rule.occurrences(from: begin, zone: zone) {
    require(last.map { $0 < name } ?? true, "out of order")
    if let last, steps < 4 {
      let next = rule.next(after: last, start: begin, zone: zone)
      require(next == name, "jumping gives \(next?.description ?? "none"), walking \(name)")
    }
    last = name
    steps += 1
    if steps == 8 { break }
  }
  let far = LocalDateTime(microseconds: 4_000_000_000_000_000)
  if let next = rule.next(after: far, start: begin, zone: zone) {
    require(next > far, "\(next) is not later")
  }
  return 0
}

private let berlin = TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc
