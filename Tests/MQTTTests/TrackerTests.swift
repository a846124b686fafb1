import JSONText
import Testing

@testable import MQTT

/// Where the trackers are, to a broker.
@Suite struct TrackerTests {
  private static let own = "georemind/4f2a91c3"
  private static let entities = "homeassistant/device_tracker/georemind_4f2a91c3"

  /// An answer of `WatchPresence`: names with the places that contain them.
  private func presence(_ trackers: KeyValuePairs<String, [String]>) -> Publisher.Event {
    let list = trackers.map { name, places -> JSONValue in
      [
        "name": .string(name),
        "inside": .array(places.map { ["name": .string($0)] }),
        "fix": ["lat": .double(1.5), "lon": .double(2.5), "eph": 8],
      ]
    }
    return .presence(["trackers": .array(list)])
  }

  private func messages(_ effects: [Publisher.Effect]) -> [String: String] {
    Dictionary(
      effects.compactMap(\.message).map { ($0.topic, $0.payload) }, uniquingKeysWith: { $1 })
  }

  @Test(arguments: [
    ([], false, "not_home"), ([], true, "None"), (["Rewe", "Town"], false, "Rewe"),
    (["HOME"], true, "home"),
  ])
  func theStateIsThePlace(names: [String], hasPosition: Bool, state: String) throws {
    let tracker: JSONValue = [
      "name": "anna", "inside": .array(names.map { ["name": .string($0)] }),
      "fix": ["lat": .double(1.5), "lon": .double(2.5)],
    ]
    let document = TrackerDocument(tracker, hasPosition: hasPosition)
    #expect(document.state == state)
    let attributes = try #require(try JSONParser.parse(document.attributes).object)
    #expect(attributes["place"] == names.first.map { .string($0) } ?? .null)
    #expect(attributes["places"]?.array?.count == names.count)
    #expect((attributes["latitude"] != nil) == hasPosition)
    let zones = attributes["in_zones"]?.array?.compactMap(\.string)
    #expect(zones == (hasPosition ? nil : names))
  }

  @Test func nobodyKnowsWhereATrackerIsWithoutAFix() {
    let document = TrackerDocument(["name": "anna", "inside": []], hasPosition: false)
    #expect(document.state == "None")
    #expect(["latitude", "in_zones"].allSatisfy { !document.attributes.contains($0) })
  }

  @Test func eachTrackerIsAnEntityWithAState() throws {
    let world = PublisherWorld { $0.published = .places }
    _ = world.handle(.connected(.five))
    let first = messages(world.handle(presence(["self": ["Home"], "anna.b": []])))
    #expect(
      Set(first.keys) == [
        "\(Self.own)/position", "\(Self.own)/position/state", "\(Self.own)/tracker/anna_2eb",
        "\(Self.own)/tracker/anna_2eb/state", "\(Self.entities)/tracker_anna_2eb/config",
      ])
    #expect(first["\(Self.own)/position/state"] == "home")
    #expect(first["\(Self.own)/tracker/anna_2eb/state"] == "not_home")
    let entity = try #require(
      try JSONParser.parse(first["\(Self.entities)/tracker_anna_2eb/config"] ?? "").object)
    #expect(entity["name"] == "anna.b")
    #expect(entity["state_topic"]?.string == "\(Self.own)/tracker/anna_2eb/state")
    #expect(entity["json_attributes_topic"]?.string == "\(Self.own)/tracker/anna_2eb")
    // The same again is no news; a new connection has all.
    #expect(world.handle(presence(["self": ["Home"], "anna.b": []])) == [])
    let moved = messages(world.handle(presence(["self": ["Home"], "anna.b": ["Rewe"]])))
    #expect(Set(moved.keys).count == 2 && moved.values.contains("Rewe"))
    _ = world.handle(.disconnected(.init("lost")))
    let again = messages(world.handle(.connected(.five)))
    #expect(again["\(Self.own)/tracker/anna_2eb/state"] == "Rewe")
    #expect(again["\(Self.entities)/tracker_anna_2eb/config"] != nil)
  }

  @Test func aTrackerThatIsNoLongerSharedDisappears() {
    let world = PublisherWorld { $0.published = .everything }
    _ = world.handle(.connected(.five))
    _ = world.handle(presence(["self": [], "anna": []]))
    let gone = messages(world.handle(presence(["self": []])))
    let topics = [
      "\(Self.own)/tracker/anna", "\(Self.own)/tracker/anna/state",
      "\(Self.entities)/tracker_anna/config",
    ]
    #expect(gone == Dictionary(uniqueKeysWithValues: topics.map { ($0, "") }))
  }

  @Test(arguments: [MQTTSettings.Publication.nothing, .places])
  func whatAnEarlierRunHasLeftIsRemoved(published: MQTTSettings.Publication) {
    let world = PublisherWorld { $0.published = published }
    #expect(
      world.handle(.connected(.five)).contains(.subscribe("\(Self.own)/tracker/+")))
    func found(_ name: String) -> Publisher.Event {
      .received(
        topic: "\(Self.own)/tracker/\(name)", payload: Array("{}".utf8), isRetained: true)
    }
    let early = messages(world.handle(found("ben")))
    // Before the daemon has answered, nobody knows.
    #expect(early.isEmpty == (published == .places))
    let late = messages(world.handle(presence(["self": [], "anna": []])))
    if published == .places { #expect(late["\(Self.own)/tracker/ben/state"] == "") }
    #expect(early["\(Self.own)/tracker/ben"] == "" || late["\(Self.own)/tracker/ben"] == "")
    #expect(world.handle(found("anna")) == [])
  }
}
