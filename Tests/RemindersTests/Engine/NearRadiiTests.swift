import CivilTime
import Geodesy
import Geofencing
import JSONText
import TestSupport
import Testing

@testable import Reminders

/// Reminders of one category with several radii have its places in common. Each is as if it were
/// alone, with places that are circles of its radius.
@Suite struct NearRadiiTests {
  private static let category = "shop"
  private static let position = EngineHarness.home

  /// An engine with one reminder for each radius, `nil` for the places' own.
  private struct World: ~Copyable {
    var harness = EngineHarness()
    /// All places are circles of this radius.
    let radius: Double?

    init(radius: Double? = nil) { self.radius = radius }

    private static func seen(_ place: NumberedPlace, _ radius: Double?) -> NumberedPlace {
      guard let radius else { return place }
      return NumberedPlace(number: place.number, position: place.position, radius: radius)
    }

    mutating func add(_ on: String, radius: Double?) throws {
      let more = radius.map { #","radius_m":\#($0)"# } ?? ""
      try harness.add(
        #"{"id":"r\#(Int(radius ?? 0))-\#(on)","title":"T","near_category":"Shop","on":"\#(on)","#
          + #""every_visit":true\#(more)}"#)
    }

    mutating func set(_ places: [Int64: NumberedPlace], changed number: Int64) {
      let radius = radius
      harness.places[NearRadiiTests.category] =
        places.values.sorted { $0.number < $1.number }.map { Self.seen($0, radius) }
      harness.send(
        .place(
          number: number, places[number].map { Self.seen($0, radius) },
          category: places[number] == nil ? nil : NearRadiiTests.category))
    }

    var met: [String] {
      harness.firings.map {
        "\($0.time) \($0.event.rawValue) \($0.unnamed.map { "\($0.number)" } ?? "-") \($0.why)"
      }
    }
  }

  private static func place(
    _ number: Int64, using random: inout SeededGenerator
  ) throws -> NumberedPlace {
    let center = position.destination(
      bearing: .random(in: 0..<360, using: &random),
      distance: .random(in: 0...2_500, using: &random))
    var place = NumberedPlace(
      number: number, position: center, radius: .random(in: 30...250, using: &random))
    if number % 5 == 0 {
      // Its position is not in its middle.
      let corners = [0.0, 120, 240].map {
        center.destination(bearing: $0, distance: .random(in: 20...400, using: &random))
      }
      let ring = (corners + [corners[0]]).map { "[\($0.longitude),\($0.latitude)]" }
      place.area = try Reminder.Area(
        geoJSON: JSONParser.parse(
          #"{"type":"Polygon","coordinates":[[\#(ring.joined(separator: ","))]]}"#), width: nil)
    }
    return place
  }

  @Test(arguments: 1...6) func eachIsAsIfAlone(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let radii: [Double?] = [nil, 300, 40]
    let triggers = ["arrive", "depart"]
    var places: [Int64: NumberedPlace] = [:]
    for number in (1 as Int64)...25 {
      places[number] = try Self.place(number, using: &random)
    }
    var together = World()
    var own = World()
    var wide = World(radius: 300)
    var narrow = World(radius: 40)
    together.set(places, changed: 1)
    own.set(places, changed: 1)
    wide.set(places, changed: 1)
    narrow.set(places, changed: 1)
    // The third radius comes when the places of the others are there.
    let begins = [0, 0, 150]
    var (distance, bearing) = (500.0, 0.0)
    var next: Int64 = 26
    for step in 0..<600 {
      for trigger in triggers {
        for (radius, begin) in zip(radii, begins) where begin == step {
          try together.add(trigger, radius: radius)
        }
        if step == 0 {
          try own.add(trigger, radius: nil)
          try wide.add(trigger, radius: nil)
        }
        if step == begins[2] { try narrow.add(trigger, radius: nil) }
      }
      bearing += .random(in: -6...6, using: &random)
      distance = max(0, min(2_500, distance + .random(in: -40...40, using: &random)))
      // Now and then it jumps.
      if step % 97 == 0 { bearing += 180 }
      let error = Double.random(in: 3...30, using: &random)
      together.harness.fix(distance, bearing: bearing, eph: error)
      own.harness.fix(distance, bearing: bearing, eph: error)
      wide.harness.fix(distance, bearing: bearing, eph: error)
      narrow.harness.fix(distance, bearing: bearing, eph: error)
      guard step % 11 == 0 else { continue }
      var number = Int64.random(in: 1..<next, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        (number, next) = (next, next + 1)
        places[number] = try Self.place(number, using: &random)
      case 1: places[number] = try Self.place(number, using: &random)
      default: places[number] = nil
      }
      together.set(places, changed: number)
      own.set(places, changed: number)
      wide.set(places, changed: number)
      narrow.set(places, changed: number)
    }
    func met(_ world: borrowing World) -> [String] { world.met.sorted() }
    let alone = (met(own) + met(wide) + met(narrow)).sorted()
    #expect(alone.count > 5)
    #expect(met(together) == alone)
  }

  /// The memory of a further radius is a byte a place.
  @Test func aFurtherRadiusHasThePlacesInCommon() throws {
    var harness = EngineHarness()
    harness.places[Self.category] = (0..<20_000).map { number in
      NumberedPlace(
        number: number,
        position: Self.position.destination(
          bearing: Double(number % 360), distance: Double(number)), radius: 60)
    }
    try harness.add(#"{"id":"a","title":"A","near_category":"Shop"}"#)
    let one = harness.engine.placeBytes
    try harness.add(#"{"id":"b","title":"B","near_category":"Shop","radius_m":500}"#)
    #expect(harness.engine.watches.map(\.count) == [20_000, 20_000])
    #expect(harness.engine.placeBytes - one <= 20_000)
    harness.send(.place(number: 7, nil, category: nil))
    let new = NumberedPlace(number: 30_000, position: Self.position, radius: 60)
    harness.send(.place(number: 30_000, new, category: "shop"))
    #expect(harness.engine.watches.map(\.count) == [20_001, 20_001])
  }
}
