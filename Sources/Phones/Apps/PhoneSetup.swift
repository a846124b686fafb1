import Bytes
package import JSONText

/// The settings of one app for one phone.
package struct PhoneSetup: Equatable, Sendable {
  package let app: String
  /// Opens the app with its settings, where the app takes such a link.
  package var link: String?
  /// Names of settings and their values.
  package let fields: [[String]]

  /// The settings of all apps.
  /// - Parameters:
  ///   - address: of `georemind-web`, such as `http://192.168.1.5:8088`.
  ///   - name: of the phone.
  package static func all(address: String, name: String, token: String) -> [PhoneSetup] {
    let base = "\(address)/\(token)"
    return [
      PhoneSetup(
        app: "OwnTracks", link: ownTracksLink(address: address, name: name, token: token),
        fields: [
          ["Mode", "HTTP"], ["URL", "\(address)/pub"], ["User name", name], ["Password", token],
          ["Device ID", "phone"],
        ]),
      PhoneSetup(
        app: "Traccar Client",
        fields: [["Device identifier", name], ["Server URL", "\(base)/"]]),
      PhoneSetup(
        app: "OsmAnd",
        fields: [
          [
            "Online tracking web address",
            "\(base)/osmand?unit=mps&id=\(name)&lat={0}&lon={1}&timestamp={2}&accuracy={3}"
              + "&altitude={4}&speed={5}&bearing={6}",
          ]
        ]),
      PhoneSetup(
        app: "GPSLogger",
        fields: [["URL", "\(base)/gpslogger"], ["HTTP body", "%ALL"], ["HTTP method", "POST"]]),
    ]
  }

  /// For programs: `fields` has pairs, in their order.
  package var json: JSONObject {
    JSONObject([
      "app": .string(app), "link": link.map { .string($0) },
      "fields": .array(fields.map { .array($0.map { .string($0) }) }),
    ])
  }

  /// The page of the phone, which has the same settings and checks them.
  package static func page(address: String, token: String) -> String {
    "\(address)/phone/#\(token)"
  }

  /// A configuration in the link (owntracks.org/booklet/features/remoteconfig): mode 3 is HTTP, and
  /// the message's form is in owntracks.org/booklet/tech/json.
  static func ownTracksLink(address: String, name: String, token: String) -> String {
    let configuration: JSONObject = [
      "_type": "configuration", "mode": 3, "url": .string("\(address)/pub"), "auth": true,
      "username": .string(name), "password": .string(token), "deviceId": "phone",
      "tid": .string(String(name.suffix(2))),
    ]
    let text = Base64.encoded(Array(JSONValue.object(configuration).line.utf8))
    // Of the digits, these three mean something else in a query (RFC 3986, section 2.2).
    let quoted = ["+": "%2B", "/": "%2F", "=": "%3D"]
    return "owntracks:///config?inline=" + text.map { quoted[String($0)] ?? String($0) }.joined()
  }
}
