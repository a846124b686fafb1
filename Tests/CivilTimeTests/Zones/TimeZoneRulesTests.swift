import Glibc
import TestSupport
import Testing

@testable import CivilTime

/// Serialized: the comparison sets TZ for the whole process.
@Suite(.serialized) struct TimeZoneRulesTests {
  @Test(arguments: [
    "Europe/Berlin", "America/New_York", "America/Vancouver", "Australia/Lord_Howe",
    "Asia/Kathmandu",
    "Africa/Casablanca", "Europe/Dublin", "Pacific/Apia", "America/Santiago", "Asia/Gaza", "UTC",
    "America/Nuuk", "Antarctica/Troll", "Africa/Monrovia", "EST5EDT",
  ])
  func agreesWithTheCLibraryAroundEveryTransition(name: String) throws {
    let zone = try TimeZoneRules(named: name)
    setenv("TZ", name, 1)
    tzset()
    defer {
      unsetenv("TZ")
      tzset()
    }
    #expect(firstDifference(zone, from: 0, to: 4_133_980_800) == nil)
  }

  /// Every zone of the system's database; its names are those of tzdata.zi or the folder itself.
  @Test(.enabled(if: getenv("GEOREMIND_LONG_TESTS") != nil))
  func agreesWithTheCLibraryInEveryZone() throws {
    defer {
      unsetenv("TZ")
      tzset()
    }
    let names = zoneNames()
    #expect(names.count > 300)
    for name in names {
      setenv("TZ", name, 1)
      tzset()
      let zone = try TimeZoneRules(named: name)
      #expect(firstDifference(zone, from: 0, to: 4_133_980_800) == nil, "\(name)")
    }
    print("\(names.count) zones")
  }

