import CivilTime
import Geodesy
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import Storage
import Testing

@testable import Daemon

/// Reminders of any place of a category, from the socket to the journal and over a restart.
@Suite struct NearCategoryDaemonTests {
  private static let home = Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99)

  /// Fixes now, so many metres east of home.
  private static func walk(_ rig: Rig, _ distances: [Double]) throws {
    for distance in distances {
      let position = home.destination(bearing: 90, distance: distance)
      let last = rig.daemon.host.engine.lastFix?.time
      let time = try max(
        #require(rig.daemon.clock.now), (last ?? Instant(seconds: 0)) + .seconds(1))
      rig.daemon.host.take(
        Fix(time: time, position: position, mode: .threeD, source: .gnss, speed: 15, eph: 5))
    }
  }

  private static func place(_ client: Client, _ name: String, at distance: Double) throws {
    let position = home.destination(bearing: 90, distance: distance)
    _ = try client.call(
      "AddPlace",
      [
        "name": .string(name), "latitude": .double(position.latitude),
        "longitude": .double(position.longitude), "radius_m": 60, "category": "Food",
      ])
  }

  @Test func firesAtThePlaceMetAndNamesIt() throws {
    let rig = try Rig()
    let client = try rig.client()
    try Self.place(client, "Edeka", at: 500)
    let id = try client.call(
      "Add", #"{"reminder":{"title":"Milk","near_category":"food","every_visit":true}}"#)["id"]
    try Self.place(client, "Rewe", at: 900)
    try Self.walk(rig, Array(stride(from: 0, to: 300, by: 20)))
    let next = try client.call("Next")
    #expect(next["places"]?.array?.first?["place"]?.string == "Edeka")
    let why = try client.call("Why", ["id": id])["why"]
    let says = (why?["gates"]?.array ?? []).compactMap { $0["says"]?.string }
    #expect(says.contains { $0.contains("Edeka, the nearest of category Food") })
    try Self.walk(rig, Array(stride(from: 300, to: 520, by: 20)))
    #expect(rig.journal.firings.map { $0["GEOREMIND_PLACE"] } == ["Edeka"])
    #expect(rig.journal.firings.first?.message.hasPrefix("Milk: arrived at Edeka, ") == true)
    rig.daemon.stop()

    // A restart at the place: no second arrival, and the next place counts.
    let again = try Rig(folder: rig.folder)
    try Self.walk(again, [510, 510, 510])
    #expect(again.journal.fired.isEmpty)
    try Self.walk(again, Array(stride(from: 520, to: 900, by: 20)))
    #expect(again.journal.firings.map { $0["GEOREMIND_PLACE"] } == ["Rewe"])
    _ = try again.client().call("RemovePlace", #"{"name":"Edeka"}"#)
    #expect(again.daemon.host.engine.watchedCategories == ["food"])
  }

  /// More than the first part holds.
  @Test func thousandsOfPlacesComeInParts() throws {
    let rig = try Rig()
    let client = try rig.client()
    let store = rig.daemon.store
    try store.database.transaction { () throws(StoreError) in
      for number in 0..<5_000 {
        let distance = [0: 300, 4_999: 700][number] ?? 10_000 + Double(number)
        let position = Self.home.destination(bearing: 90, distance: distance)
        try store.places.add(
          SavedPlace(name: "Shop \(number)", position: position, radius: 60, category: "Food"))
      }
    }
    try Self.walk(rig, [0])
    _ = try client.call(
      "Add", #"{"reminder":{"title":"Milk","near_category":"food","every_visit":true}}"#)
    while rig.daemon.host.engine.isFilling("food") { rig.daemon.host.fillPlaces() }
    try Self.walk(rig, Array(stride(from: 0, through: 720, by: 20)))
    #expect(rig.journal.firings.map { $0["GEOREMIND_PLACE"] } == ["Shop 0", "Shop 4999"])
  }

  @Test func placesThatMoveOrAreImportedCount() throws {
    let rig = try Rig()
    let client = try rig.client()
    try Self.place(client, "Edeka", at: 500)
    try Self.place(client, "Rewe", at: 700)
    _ = try client.call(
      "Add", #"{"reminder":{"title":"Milk","near_category":"food","every_visit":true}}"#)
    try Self.walk(rig, Array(stride(from: 0, to: 200, by: 20)))
    let moved = Self.home.destination(bearing: 90, distance: 1_000)
    _ = try client.call(
      "EditPlace",
      [
        "name": "Edeka", "latitude": .double(moved.latitude), "longitude": .double(moved.longitude),
      ])
    _ = try client.call("EditPlace", #"{"name":"Rewe","category":"Home"}"#)
    let imported = Self.home.destination(bearing: 90, distance: 1_300)
    let number = try client.call("BeginPlaceImport")["import"]
    _ = try client.call(
      "ImportPlaces",
      [
        "import": number,
        "places": [
          [
            "name": "Aldi", "lat": .double(imported.latitude), "lon": .double(imported.longitude),
            "radius_m": 60, "category": "food",
          ]
        ],
      ])
    _ = try client.call("FinishPlaceImport", ["import": number])
    try Self.walk(rig, Array(stride(from: 200, to: 1_500, by: 20)))
    #expect(rig.journal.firings.map { $0["GEOREMIND_PLACE"] } == ["Edeka", "Aldi"])
  }
}
