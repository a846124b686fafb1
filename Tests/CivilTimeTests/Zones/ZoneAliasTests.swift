import Glibc
import TestSupport
import Testing

@testable import CivilTime

@Suite struct ZoneAliasTests {
  private let first = Instant(microseconds: 0)
  /// The end of 2040.
  private let last = Instant(microseconds: 2_240_524_800_000_000)

  private static let systemV = ["CET", "EET", "MET", "WET"]

  /// Where a system has the old names as well, their files are the oracle.
  @Test func anOldNameHasTheOffsetsOfTheCurrentOne() throws {
    var compared = 0
    for (old, current) in ZoneAliases.names {
      let rules = try TimeZoneRules(named: current)
      guard let bytes = try? fileBytes("\(TimeZoneRules.defaultDirectory)/\(old)") else { continue }
      let own = try TimeZoneRules(tzif: bytes, name: old)
      // Before version 2024b the names of System V were zones, with rules of their own until 1996.
      let first = Self.systemV.contains(old) ? Instant(seconds: 852_076_800) : first
      #expect(own.agrees(with: rules, from: first, to: last), "\(old) \(current)")
      compared += 1
    }
    #expect(ZoneAliases.names.count > 140)
    if compared < ZoneAliases.names.count {
      print("\(compared) of \(ZoneAliases.names.count) old names of zones are installed here")
    }
  }

  /// A system with the current names alone, as Debian 13 without tzdata-legacy.
  @Test func aSystemWithoutOldNamesKnowsThem() throws {
    let folder = try TemporaryFolder()
    for current in Set(ZoneAliases.names.values) {
      var path = folder.path
      for part in current.split(separator: "/").dropLast() {
        path += "/\(part)"
        mkdir(path, 0o700)
      }
      symlink("\(TimeZoneRules.defaultDirectory)/\(current)", "\(folder.path)/\(current)")
    }
    for (old, current) in ZoneAliases.names where old != "UTC" {
      let rules = try TimeZoneRules(named: old, directory: folder.path)
      let now = try TimeZoneRules(named: current)
      #expect(rules.name == old)
      #expect(rules.agrees(with: now, from: first, to: last), "\(old) \(current)")
    }
  }

  /// One step leads to a current name.
  @Test func noAliasNamesAnother() {
    for current in ZoneAliases.names.values { #expect(ZoneAliases.names[current] == nil) }
  }
}
