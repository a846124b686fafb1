import CivilTime
import Testing

@Suite struct NamedZoneTests {
  @Test(arguments: ["Europe/Berlin", "UTC", "<XYZ>-5:30", "CET-1CEST,M3.5.0,M10.5.0/3"])
  func namesAndRulesAreFound(name: String) throws {
    let zone = try #require(NamedZone.find(name))
    #expect(zone.name == name)
    #expect(zone == NamedZone.find(name))
    let rules = (try? TimeZoneRules(named: name)) ?? TimeZoneRules(posix: name)
    #expect(zone.rules == rules)
  }

  @Test func aZoneOfTheDatabaseIsReadOnce() {
    let zone = NamedZone.find("Asia/Kathmandu")
    #expect(zone != nil)
    #expect(zone === NamedZone.find("Asia/Kathmandu"))
  }

  @Test(arguments: ["", "Nowhere/Town", "../etc/passwd", "/usr/share/zoneinfo/UTC"])
  func otherTextsAreNone(name: String) { #expect(NamedZone.find(name) == nil) }

  /// However many rules there are, each of them is found.
  @Test func manyRulesAreFound() {
    for minute in 0..<700 {
      let name = "<XYZ>\(minute / 60):\(minute % 60)"
      #expect(NamedZone.find(name)?.rules.offset(at: Instant(seconds: 0)) == -60 * minute)
    }
  }
}
