import Configuration
import Testing

@testable import MQTT

@Suite struct MQTTSettingsTests {
  private func settings(_ text: String) throws -> MQTTSettings {
    try MQTTSettings(
      Configuration(
        [try ConfigurationFile.parse(text, path: "test.conf")],
        declared: MQTTSettings.table.map(\.key)))
  }

  @Test func settingsHaveDefaults() throws {
    #expect(try settings("[Feed]\nFeed=x\n") == MQTTSettings())
    let all = try settings(
      """
      [MQTT]
      Broker=mqtts://broker.example:8884
      User=boat
      PasswordFile=/p
      CAFile=/ca
      CertFile=/c
      KeyFile=/k
      Prefix=vessels/one
      HomeAssistant=no
      DiscoveryPrefix=ha
      OwnTracksIn=off
      PublishPosition=yes
      Commands=yes
      """)
    var expected = MQTTSettings()
    expected.broker = BrokerAddress(host: "broker.example", port: 8884, usesTLS: true)
    (expected.user, expected.passwordFile) = ("boat", "/p")
    (expected.authoritiesFile, expected.certificateFile, expected.keyFile) = ("/ca", "/c", "/k")
    (expected.prefix, expected.discoveryPrefix) = ("vessels/one", "ha")
    (expected.announcesEntities, expected.ownTracksFilter) = (false, nil)
    (expected.published, expected.takesCommands) = (.everything, true)
    #expect(all == expected)
  }

  @Test(arguments: [
    "Broker=host", "Broker=http://host", "Broker=mqtt://", "Broker=mqtt://host:0",
    "Broker=mqtt://host:65536", "Broker=mqtt://a b", "Broker=mqtt://me:secret@host",
    "Broker=mqtt://[::1]1883", "Prefix=a/+", "Prefix=#", "Prefix=a#b", "Prefix=/a", "Prefix=a/",
    "Prefix=a//b", "Prefix=$SYS", "DiscoveryPrefix=home+", "OwnTracksIn=a/#/b",
    "OwnTracksIn=own+/x", "HomeAssistant=maybe", "PublishPosition=2", "Commands=perhaps",
    "PasswordFile=secret", "CertFile=/c", "KeyFile=/k",
  ])
  func aWrongLineIsAnErrorWithItsPlace(line: String) throws {
    let error = #expect(throws: ConfigurationError.self) { try settings("[MQTT]\n\(line)\n") }
    #expect(error?.line == 2)
  }

  @Test(arguments: [
    ("mqtt://boat.local", "mqtt://boat.local:1883"), ("mqtts://h", "mqtts://h:8883"),
    ("mqtt://10.0.0.1:1884/", "mqtt://10.0.0.1:1884"),
    ("mqtt://[fe80::1]", "mqtt://[fe80::1]:1883"), ("mqtts://[::1]:9", "mqtts://[::1]:9"),
  ])
  func aBrokerHasAPort(text: String, whole: String) throws {
    #expect(try BrokerAddress(parsing: text).description == whole)
  }

  @Test(arguments: [("#", true), ("a/+/c", true), ("+", true), ("a/#", true), ("", false)])
  func filtersMayHaveWildcards(text: String, isFilter: Bool) {
    #expect(TopicText.isFilter(text) == isFilter)
  }
}
