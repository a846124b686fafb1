import CivilTime
import Control
import Geodesy
import Positioning
import Reminders
import TestSupport
import Testing

@testable import Daemon

/// One to three trackers that come and go by chance, with restarts, against sets of names.
@Suite(.serialized) struct GeneratedGroupTests {
  private static let home = LiveRig.home
  private static let away = Coordinate(clampingLatitude: 53.6, wrappingLongitude: 9.99)
  private static let rules: [(id: String, who: String, on: String)] = [
    ("anyone-arrive", "anyone", "arrive"), ("anyone-depart", "anyone", "depart"),
    ("all-arrive", "all", "arrive"), ("all-depart", "all", "depart"),
  ]

  private final class Time { var now = LiveRig.start }

  /// What the words of the how-to say, for presences that are known.
  private struct Oracle {
    let names: [String]
    var inside: [String: Bool] = [:]

    mutating func move(_ name: String, isInside: Bool) -> Set<String> {
      let old = inside.updateValue(isInside, forKey: name)
      guard let old, old != isInside else { return [] }
      let others = names.filter { $0 != name }
      if isInside {
        let areAllThere = others.allSatisfy { inside[$0] == true }
        return areAllThere
          ? ["anyone-arrive arrive", "all-arrive arrive"] : ["anyone-arrive arrive"]
      }
      let areAllAway = others.allSatisfy { inside[$0] == false }
      return areAllAway ? ["anyone-depart depart", "all-depart depart"] : ["anyone-depart depart"]
    }
  }

  private func start(_ names: [String], _ time: Time, _ folder: TemporaryFolder?) throws -> Rig {
    try Rig(
      names.map { "[Tracker \($0)]\n" }.joined(), folder: folder,
      systemClock: { time.now.microseconds })
  }

  @Test(arguments: UInt64(1)...24) func aGroupIsItsMembers(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let time = Time()
    let names = Array(["anna", "ben", "carl"].prefix(1 + Int(seed % 3)))
    var rig = try start(names, time, nil)
    for rule in Self.rules {
      _ = try rig.client().call(
        "Add",
        #"{"reminder":{"id":"\#(rule.id)","title":"T","kind":"location","who":"\#(rule.who)","#
          + #""on":"\#(rule.on)","every_visit":true,"#
          + #""place":{"lat":53.55,"lon":9.99,"radius_m":100}}}"#)
    }
    var oracle = Oracle(names: names)
    for step in 0..<40 {
      if Int.random(in: 0..<8, using: &random) == 0 {
        rig.daemon.stop()
        rig = try start(names, time, rig.folder)
      }
      let name = names[Int.random(in: 0..<names.count, using: &random)]
      let isInside = Bool.random(using: &random)
      let before = rig.journal.fired.count
      time.now = time.now + .minutes(20)
      for _ in 0..<3 {
        time.now = time.now + .minutes(1)
        let fix = Fix(
          time: time.now, position: isInside ? Self.home : Self.away, mode: .threeD,
          source: .gnss, eph: 5)
        rig.daemon.host.take(fix, of: rig.daemon.host.tracker(.tracker(name)))
      }
      let fired = Set(rig.journal.fired.dropFirst(before))
      let expected = oracle.move(name, isInside: isInside)
      #expect(fired == expected, "seed \(seed), step \(step): \(name) \(isInside)")
      if fired != expected { return }
    }
    #expect(rig.daemon.host.history("all-depart")?.members == oracle.inside)
  }
}
