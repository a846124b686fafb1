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
  /// The file of the token that phones may share: an absolute path, or the name of a credential of
  /// the service. Nil where each phone has its own.
  package var tokenFile: String?
  /// The address by which browsers and phones call it: `https://boat.example.org`, with no slash at
  /// the end; nil where it is the one of `listener`.
  package var address: String?
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

  /// Whether it is a scheme of HTTP, a host and perhaps a port, in 128 bytes.
  package static func isAddress(_ text: String) -> Bool {
    guard text.utf8.count <= 128,
      let scheme = ["http://", "https://"].first(where: { text.hasPrefix($0) })
    else { return false }
    let host = text.dropFirst(scheme.count)
    return host.first.map { $0 != ":" && $0 != "-" } ?? false
      && host.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "-.:[]".utf8.contains($0)
        }
      }
  }

  package func hasSameMap(as other: WebSettings) -> Bool {
    (hasPage, names, mapFile, attribution, onlineTiles, address)
      == (
        other.hasPage, other.names, other.mapFile, other.attribution, other.onlineTiles,
        other.address
      )
  }

  /// Whether no other machine can reach it, by a proxy or without.
  package var isLocal: Bool { address == nil && listener.isLoopback }

  package static let table: [Setting<WebSettings>] = [
    Setting(
      "Web", "Listen", "127.0.0.1:8088",
      SettingForm("an address and a port, such as 192.168.1.5:8088 or [::]:8088") { Listener($0) },
      to: \.listener),
    Setting("Web", "TokenFile", nil, .text) { $0.tokenFile = $1.isEmpty ? nil : $1 },
    Setting("Web", "Page", "no", .flag, to: \.hasPage),
    Setting("Web", "Name", nil, .text) {
      $0.names = $1.lowercased().split(separator: " ").map(String.init)
    },
    Setting(
      "Web", "Address", nil,
      SettingForm("an address without a path, such as https://boat.example.org") {
        isAddress($0) || $0.isEmpty ? $0 : nil
      }
    ) {
      let name = $1.lowercased().drop { $0 != "/" }.dropFirst(2).prefix { $0 != ":" }
      $0.address = $1.isEmpty ? nil : $1
      if !name.isEmpty { $0.names.append(String(name)) }
    },
    Setting("Map", "File", nil, .text) { $0.mapFile = $1.isEmpty ? nil : $1 },
    online,
    Setting("Map", "Attribution", nil, .text) { $0.attribution = $1.isEmpty ? nil : $1 },
  ]

  /// A wrong line is an error: it decides who may send.
  package init(file: String, mayBeMissing: Bool = false) throws {
    let configuration = Configuration(
      try ConfigurationFile.load(main: file, mayBeMissing: mayBeMissing),
      declared: Self.table.map(\.key))
    for setting in Self.table { try setting.apply(configuration, to: &self) }
    guard onlineTiles == nil || attribution != nil else {
      throw configuration.error(Self.online.key, "needs the authors of the tiles: set Attribution=")
    }
  }
}
