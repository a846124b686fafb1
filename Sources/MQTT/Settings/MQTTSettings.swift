package import Configuration

/// Section `[MQTT]` of `georemind.conf`.
package struct MQTTSettings: Equatable, Sendable {
  package var broker = BrokerAddress(host: "localhost")
  package var user: String?
  package var passwordFile: String?
  /// Authorities of the broker's certificate; nil are the system's.
  package var authoritiesFile: String?
  package var certificateFile: String?
  package var keyFile: String?
  /// Topics begin with it.
  package var prefix = "georemind"
  package var announcesEntities = true
  package var discoveryPrefix = "homeassistant"
  /// Topics of positions of OwnTracks; nil takes none.
  package var ownTracksFilter: String? = "owntracks/+/+"
  package var published = Publication.nothing
  package var takesCommands = false

  /// How much of the positions leaves the machine: a value of `PublishPosition=`.
  package enum Publication: String, Sendable {
    case nothing = "no"
    /// The names of places.
    case places
    /// Those, and coordinates.
    case everything = "yes"
  }

  package init() {}

  /// Whether coordinates may leave the machine.
  var publishesPosition: Bool { published == .everything }

  /// `ownTracksFilter`, and the topics below it where OwnTracks says that a phone has entered or
  /// left a region.
  var ownTracksFilters: [String] {
    guard let filter = ownTracksFilter else { return [] }
    return filter.hasSuffix("#") ? [filter] : [filter, filter + "/event"]
  }
}

extension MQTTSettings {
  /// Other sections are the daemon's to read and to report.
  package init(file: String, mayBeMissing: Bool = false) throws {
    try self.init(
      Configuration(
        try ConfigurationFile.load(main: file, mayBeMissing: mayBeMissing),
        declared: Self.table.map(\.key)))
  }

  /// A wrong line is an error: without it positions or commands might go another way.
  package init(_ configuration: Configuration) throws(ConfigurationError) {
    self.init()
    for setting in Self.table { try setting.apply(configuration, to: &self) }
    guard (certificateFile == nil) == (keyFile == nil) else {
      let given = certificateFile == nil ? "KeyFile" : "CertFile"
      throw configuration.error(.scalar("MQTT", given), "CertFile= and KeyFile= go together")
    }
  }

  package static let table: [Setting<MQTTSettings>] = [
    Setting(
      "MQTT", "Broker", "mqtt://localhost",
      SettingForm("the URL of a broker") { try BrokerAddress(parsing: $0) }, to: \.broker),
    Setting("MQTT", "User", nil, .text) { $0.user = $1 },
    Setting("MQTT", "PasswordFile", nil, path) { $0.passwordFile = $1 },
    Setting("MQTT", "CAFile", nil, path) { $0.authoritiesFile = $1 },
    Setting("MQTT", "CertFile", nil, path) { $0.certificateFile = $1 },
    Setting("MQTT", "KeyFile", nil, path) { $0.keyFile = $1 },
    Setting("MQTT", "Prefix", "georemind", prefix, to: \.prefix),
    Setting("MQTT", "HomeAssistant", "yes", .flag, to: \.announcesEntities),
    Setting("MQTT", "DiscoveryPrefix", "homeassistant", prefix, to: \.discoveryPrefix),
    Setting(
      "MQTT", "OwnTracksIn", "owntracks/+/+",
      SettingForm("a filter of topics, or off") { text -> String?? in
        if text == "off" { return .some(nil) }
        guard TopicText.isFilter(text) else { return nil }
        return text
      }, to: \.ownTracksFilter),
    Setting(
      "MQTT", "PublishPosition", "no",
      SettingForm("no, places or yes") { Publication(rawValue: $0) }, to: \.published),
    Setting("MQTT", "Commands", "no", .flag, to: \.takesCommands),
  ]

  private static let path = SettingForm("an absolute path") { $0.hasPrefix("/") ? $0 : nil }

  private static let prefix = SettingForm("the beginning of a topic, without + and #") {
    TopicText.isPrefix($0) ? $0 : nil
  }
}
