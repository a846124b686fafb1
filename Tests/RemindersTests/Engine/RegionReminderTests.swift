import CivilTime
import Geodesy
import Geofencing
import Testing

@testable import Reminders

/// Location reminders of polygons and corridors, through the engine.
@Suite struct RegionReminderTests {
  /// 200 m by 200 m around home, with the name Port.
  private static func square(_ more: String = "") -> String {
    let corners = [(-100.0, -100.0), (100, -100), (100, 100), (-100, 100), (-100, -100)].map {
      position(east: $0, north: $1)
    }
    return
      #""region":{"type":"Polygon","coordinates":[[\#(corners.joined(separator: ","))]]\#(more)}"#
  }

  /// A road northwards through home, 40 m wide.
  private static var road: String {
    let ends = [position(east: 0, north: -3_000), position(east: 0, north: 3_000)]
    return #""region":{"type":"LineString","coordinates":[\#(ends.joined(separator: ","))]},"#
      + #""width_m":40"#
  }

  private static func position(east: Double, north: Double) -> String {
    let home = EngineHarness.home
    let up = home.destination(bearing: 0, distance: north)
    let there = up.destination(bearing: 90, distance: east)
    return "[\(there.longitude),\(there.latitude)]"
  }

  @Test func arrivesStaysAndDeparts() throws {
    var harness = EngineHarness()
    let port = Self.square(#","name":"Port""#)
    try harness.add(#"{"id":"a","title":"A",\#(port)}"#)
    try harness.add(#"{"id":"d","title":"D","on":"depart",\#(port)}"#)
    try harness.add(#"{"id":"s","title":"S","on":"dwell","dwell_s":60,\#(port)}"#)
    harness.walk(from: 600, to: 0)
    #expect(harness.events == ["a:arrive"])
    harness.wait(60)
    harness.walk(from: 0, to: 600)
    #expect(harness.events == ["a:arrive", "s:dwell", "d:depart"])
    let arrival = try #require(harness.firings.first)
    #expect(arrival.place == "Port")
    #expect(arrival.message.hasPrefix("A: arrived at Port, "))
    #expect(arrival.message.hasSuffix(" m from its edge"))
    #expect(try #require(arrival.distance) < 40)
    #expect(try #require(harness.firings.last?.distance) > 10)
  }

  @Test func aCorridorIsPassed() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"r","title":"R",\#(Self.road)}"#)
    for step in 0..<8 { harness.fix(-1_000 + 270 * Double(step), after: 10, speed: 27) }
    #expect(harness.events == ["r:pass"])
    let pass = try #require(harness.firings.first)
    #expect(try #require(pass.distance) < 1)
    #expect(pass.message == "R: passed the region, 0 m from its line")
    #expect(pass.place == nil)
  }

  @Test func nextToTheRegionNothingFires() throws {
    var harness = EngineHarness()
    // A corner of the circle around the square, 120 m from the middle.
    try harness.add(#"{"id":"a","title":"A","if_inside":"fire",\#(Self.square())}"#)
    for _ in 0..<30 { harness.fix(120) }
    #expect(harness.events == [])
    for _ in 0..<3 { harness.fix(90) }
    #expect(harness.events == ["a:arrive"])
  }

  @Test func insideSurvivesARestart() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"v","title":"V","every_visit":true,\#(Self.square())}"#)
    try harness.add(#"{"id":"d","title":"D","on":"depart",\#(Self.road)}"#)
    harness.walk(from: 600, to: 0)
    harness.restart(after: 30)
    for _ in 0..<5 { harness.fix(0) }
    #expect(harness.events == ["v:arrive"])
    harness.walk(from: 0, to: 600)
    #expect(harness.events == ["v:arrive", "d:depart"])
  }

  @Test func anotherRegionIsAnotherPlaceToBe() throws {
    var harness = EngineHarness()
    try harness.add(#"{"id":"v","title":"V","every_visit":true,\#(Self.square())}"#)
    harness.walk(from: 600, to: 0)
    let known = harness.engine.reminder("v")
    var changed = try #require(known)
    changed.area = nil
    changed.place = Reminder.Place(
      position: EngineHarness.home.destination(bearing: 90, distance: 600), radius: 50)
    harness.send(.replace(changed))
    #expect(harness.engine.history("v")?.stay.presence == .outside)
    harness.walk(from: 0, to: 620)
    #expect(harness.events == ["v:arrive", "v:arrive"])
    let nearest = harness.engine.nearby(limit: 1)
    let near = try #require(nearest.first)
    #expect(near.reminder.id == "v" && near.distance < 0)
  }

  @Test func theNearestAreThoseThatMayFire() throws {
    var harness = EngineHarness()
    harness.fix(0)
    for number in 1...30 {
      let place = Reminder.Place(
        position: EngineHarness.home.destination(bearing: 90, distance: 300 * Double(number)),
        radius: 50)
      var reminder = Reminder(id: "r\(number)", kind: .location, title: "R")
      reminder.place = place
      harness.send(.add(reminder, nil))
    }
    for number in 1...20 {
      harness.send(.snooze(id: "r\(number)", .until(harness.now + .hours(1))))
    }
    #expect(harness.engine.nearby(limit: 3).map(\.reminder.id) == ["r21", "r22", "r23"])
    #expect(harness.engine.nearby(limit: 50).count == 10)
  }
}
