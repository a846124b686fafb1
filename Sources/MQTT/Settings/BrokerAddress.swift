/// A broker: `mqtt://host[:1883]`, or `mqtts://host[:8883]` for TLS.
package struct BrokerAddress: Equatable, Sendable, CustomStringConvertible {
  /// A name, or an address without the brackets of IPv6.
  package let host: String
  package let port: UInt16
  package let usesTLS: Bool

  package struct Objection: Error, CustomStringConvertible {
    package let description: String
  }

  package init(host: String, port: UInt16 = 1883, usesTLS: Bool = false) {
    self.host = host
    self.port = port
    self.usesTLS = usesTLS
  }

  package init(parsing text: String) throws(Objection) {
    let schemes: [(prefix: String, port: UInt16, usesTLS: Bool)] = [
      ("mqtt://", 1883, false), ("mqtts://", 8883, true),
    ]
    guard let scheme = schemes.first(where: { text.hasPrefix($0.prefix) }) else {
      throw Objection(description: "it must begin with mqtt:// or mqtts://")
    }
    var rest = text.dropFirst(scheme.prefix.count)
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    guard !rest.contains("@") else {
      throw Objection(description: "a name and password belong in User= and PasswordFile=")
    }
    var host = rest
    var digits: Substring?
    if rest.first == "[", let end = rest.firstIndex(of: "]") {
      host = rest[rest.index(after: rest.startIndex)..<end]
      let tail = rest[rest.index(after: end)...]
      guard tail.isEmpty || tail.first == ":" else {
        throw Objection(description: "a port follows ] with a colon")
      }
      if !tail.isEmpty { digits = tail.dropFirst() }
    } else if let colon = rest.firstIndex(of: ":") {
      host = rest[..<colon]
      digits = rest[rest.index(after: colon)...]
    }
    let isName = host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F }
    guard !host.isEmpty, host.utf8.count <= 253, isName else {
      throw Objection(description: "it has no host name")
    }
    self.host = String(host)
    usesTLS = scheme.usesTLS
    guard let digits else {
      port = scheme.port
      return
    }
    guard let number = UInt16(digits), number > 0 else {
      throw Objection(description: "a port is a number from 1 to 65535")
    }
    port = number
  }

  package var description: String {
    let host = host.contains(":") ? "[\(host)]" : host
    return "\(usesTLS ? "mqtts" : "mqtt")://\(host):\(port)"
  }
}