  /// Files of the database that hold a zone, without the two copies of all of them.
  private func zoneNames() -> [String] {
    var names: [String] = []
    var folders = [""]
    while let folder = folders.popLast() {
      guard let listing = opendir("/usr/share/zoneinfo/\(folder)") else { continue }
      defer { closedir(listing) }
      while let entry = readdir(listing) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        guard name.first?.isUppercase == true else { continue }
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        var status = stat()
        stat("/usr/share/zoneinfo/\(path)", &status)
        if status.st_mode & S_IFMT == S_IFDIR {
          folders.append(path)
        } else {
          names.append(path)
        }
      }
    }
    return names.sorted()
  }

  /// The first moment, of those around every transition and one a season, at which the C library
  /// shows another time.
  private func firstDifference(_ zone: TimeZoneRules, from: Int64, to: Int64) -> String? {
    // Transitions that were overlooked would show in between.
    var moments = Array(stride(from: from, to: to, by: 92 * 86_400))
    var instant = Instant(microseconds: from * 1_000_000)
    while let next = zone.nextTransition(after: instant), next.wholeSeconds < to {
      moments += (-1...1).map { next.wholeSeconds + $0 }
      instant = next
    }
    for moment in moments {
      var time = time_t(moment)
      var parts = tm()
      localtime_r(&time, &parts)
      let instant = Instant(microseconds: moment * 1_000_000)
      let name = parts.tm_zone.map { String(cString: $0) }
      guard parts.tm_gmtoff == zone.offset(at: instant),
        (parts.tm_isdst > 0) == zone.isDST(at: instant), name == zone.abbreviation(at: instant)
      else { return "\(moment): \(parts.tm_gmtoff), not \(zone.offset(at: instant))" }
      let local = zone.localDateTime(at: instant)
      let resolved = zone.instant(of: local)
      // A reading that exists leads back to itself, and to no later instant than the one it is
      // from.
      guard zone.localDateTime(at: resolved) == local, resolved <= instant else {
        return "\(local) is read as \(resolved)"
      }
      parts.tm_isdst = -1
      let made = mktime(&parts)
      guard Int64(made) >= resolved.wholeSeconds else {
        return "\(local) is \(made) before \(resolved)"
      }
    }
    return nil
  }

  @Test func agreesWithTheCLibraryOnRulesOfPOSIX() throws {
    for rule in [
      "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0", "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1",
      "XYZ0ABC,J60/0,J300",
      "XYZ0ABC,59/0,300", "NZST-12NZDT,M9.5.0,M4.1.0/3", "IST-1GMT0,M10.5.0,M3.5.0/1", "AAA-5:30",
    ] {
      let zone = try #require(TimeZoneRules(posix: rule))
      setenv("TZ", rule, 1)
      tzset()
      #expect(firstDifference(zone, from: 0, to: 4_133_980_800) == nil, "\(rule)")
    }
    unsetenv("TZ")
    tzset()
  }

  @Test(arguments: [
    // In the gap with the offset before it, twice the first, with the fraction kept.
    ("2026-03-29T01:59:59", "2026-03-29T00:59:59Z"),
    ("2026-03-29T02:00:00", "2026-03-29T01:00:00Z"),
    ("2026-03-29T02:30:00.5", "2026-03-29T01:30:00.500Z"),
    ("2026-03-29T02:59:59", "2026-03-29T01:59:59Z"),
    ("2026-03-29T03:00:00", "2026-03-29T01:00:00Z"),
    ("2026-10-25T01:59:59", "2026-10-24T23:59:59Z"),
    ("2026-10-25T02:00:00", "2026-10-25T00:00:00Z"),
    ("2026-10-25T02:59:59", "2026-10-25T00:59:59Z"),
    ("2026-10-25T03:00:00", "2026-10-25T02:00:00Z"),
    ("2090-03-26T02:30:00", "2090-03-26T01:30:00Z"),
  ])
  func readsClocksByTheLaw(local: String, expected: String) throws {
    let stamp = try TimeStamp(parsing: local)
    for zone in [
      try TimeZoneRules(named: "Europe/Berlin"),
      try #require(TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3")),
    ] {
      #expect(stamp.instant(in: zone).description == expected)
    }
  }

  @Test func aSkippedDayIsReadWithTheOffsetBefore() throws {
    let apia = try TimeZoneRules(named: "Pacific/Apia")
    let stamp = try TimeStamp(parsing: "2011-12-30T12:00:00")
    #expect(stamp.instant(in: apia).description == "2011-12-30T22:00:00Z")
    #expect(stamp.instant(in: apia).rfc3339(zone: apia) == "2011-12-31T12:00:00+14:00")
  }

  @Test func summerAllYear() throws {
    let zone = try #require(TimeZoneRules(posix: "EST5EDT,0/0,J365/25"))
    for day in stride(from: Int64(0), to: 800, by: 7) {
      #expect(zone.isDST(at: Instant(microseconds: day * 86_400_000_000)))
    }
    #expect(zone.nextTransition(after: Instant(microseconds: 0)) == nil)
  }

  @Test func refusesNamesThatLeaveTheDatabase() {
    for name in [
      "../../../etc/passwd", "Europe/../../x", "/etc/localtime", "", ".", "Europe/Ber\0lin",
      "Europe",
    ] {
      #expect(throws: TimeZoneError.self) { try TimeZoneRules(named: name) }
    }
  }

  @Test func findsTheSystemZone() throws {
    #expect(try TimeZoneRules.system(tz: "").isUTC)
    #expect(try TimeZoneRules.system(tz: nil, localtime: "/nonexistent/x").isUTC)
    #expect(try TimeZoneRules.system(tz: ":Europe/Berlin").name == "Europe/Berlin")
    #expect(
      try TimeZoneRules.system(tz: "/usr/share/zoneinfo/Asia/Tokyo").offset(
        at: Instant(microseconds: 0)) == 32_400)
    #expect(try TimeZoneRules.system(tz: "CET-1CEST,M3.5.0,M10.5.0/3").footer?.daylight != nil)
    #expect(throws: TimeZoneError.self) { try TimeZoneRules.system(tz: "Nowhere/Land") }
    #expect(throws: TimeZoneError.self) { try TimeZoneRules.system(localtime: "/etc/passwd") }
    #expect(try TimeZoneRules(named: "UTC", directory: "/nonexistent").isUTC)
  }

  @Test(arguments: [
    "CET", "CE-1", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
    "CET-25", "CET-1CEST,J0,J5",
    "CET-1CEST,366,5", "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0/3x", "<CET-1", "",
  ])
  func refusesRules(text: String) {
    #expect(TimeZoneRules(posix: text) == nil)
  }

  @Test func damagedFilesAreReadOrRefusedWithoutATrap() throws {
    let path = "/usr/share/zoneinfo/Europe/Berlin"
    let file = try #require(fopen(path, "r"))
    defer { fclose(file) }
    var whole = [UInt8](repeating: 0, count: 65_536)
    whole.removeLast(whole.count - fread(&whole, 1, whole.count, file))
    #expect(try TimeZoneRules(tzif: whole, name: "x").transitions.count > 50)
    for length in 0..<whole.count
    where length < 200 || length % 31 == 0 || length > whole.count - 60 {
      #expect(throws: TimeZoneError.self) {
        try TimeZoneRules(tzif: Array(whole[..<length]), name: "x")
      }
    }
    var random = SeededGenerator(seed: 3)
    for _ in 0..<1000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let header = Bool.random(using: &random)
        let place = Int.random(in: 0..<(header ? 44 : bytes.count), using: &random)
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      guard let zone = try? TimeZoneRules(tzif: bytes, name: "x") else { continue }
      for _ in 0..<10 {
        let instant = Instant(microseconds: Int64.random(in: .min ... .max, using: &random))
        _ = zone.instant(of: zone.localDateTime(at: instant))
        _ = zone.nextTransition(after: instant)
      }
    }
  }

  /// A file with one change, of version 2.
  private static func file(changeAt time: Int64) -> [UInt8] {
    func header(_ changes: UInt8) -> [UInt8] {
      Array("TZif2".utf8) + Array(repeating: 0, count: 15)
        + [0, 0, 0, changes, 1, 1].flatMap { [0, 0, 0, $0] as [UInt8] }
    }
    let type: [UInt8] = [0, 0, 0, 0, 0, 0]
    let number = (0..<8).map { UInt8(truncatingIfNeeded: time >> (56 - 8 * $0)) }
    return header(0) + type + [0] + header(1) + number + [0] + type + [0] + Array("\nUTC0\n".utf8)
  }

  @Test func changesBeforeTheBigBangAreRefused() throws {
    let first = try TimeZoneRules(tzif: Self.file(changeAt: -1 << 59), name: "x")
    #expect(first.transitions.count == 1)
    for time in [Int64.min, .min + 1, -(1 << 59) - 1, (1 << 59) + 1, .max] {
      #expect(throws: TimeZoneError.self) {
        try TimeZoneRules(tzif: Self.file(changeAt: time), name: "x")
      }
    }
  }
}
