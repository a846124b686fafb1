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
  /// The position, retained, if that is permitted.
  package let position: String
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
    command = topic("command")
    selfTest = topic("selftest")
    status = "\(settings.discoveryPrefix)/status"
  }

  package var retained: [String] { [availability, last, state, anchor, position] }

  package func availability(_ isAvailable: Bool) -> Message {
    Message(availability, isAvailable ? "online" : "offline", isRetained: true)
  }
}
