import JSONText
import Reminders

/// Entities of Home Assistant, announced by MQTT discovery: one retained configuration each.
///
/// Home Assistant 2023.8 reads all of this. Later versions take the entity's id from
/// `default_entity_id`, and earlier ones from `object_id`.
package struct Discovery: Sendable {
  private enum Entity: String, CaseIterable {
    case firing, last, nextDue = "next_due", position, location
    case anchor, anchorDistance = "anchor_distance", anchorBearing = "anchor_bearing"
    case anchorAlarm = "anchor_alarm", add

    var component: String {
      switch self {
      case .firing: "event"
      case .last, .nextDue, .anchor, .anchorDistance, .anchorBearing: "sensor"
      case .position, .anchorAlarm: "binary_sensor"
      case .location: "device_tracker"
      case .add: "text"
      }
    }
  }

  private let settings: MQTTSettings
  private let identity: Identity
  private let topics: Topics

  package init(_ settings: MQTTSettings, _ identity: Identity) {
    self.settings = settings
    self.identity = identity
    topics = Topics(settings, identity)
  }

  /// The configuration of each entity. An entity without permission is cleared.
  package var messages: [Message] {
    Entity.allCases.map { entity in
      guard isPermitted(entity) else { return .clearing(topic(of: entity)) }
      return announcement(entity.rawValue, entity.component, specifics(of: entity))
    }
  }

  /// The configuration of a tracker that is not the machine itself.
  func message(ofTracker key: String, named name: String) -> Message {
    announcement(
      "tracker_\(key)", Entity.location.component,
      tracker(name, attributes: topics.attributes(ofTracker: key)))
  }

  /// Removes all of a tracker.
  package func withdrawal(ofTracker key: String) -> [Message] {
    let attributes = topics.attributes(ofTracker: key)
    return [topic(of: "tracker_\(key)", Entity.location.component), attributes]
      .map { .clearing($0) } + [.clearing(Topics.state(of: attributes))]
  }

  private func isPermitted(_ entity: Entity) -> Bool {
    switch entity {
    case .location: settings.published != .nothing
    case .add: settings.takesCommands
    default: true
    }
  }

  /// Removes all entities.
  package var withdrawal: [Message] {
    Entity.allCases.map { .clearing(topic(of: $0)) }
  }

  private var node: String { "georemind_\(identity.id)" }

  private func topic(of entity: Entity) -> String { topic(of: entity.rawValue, entity.component) }

  private func topic(of name: String, _ component: String) -> String {
    "\(settings.discoveryPrefix)/\(component)/\(node)/\(name)/config"
  }

  private func announcement(
    _ name: String, _ component: String, _ specifics: JSONObject
  ) -> Message {
    let objectID = "georemind_\(slug(identity.name))_\(name)"
    var document = specifics
    document["unique_id"] = .string("\(node)_\(name)")
    document["object_id"] = .string(objectID)
    document["default_entity_id"] = .string("\(component).\(objectID)")
    document["qos"] = 1
    document["availability"] = [["topic": .string(topics.availability)]]
    document["device"] = [
      "identifiers": [.string(node)], "name": .string("georemind \(identity.name)"),
      "manufacturer": "georemind", "model": "georemindd", "sw_version": .string(identity.version),
    ]
    document["origin"] = ["name": "georemind", "sw_version": .string(identity.version)]
    return Message(topic(of: name, component), JSONValue.object(document).line, isRetained: true)
  }

  private func tracker(_ name: String, attributes: String) -> JSONObject {
    [
      "name": .string(name), "state_topic": .string(Topics.state(of: attributes)),
      "json_attributes_topic": .string(attributes), "source_type": "gps",
    ]
  }

  private func specifics(of entity: Entity) -> JSONObject {
    switch entity {
    case .firing:
      [
        "name": "Firing", "state_topic": .string(topics.firing),
        "event_types": .array(
          (Firing.Event.allCases.map(\.rawValue) + ["summary"]).map { .string($0) }),
        "icon": "mdi:map-marker-check",
      ]
    case .last:
      [
        "name": "Last firing", "state_topic": .string(topics.last),
        // A state has 255 characters at most. Home Assistant evaluates no template in a title.
        "value_template": "{{ value_json.title[:255] }}",
        "json_attributes_topic": .string(topics.last), "icon": "mdi:bell",
      ]
    case .nextDue:
      [
        "name": "Next due", "state_topic": .string(topics.state),
        "value_template": "{{ value_json.next_due }}", "device_class": "timestamp",
      ]
    case .position:
      [
        "name": "Position", "state_topic": .string(topics.state),
        "value_template": "{{ 'OFF' if value_json.position == 'known' else 'ON' }}",
        "device_class": "problem", "entity_category": "diagnostic",
      ]
    case .location: tracker("Location", attributes: topics.position)
    case .anchor:
      [
        "name": "Anchor", "state_topic": .string(topics.anchor),
        "value_template": "{{ value_json.state }}",
        "json_attributes_topic": .string(topics.anchor), "icon": "mdi:anchor",
      ]
    case .anchorDistance:
      [
        "name": "Anchor distance", "state_topic": .string(topics.anchor),
        "value_template": "{{ value_json.distance_m }}", "device_class": "distance",
        "unit_of_measurement": "m",
      ]
    case .anchorBearing:
      [
        "name": "Anchor bearing", "state_topic": .string(topics.anchor),
        "value_template": "{{ value_json.bearing_deg }}", "unit_of_measurement": "°",
        "icon": "mdi:compass",
      ]
    case .anchorAlarm:
      [
        "name": "Anchor alarm", "state_topic": .string(topics.anchor),
        "value_template": "{{ 'ON' if value_json.alarm else 'OFF' }}", "device_class": "safety",
      ]
    case .add:
      [
        "name": "New reminder", "command_topic": .string(topics.command),
        "command_template": "{{ {'command': 'add', 'text': value} | to_json }}",
        "icon": "mdi:bell-plus",
      ]
    }
  }

  /// Letters and digits of ASCII in lower case, all others as `_`.
  private func slug(_ text: String) -> String {
    String(
      decoding: text.utf8.map { byte in
        let letter = byte | 0x20
        if (0x61...0x7A).contains(letter) { return letter }
        return (0x30...0x39).contains(byte) ? byte : 0x5F
      }, as: UTF8.self)
  }
}
