import Companion
import JSONText
import Reminders
import Testing

@testable import MQTT

/// The identity and the firings of the tests.
enum Sample {
  static let identity = Identity(id: "4f2a91c3", name: "boat", version: "0.1.0")

  static func firing(
    _ seq: Int, title: String = "Milk", at time: String = "2026-06-12T16:00:00Z",
    priority: Int = 0
  )
    -> FiringNotice
  {
    var json: JSONObject = [
      "firing_id": .string("f\(seq)"), "reminder_id": "r", "kind": "location",
      "title": .string(title), "event": "arrive", "time": .string(time), "seq": .int(seq),
      "ledger": "one", "lat": .double(52.5), "lon": .double(13.4), "eph_m": .double(8),
      "place": "Shop", "why": "Arrived",
    ]
    if priority > 0 { json["priority"] = .int(priority) }
    guard let firing = FiringNotice(json) else { preconditionFailure("a firing has its members") }
    return firing
  }
}

@Suite struct DocumentTests {
  private func parsed(_ text: String) throws -> JSONObject {
    try #require(try JSONParser.parse(text).object)
  }

  /// The keys that Home Assistant's schema of each component requires, by its documentation.
  @Test func discoveryHasWhatHomeAssistantReads() throws {
    var settings = MQTTSettings()
    settings.published = .everything
    settings.takesCommands = true
    let messages = Discovery(settings, Sample.identity).messages
    let required = [
      "event/georemind_4f2a91c3/firing": ["state_topic", "event_types"],
      "sensor/georemind_4f2a91c3/last": ["state_topic", "value_template"],
      "sensor/georemind_4f2a91c3/next_due": ["state_topic", "device_class"],
      "binary_sensor/georemind_4f2a91c3/position": ["state_topic", "device_class"],
      "device_tracker/georemind_4f2a91c3/location": ["json_attributes_topic", "source_type"],
      "sensor/georemind_4f2a91c3/anchor": ["state_topic", "value_template"],
      "sensor/georemind_4f2a91c3/anchor_distance": ["state_topic", "unit_of_measurement"],
      "sensor/georemind_4f2a91c3/anchor_bearing": ["state_topic", "unit_of_measurement"],
      "binary_sensor/georemind_4f2a91c3/anchor_alarm": ["state_topic", "device_class"],
      "text/georemind_4f2a91c3/add": ["command_topic", "command_template"],
    ]
    #expect(
      Set(messages.map(\.topic)) == Set(required.keys.map { "homeassistant/\($0)/config" }))
    var ids: Set<String> = []
    for message in messages {
      #expect(message.isRetained)
      let document = try parsed(message.payload)
      let name = message.topic.split(separator: "/").dropFirst().dropLast().joined(separator: "/")
      let keys = required[name] ?? []
      for key in keys + ["name", "unique_id", "object_id", "device", "origin", "availability"] {
        #expect(document[key] != nil, "\(name) has no \(key)")
      }
      let objectID = try #require(document["object_id"]?.string)
      let component = name.prefix { $0 != "/" }
      #expect(document["default_entity_id"]?.string == "\(component).\(objectID)")
      #expect(document["availability"]?.array?.first?["topic"]?.string == Self.availability)
      ids.insert(try #require(document["unique_id"]?.string))
    }
    #expect(ids.count == required.count)
    let event = try parsed(messages[0].payload)
    let types = event["event_types"]?.array?.compactMap(\.string)
    #expect(types == Firing.Event.allCases.map(\.rawValue) + ["summary"])
  }

  private static let availability = "georemind/4f2a91c3/availability"

  @Test func theTrackerIsClearedUnlessThePositionIsPublished() throws {
    let messages = Discovery(MQTTSettings(), Sample.identity).messages
    let tracker = try #require(messages.first { $0.topic.contains("device_tracker") })
    #expect(tracker.payload == "" && tracker.isRetained)
    #expect(messages.first { $0.topic.contains("/text/") }?.payload == "")
    let cleared = Discovery(MQTTSettings(), Sample.identity).withdrawal
    #expect(Set(cleared.map(\.topic)) == Set(messages.map(\.topic)))
    #expect(cleared.allSatisfy { $0.payload.isEmpty && $0.isRetained })
  }

  @Test func namesOfHostsAreSafeInIDs() throws {
    let identity = Identity(id: "1", name: "Böt+#/x", version: "0")
    let topics = Discovery(MQTTSettings(), identity).messages.map(\.topic)
    #expect(topics.allSatisfy { !$0.contains { "+#ö".contains($0) } })
    let first = try parsed(Discovery(MQTTSettings(), identity).messages[0].payload)
    #expect(first["object_id"]?.string == "georemind_b__t___x_firing")
  }

  @Test(arguments: [
    "a\0b", "\u{202E}evil\u{2066}", "{{ states('sun.sun') }}", "#/+", "\"quoted\"\n",
    String(repeating: "€", count: 65_536),
  ])
  func anyTitleArrivesUnchanged(title: String) throws {
    let text = Documents.firing(Sample.firing(1, title: title), hasPosition: false)
    let document = try parsed(text)
    #expect(document["title"]?.string == title)
    #expect(document["event_type"] == "arrive")
    #expect(!text.utf8.contains { $0 < 0x20 })
  }

  @Test func coordinatesStayUnlessPermitted() throws {
    let hidden = try parsed(Documents.firing(Sample.firing(1), hasPosition: false))
    #expect(["lat", "lon", "eph_m"].allSatisfy { hidden[$0] == nil })
    let shown = try parsed(
      Documents.firing(Sample.firing(1), isRepeated: true, hasPosition: true))
    #expect(shown["lat"]?.double == 52.5)
    #expect(shown["repeated"] == true)
    #expect(hidden["repeated"] == nil)
  }

  @Test(arguments: [
    (#"{"armed":3,"position":"known","version":"0.1.0","feeds":[]}"#, "none"),
    (#"{"armed":3,"position":"known","version":"0.1.0","feeds":[{"lost":true}]}"#, "lost"),
    (#"{"armed":3,"position":"known","version":"0.1.0","feeds":[{"lost":true},{}]}"#, "open"),
  ])
  func theStateHasTheFeeds(status: String, feed: String) throws {
    let state = try parsed(Documents.state(try parsed(status)))
    #expect(state["feed"]?.string == feed)
    #expect(state["armed"]?.int == 3)
    // Home Assistant shows null as unknown.
    #expect(state["next_due"] == .null)
  }
}
