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

  private static let listen = Setting<WebSettings>(
    "Web", "Listen", "127.0.0.1:8088",
    SettingForm("an address and a port, such as 192.168.1.5:8088 or [::]:8088") { Listener($0) },
    to: \.listener)

  package init() {}

  package func hasSameMap(as other: WebSettings) -> Bool {
    (hasPage, names, mapFile, attribution)
      == (other.hasPage, other.names, other.mapFile, other.attribution)
  }

  package static let table: [Setting<WebSettings>] = [
    listen,
    Setting("Web", "TokenFile", nil, .text) { $0.tokenFile = $1.isEmpty ? nil : $1 },
    Setting("Web", "Page", "no", .flag, to: \.hasPage),
    Setting("Web", "Name", nil, .text) {
      $0.names = $1.lowercased().split(separator: " ").map(String.init)
    },
    Setting("Map", "File", nil, .text) { $0.mapFile = $1.isEmpty ? nil : $1 },
    Setting("Map", "Attribution", nil, .text) { $0.attribution = $1.isEmpty ? nil : $1 },
  ]

  /// A wrong line is an error: it decides who may send.
  package init(file: String, mayBeMissing: Bool = false) throws {
    let configuration = Configuration(
      try ConfigurationFile.load(main: file, mayBeMissing: mayBeMissing),
      declared: Self.table.map(\.key))
    for setting in Self.table { try setting.apply(configuration, to: &self) }
    guard listener.isLoopback || tokenFile != nil else {
      throw configuration.error(
        Self.listen.key, "is open to other machines, and needs a token: set TokenFile=")
    }
  }
}
