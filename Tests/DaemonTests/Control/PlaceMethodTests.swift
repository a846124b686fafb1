import Control
import Geodesy
import JSONText
import Reminders
import Storage
import Testing

@testable import Daemon

/// The methods for places beyond adding and listing, over a real socket.
@Suite(.serialized) struct PlaceMethodTests {
  private let rig: Rig
  private let client: Client

  init() throws {
    rig = try Rig()
    client = try rig.client()
  }

  private func names(_ reply: JSONObject) -> [String] {
    (reply["places"]?.array ?? []).compactMap { $0["name"]?.string }
  }

  private func addPlace(_ name: String, _ latitude: Double, _ longitude: Double) throws {
    _ = try client.call(
      "AddPlace", #"{"name":"\#(name)","latitude":\#(latitude),"longitude":\#(longitude)}"#)
  }

  private func addReminder(_ id: String, at place: String, radius: String = "") throws {
    _ = try client.call(
      "Add",
      #"{"reminder":{"id":"\#(id)","title":"x","kind":"location","place":"\#(place)"\#(radius)}}"#)
  }

  @Test func aColourBringsTheCategoryOfAPlaceInOneCall() throws {
    let place = #""latitude":1,"longitude":2,"category":"Pumps""#
    #expect(throws: (any Error).self) {
      try client.call("AddPlace", #"{"name":"Tap",\#(place)}"#)
    }
    let answer = try client.call(
      "AddPlace", ##"{"name":"Tap",\##(place),"color":"#102030"}"##)
    #expect(answer["place"]?["color"]?.string == "#102030", "\(answer)")
    // Neither a colour that is none nor a name that is taken leaves a category behind.
    for (name, color) in [("Well", "blue"), ("Tap", "#102030")] {
      #expect(throws: (any Error).self) {
        try client.call(
          "AddPlace",
          #"{"name":"\#(name)","latitude":1,"longitude":2,"category":"Other wells","color":"\#(color)"}"#
        )
      }
    }
    let names = try client.call("ListCategories")["categories"]?.array ?? []
    #expect(names.contains { $0["name"] == "Pumps" })
    #expect(!names.contains { $0["name"] == "Other wells" })
  }

  @Test func blanksAroundANameAreNoPartOfIt() throws {
    try addPlace("Home ", 1, 2)
    #expect(
      try GeoremindError(
        client.error("AddPlace", #"{"name":" home","latitude":1,"longitude":2}"#))
        == .alreadyExists(name: "home"))
    _ = try client.call("EditPlace", #"{"name":"Home","new_name":" House "}"#)
    #expect(names(try client.call("PagePlaces", "{}")) == ["House"])
  }

  @Test func findsAndPages() throws {
    try addPlace("Bakery", 1, 2)
    try addPlace("Bank", 1, 2.1)
    try addPlace("Café", 1, 3)
    let near = try client.call(
      "FindPlaces", #"{"words":"ba","latitude":1,"longitude":2.2,"limit":5}"#)
    #expect(names(near) == ["Bank", "Bakery"])
    #expect(near["places"]?.array?[0]["distance_m"]?.double.map { abs($0 - 11_118) < 5 } == true)
    #expect(names(try client.call("FindPlaces", #"{"words":"CAFE"}"#)) == ["Café"])
    let within = #"{"latitude":1,"longitude":2,"within_m":20000}"#
    #expect(names(try client.call("FindPlaces", within)) == ["Bakery", "Bank"])
    #expect(names(try client.call("PagePlaces", #"{"limit":2}"#)) == ["Bakery", "Bank"])
    #expect(names(try client.call("PagePlaces", #"{"after":"Bank"}"#)) == ["Café"])
    let error = try GeoremindError(client.error("FindPlaces", #"{"within_m":5}"#))
    guard case .invalidReminder(let field, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(field == "within_m")
  }

  @Test func aWordOfACategoryFindsItsPlaces() throws {
    _ = try client.call("AddCategory", ##"{"name":"Bakery","color":"#AA8800"}"##)
    for (name, category, longitude) in [("Müller", "Bakery", 2.0), ("Old bakery", nil, 2.2)] {
      let place: JSONObject = [
        "name": .string(name), "latitude": 1, "longitude": .double(longitude),
        "category": category.map { .string($0) },
      ]
      _ = try client.call("AddPlace", place)
    }
    let near = #""latitude":1,"longitude":2.3"#
    #expect(
      names(try client.call("FindPlaces", #"{"words":"bakery",\#(near)}"#))
        == ["Old bakery", "Müller"])
    #expect(names(try client.call("FindPlaces", #"{"words":"mül bak"}"#)) == ["Müller"])
    #expect(names(try client.call("FindPlaces", #"{"words":"bake","limit":1}"#)) == ["Müller"])
  }

  @Test func remindersFollowAPlace() throws {
    try addPlace("Rewe", 53.5, 9.9)
    try addReminder("plain", at: "rewe")
    try addReminder("wide", at: "Rewe", radius: #","radius_m":400"#)
    let shown = try client.call("ShowPlace", #"{"name":"REWE"}"#)
    #expect(shown["reminders"]?.array?.compactMap(\.string) == ["plain", "wide"])
    let edited = try client.call(
      "EditPlace",
      #"{"name":"Rewe","new_name":"Edeka","latitude":53.6,"longitude":9.8,"radius_m":70,"notes":"n"}"#
    )
    #expect(edited["place"]?["name"]?.string == "Edeka")
    #expect(edited["reminders"]?.array?.count == 2)
    let plain = rig.daemon.host.engine.reminder("plain")?.place
    #expect(plain?.name == "Edeka" && plain?.radius == 70 && plain?.position.latitude == 53.6)
    #expect(rig.daemon.host.engine.reminder("wide")?.place?.radius == 400)
    #expect(
      try GeoremindError(client.error("ShowPlace", #"{"name":"Rewe"}"#)) == .notFound(id: "Rewe"))

    try addPlace("Lidl", 53, 9)
    let merged = try client.call("MergePlaces", #"{"name":"Edeka","into":"Lidl"}"#)
    #expect(merged["place"]?["name"]?.string == "Lidl")
    #expect(rig.daemon.host.engine.reminder("plain")?.place?.position.latitude == 53)
    #expect(names(try client.call("ListPlaces")) == ["Lidl"])

    let used = try GeoremindError(
      client.error("RemovePlace", #"{"name":"Lidl","unless_used":true}"#))
    #expect(used == .inUse(name: "Lidl", reminders: ["plain", "wide"]))
    let removed = try client.call("RemovePlace", #"{"name":"Lidl"}"#)
    #expect(removed["reminders"]?.array?.count == 2)
    #expect(rig.daemon.host.engine.reminder("plain")?.place?.name == "Lidl", "it keeps its copy")
  }

  /// A place that was imported as a polygon is that polygon wherever its name stands.
  @Test func remindersAtAShapeHaveTheShape() throws {
    let first = try #require(try client.call("BeginPlaceImport")["import"]?.int)
    _ = try client.call(
      "ImportPlaces",
      #"{"import":\#(first),"places":[{"name":"Park","lat":1.05,"lon":2.05,"radius_m":9000,"#
        + #""region":{"type":"Polygon","coordinates":[[[2,1],[2.1,1],[2.1,1.1],[2,1]]]}}]}"#)
    _ = try client.call("FinishPlaceImport", #"{"import":\#(first)}"#)
    try addReminder("shape", at: "park")
    try addReminder("circle", at: "Park", radius: #","radius_m":400"#)
    _ = try client.call(
      "Add",
      #"{"reminder":{"id":"go","title":"x","kind":"preemptive","place":"Park","due":"2030-01-01T00:00:00Z"}}"#
    )
    #expect(rig.daemon.host.engine.reminder("shape")?.area?.type == "Polygon")
    #expect(rig.daemon.host.engine.reminder("shape")?.knownName == "Park")
    #expect(rig.daemon.host.engine.reminder("circle")?.place?.radius == 400)
    #expect(rig.daemon.host.engine.reminder("go")?.place?.name == "Park")

    for change in [#""latitude":1,"longitude":1"#, #""radius_m":70"#] {
      let error = try GeoremindError(
        client.error("EditPlace", #"{"name":"Park",\#(change)}"#))
      guard case .invalidReminder? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    let renamed = try client.call("EditPlace", #"{"name":"Park","new_name":"Garden"}"#)
    #expect(renamed["reminders"]?.array?.count == 3)
    #expect(rig.daemon.host.engine.reminder("shape")?.knownName == "Garden")
    try addPlace("Spot", 1, 2)
    _ = try client.call("MergePlaces", #"{"name":"Garden","into":"Spot"}"#)
    #expect(rig.daemon.host.engine.reminder("shape")?.place?.name == "Spot")
    #expect(rig.daemon.host.engine.reminder("shape")?.area == nil)
  }

  /// A mark with the identifier of another program moves with its reminders; another mark with the
  /// same number, and a mark without an identifier, are places of their own.
  @Test func aMarkThatHasMovedTakesItsRemindersAlong() throws {
    func bring(_ places: String) throws -> [Int?] {
      let id = try #require(try client.call("BeginPlaceImport")["import"]?.int)
      _ = try client.call("ImportPlaces", #"{"import":\#(id),"places":[\#(places)]}"#)
      let answer = try client.call("FinishPlaceImport", #"{"import":\#(id)}"#)
      return ["added", "known", "moved"].map { answer[$0]?.int }
    }
    #expect(try bring(#"{"name":"Mooring","lat":54.5,"lon":10.2}"#) == [1, 0, 0])
    #expect(try bring(#"{"name":"Mooring","lat":54.5,"lon":10.2,"uid":"g1"}"#) == [0, 1, 0])
    try addReminder("r", at: "Mooring", radius: #","radius_m":80"#)
    #expect(try bring(#"{"name":"Mooring","lat":54.502,"lon":10.2,"uid":"g1"}"#) == [0, 0, 1])
    #expect(try bring(#"{"name":"Mooring","lat":54.502,"lon":10.2,"uid":"g1"}"#) == [0, 1, 0])
    let place = try #require(rig.daemon.host.engine.reminder("r")?.place)
    #expect(place.position.latitude == 54.502 && place.radius == 80)
    #expect(try rig.daemon.store.reminders.reminder(id: "r")?.reminder.place == place)
    #expect(
      try bring(
        #"{"name":"Buoy","lat":1,"lon":2,"uid":"g1"},{"name":"Mooring","lat":3,"lon":4}"#)
        == [2, 0, 0])
    #expect(names(try client.call("ListPlaces")) == ["Buoy", "Mooring", "Mooring (2)"])
    #expect(
      try rig.daemon.store.places.place(named: "Mooring")?.position.latitude == 54.502)
  }

  @Test func importsAreSeenAtTheEnd() throws {
    func begin() throws -> Int {
      try #require(try client.call("BeginPlaceImport")["import"]?.int)
    }
    let first = try begin()
    let batch = """
      {"import":\(first),"places":[{"name":"A","lat":1,"lon":2,"category":"Boat","color":"#102030"},
      {"name":"A","lat":1.00001,"lon":2},{"name":"A","lat":3,"lon":2,"radius_m":50,
      "region":{"type":"LineString","coordinates":[[2,3],[2,4]]},"width_m":100}]}
      """
    let added = try client.call("ImportPlaces", batch)
    #expect(added["added"]?.int == 2 && added["known"]?.int == 1)
    #expect(names(try client.call("ListPlaces")) == [])
    let finished = try client.call("FinishPlaceImport", #"{"import":\#(first)}"#)
    #expect(finished["added"]?.int == 2)
    let listed = try client.call("ListPlaces")
    #expect(names(listed) == ["A", "A (2)"])
    #expect(listed["places"]?.array?[0]["color"]?.string == "#102030")
    #expect(listed["places"]?.array?[1]["region"]?["type"]?.string == "LineString")
    #expect(listed["places"]?.array?[1]["width_m"]?.double == 100)

    let second = try begin()
    #expect(second != first)
    let bad =
      #"{"import":\#(second),"places":[{"name":"B","lat":1,"lon":2},{"name":"C","lat":91,"lon":2}]}"#
    guard
      case .invalidReminder(let field, _)? = try GeoremindError(client.error("ImportPlaces", bad))
    else {
      Issue.record("a wrong place is refused")
      return
    }
    #expect(field == "places[1].lat")
    _ = try client.call("AbandonPlaceImport", #"{"import":\#(second)}"#)
    let gone = #"{"import":\#(second),"places":[]}"#
    #expect(
      try GeoremindError(client.error("ImportPlaces", gone)) == .notFound(id: "import \(second)"))
    #expect(names(try client.call("ListPlaces")) == ["A", "A (2)"])
  }
}
