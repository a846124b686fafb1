import Reminders

/// The machine, as the broker knows it.
package struct Identity: Equatable, Sendable {
  /// Of `0`…`9`, `a`…`z` and `-`: the same after each start, another one on each machine.
  package let id: String
  /// For people.
  package let name: String
  package let version: String

  package init(id: String, name: String, version: String) {
    self.id = id
    self.name = name
    self.version = version
  }

  /// The client identifier: a second client of this name ends the first one's connection.
  package var client: String { "georemind-\(id)" }
}

/// The topics of one machine.
package struct Topics: Equatable, Sendable {
  /// `online`, or `offline`; retained.
  package let availability: String
  /// Each firing.
  package let firing: String
  /// The last firing, retained.
  package let last: String
  /// The state of the daemon, retained.
  package let state: String
  /// The anchor watch, retained.
  package let anchor: String
  /// Where the machine is, retained, as far as that is permitted.
  package let position: String
  /// The beginning of the topics of the trackers, which are retained as well.
  private let trackers: String
  /// Commands to the daemon.
  package let command: String
  /// Messages of the service to itself.
  package let selfTest: String
  /// Where Home Assistant says that it starts or stops.
  package let status: String

  package init(_ settings: MQTTSettings, _ identity: Identity) {
    func topic(_ name: String) -> String { "\(settings.prefix)/\(identity.id)/\(name)" }
    availability = topic("availability")
    firing = topic("firing")
    last = topic("last")
    state = topic("state")
    anchor = topic("anchor")
    position = topic("position")
    trackers = topic("tracker") + "/"
    command = topic("command")
    selfTest = topic("selftest")
    status = "\(settings.discoveryPrefix)/status"
  }

  package var retained: [String] {
    [availability, last, state, anchor, position, Self.state(of: position)]
  }

  /// All that is retained of the trackers, without their states.
  package var trackerFilter: String { trackers + "+" }

  /// The key of a tracker of which a topic is; nil for another topic.
  package func trackerKey(of topic: String) -> String? {
    guard topic.hasPrefix(trackers) else { return nil }
    return String(topic.dropFirst(trackers.count))
  }

  /// Where the attributes of a tracker are; nil is the machine itself.
  func attributes(ofTracker key: String?) -> String { key.map { trackers + $0 } ?? position }

  /// Where the state is that belongs to attributes.
  static func state(of attributes: String) -> String { attributes + "/state" }

  /// The name of a tracker in topics and ids: letters and digits of ASCII, `-`, and all other
  /// bytes as `_` and two hexadecimal digits. Nil is the machine itself.
  static func key(ofTracker name: String) -> String? {
    guard name != Who.machine else { return nil }
    return name.utf8.map { byte in
      let isPlain =
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
      let digits = String(byte, radix: 16)
      return isPlain ? String(UnicodeScalar(byte)) : "_" + (byte < 16 ? "0" : "") + digits
    }.joined()
  }

  package func availability(_ isAvailable: Bool) -> Message {
    Message(availability, isAvailable ? "online" : "offline", isRetained: true)
  }
}
