import TestSupport
import Testing

@testable import CivilTime

@Suite struct RepeatSearchTests {
  private func instant(_ text: String) throws -> Instant { try Instant(rfc3339: text) }

  private func set(
    _ rule: String, from start: String, in zone: TimeZoneRules = .utc
  ) throws -> RepeatSet {
    RepeatSet(
      rule: try RepeatRule(parsing: rule), start: zone.localDateTime(at: try instant(start)))
  }

  /// Each occurrence found one after the other is the oracle.
  @Test(arguments: [
    "FREQ=DAILY", "FREQ=DAILY;COUNT=40", "FREQ=DAILY;BYHOUR=1,9;COUNT=51",
    "FREQ=WEEKLY;BYDAY=MO,FR;COUNT=9", "FREQ=MONTHLY;BYMONTHDAY=31",
    "FREQ=HOURLY;INTERVAL=7;BYHOUR=1,2,3;COUNT=30", "FREQ=SECONDLY;INTERVAL=7001;COUNT=900",
    "FREQ=SECONDLY;INTERVAL=4001;BYMINUTE=1,2,3,4,5;COUNT=30",
    "FREQ=MONTHLY;BYDAY=MO,TU,WE;BYSETPOS=-1;COUNT=5", "FREQ=YEARLY;COUNT=1",
  ])
  func theLatestOccurrenceIsTheLastOneBeforeTheMoment(rule: String) throws {
    let zone = try TimeZoneRules(named: "Europe/Berlin")
    var set = try set(rule, from: "2026-01-05T08:00:00Z", in: zone)
    set.exceptionDays = [CivilDate(dayNumber: set.start.date.dayNumber + 3)]
    set.additions = [.absolute(try instant("2026-02-01T03:04:05Z"))]
    let begin = try instant("2026-01-01T00:00:00Z")
    let end = try instant("2026-06-01T00:00:00Z")
    var all: [Instant] = []
    while let next = set.next(after: all.last ?? begin, zone: zone), next <= end {
      all.append(next)
    }
    #expect(!all.isEmpty)
    var random = SeededGenerator(seed: 7)
    for round in 0..<60 {
      var moment = begin + .seconds(Double.random(in: 0...13e6, using: &random).rounded())
      if round % 3 == 0 { moment = all[Int.random(in: 0..<all.count, using: &random)] }
      if round % 6 == 0 { moment = moment - TimeSpan(microseconds: 1) }
      let current = all[Int.random(in: 0..<all.count, using: &random)]
      var search = RepeatSearch(set, zone: zone)
      let expected = all.last { $0 <= moment && $0 > current }
      #expect(search.latest(after: current, upTo: moment) == expected, "\(current) to \(moment)")
      #expect(search.next(after: moment) == all.first { $0 > moment } || moment >= all.last ?? end)
    }
  }

  /// Occurrences are counted about twice, not once for each of some forty searches.
  @Test func theLatestOccurrenceIsFoundWithTwoCounts() throws {
    let set = try set(
      "FREQ=HOURLY;INTERVAL=7;BYHOUR=1,2,3;COUNT=1000000", from: "1626-01-01T00:00:00Z")
    let now = try instant("2026-11-24T18:00:00Z")
    var single = RepeatSearch(set, zone: .utc)
    _ = single.next(after: now)
    var search = RepeatSearch(set, zone: .utc)
    let latest = search.latest(after: try instant("1626-01-01T00:00:00Z"), upTo: now)
    #expect(latest != nil)
    #expect(search.work < 3 * single.work)
  }

  @Test func aSearchStopsAtItsLimitOfWork() throws {
    let set = try set(
      "FREQ=SECONDLY;INTERVAL=86399;BYHOUR=1;BYMINUTE=1;BYSECOND=1;COUNT=1000000",
      from: "0001-01-01T00:00:00Z")
    var search = RepeatSearch(set, zone: .utc, maximumWork: 5_000)
    let now = try instant("2026-11-24T18:00:00Z")
    #expect(search.next(after: now) == nil)
    #expect(search.latest(after: try instant("0001-01-01T00:00:00Z"), upTo: now) == nil)
    #expect(search.work < 5_100)
  }
}
