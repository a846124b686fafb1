/// Section `[Web]` of `georemind.conf`: where phones send positions to, and where the map is.
package struct WebSettings: Equatable, Sendable {
  /// An address and a port of this machine.
  package struct Listener: Equatable, Sendable {
    /// Numeric, IPv6 without brackets.
    package let host: String
    package let port: UInt16

    package init(host: String, port: UInt16) {
      self.host = host
      self.port = port
    }

    /// `127.0.0.1:8088` or `[::1]:8088`.
    init?(_ text: String) {
      guard let colon = text.lastIndex(of: ":"),
        let port = UInt16(text[text.index(after: colon)...]), port > 0
      else { return nil }
      var host = text[..<colon]
      let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
      if isBracketed { host = host.dropFirst().dropLast() }
      let characters = isBracketed ? "0123456789abcdefABCDEF:." : "0123456789."
      guard !host.isEmpty, host.allSatisfy(characters.contains) else { return nil }
      self.init(host: String(host), port: port)
    }

    /// Whether only this machine can reach it.
    package var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }
  }

  package var listener = Listener(host: "127.0.0.1", port: 8088)
  /// An absolute path, or the name of a credential of the service; nil lets everybody send.
  package var tokenFile: String?
  /// Whether the map is served.
  package var hasPage = false
  /// Further names by which a browser may call it, in lower case.
  package var names: [String] = []
  /// The tiles below the map, an absolute path of an MBTiles file; nil for a grid.
  package var mapFile: String?
  /// The authors of the tiles, in place of the file's own text.
  package var attribution: String?
  /// Tiles that the browser fetches itself, where there is no file: an address with {z}, {x}, {y}.
  package var onlineTiles: String?

  private static let listen = Setting<WebSettings>(
    "Web", "Listen", "127.0.0.1:8088",
    SettingForm("an address and a port, such as 192.168.1.5:8088 or [::]:8088") { Listener($0) },
    to: \.listener)

  private static let online = Setting<WebSettings>(
    "Map", "Online", nil,
    SettingForm("an address https://HOST/PATH with {z}, {x} and {y}") { text in
      tileHost(text) != nil && ["{z}", "{x}", "{y}"].allSatisfy(text.contains) ? text : nil
    }, store: { $0.onlineTiles = $1 })

  /// The host of online tiles, for the policy of the page; nil for no such address.
  package static func tileHost(_ address: String) -> String? {
    let scheme = "https://"
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:"
    guard address.hasPrefix(scheme), let slash = address.dropFirst(8).firstIndex(of: "/"),
      address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C })
    else { return nil }
    let host = address[..<slash].dropFirst(scheme.count)
    return !host.isEmpty && host.allSatisfy(plain.contains) ? String(host) : nil
  }

  package init() {}

  package func hasSameMap(as other: WebSettings) -> Bool {
    (hasPage, names, mapFile, attribution, onlineTiles)
      == (other.hasPage, other.names, other.mapFile, other.attribution, other.onlineTiles)
  }

  package static let table: [Setting<WebSettings>] = [
    listen,
    Setting("Web", "TokenFile", nil, .text) { $0.tokenFile = $1.isEmpty ? nil : $1 },
    Setting("Web", "Page", "no", .flag, to: \.hasPage),
    Setting("Web", "Name", nil, .text) {
      $0.names = $1.lowercased().split(separator: " ").map(String.init)
    },
    Setting("Map", "File", nil, .text) { $0.mapFile = $1.isEmpty ? nil : $1 },
    online,
    Setting("Map", "Attribution", nil, .text) { $0.attribution = $1.isEmpty ? nil : $1 },
  ]

  /// A wrong line is an error: it decides who may send.
  package init(file: String) throws {
    let configuration = Configuration(
      try ConfigurationFile.load(main: file), declared: Self.table.map(\.key))
    for setting in Self.table { try setting.apply(configuration, to: &self) }
    guard listener.isLoopback || tokenFile != nil else {
      throw configuration.error(
        Self.listen.key, "is open to other machines, and needs a token: set TokenFile=")
    }
    guard onlineTiles == nil || attribution != nil else {
      throw configuration.error(Self.online.key, "needs the authors of the tiles: set Attribution=")
    }
  }
}
