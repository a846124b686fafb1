import LinuxRuntime

extension FeedURL {
  /// Reads one of the forms of `FeedScheme.all`. Anything half understood is refused.
  package init(parsing text: String) throws(FeedURLError) {
    let parts = try FeedURLParts(text)
    guard let scheme = FeedScheme.all.first(where: { $0.prefix == parts.prefix }) else {
      throw parts.error("has the unknown scheme '\(parts.name)'", "write \(FeedScheme.examples)")
    }
    self = try scheme.parse(parts)
    if recording == nil { try takeTimes(of: parts) }
    try takeChecksums(of: parts)
  }
}

/// The parts of a feed's URL, and the checks that several schemes make of them.
struct FeedURLParts {
  let text: String
  /// As in `FeedScheme.prefix`.
  let prefix: String
  /// The host and port, or nothing.
  let authority: Substring
  /// With its leading slash, still percent-encoded.
  let path: Substring
  let query: Substring?

  /// The scheme's name, for messages.
  var name: Substring { prefix.prefix { $0 != ":" } }

  init(_ text: String) throws(FeedURLError) {
    self.text = text
    let bytes = text.utf8
    let colon = bytes.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
    let slashes = text[colon...].hasPrefix("://")
    let start = bytes.index(colon, offsetBy: slashes ? 3 : 1, limitedBy: text.endIndex)
    let isInput = text == "-" || text.hasPrefix("-?")
    let rest = isInput ? text.dropFirst() : text[(start ?? text.endIndex)...]
    prefix = text[..<rest.startIndex].lowercased()
    guard slashes || FeedScheme.all.contains(where: { [prefix] in $0.prefix == prefix }) else {
      throw Self.error(
        text, "has no scheme",
        Self.withScheme(text).map { "did you mean '\($0)'?" } ?? "write \(FeedScheme.examples)")
    }
    guard !bytes.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
      throw Self.error(text, "holds a space or control character", "write %20 for a space")
    }
    guard !bytes.contains(UInt8(ascii: "#")) else {
      throw Self.error(text, "holds a '#'", "write %23 for it")
    }
    let mark = rest.firstIndex(of: "?")
    let locator = rest[..<(mark ?? rest.endIndex)]
    query = mark.map { rest[rest.index(after: $0)...] }
    let slash = locator.firstIndex(of: "/") ?? locator.endIndex
    authority = locator[..<slash]
    path = locator[slash...]
  }

  /// The feed that a device, a path, or a host with its port stands for.
  private static func withScheme(_ text: String) -> String? {
    let scheme =
      if text.hasPrefix("/dev/") {
        "serial://"
      } else if text.hasPrefix("/") {
        "file://"
      } else {
        text.hasSuffix(":2947") ? "gpsd://" : "tcp://"
      }
    guard text.contains("/") || text.contains(":") else { return nil }
    return (try? FeedURL(parsing: scheme + text)).map { _ in scheme + text }
  }

  // MARK: Host and port

  /// The host without brackets, and the text of the port behind it, if any.
  private func hostAndPort() throws(FeedURLError) -> (host: Substring, port: Substring?) {
    guard !authority.contains("@") else {
      throw error("holds a user name", "leave out the part before the '@'")
    }
    let host: Substring
    let rest: Substring
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else {
        throw error("has a '[' without a ']'", "write an IPv6 address as [::1]")
      }
      host = authority[authority.index(after: authority.startIndex)..<end]
      rest = authority[authority.index(after: end)...]
      guard host.contains(":") else {
        throw error("has no IPv6 address in its brackets", "write it as [::1]")
      }
    } else {
      let colon = authority.firstIndex(of: ":") ?? authority.endIndex
      host = authority[..<colon]
      rest = authority[colon...]
      guard rest.dropFirst().firstIndex(of: ":") == nil else {
        throw error("has more than one ':' in its host", "write an IPv6 address as [::1]")
      }
    }
    if rest.isEmpty { return (host, nil) }
    guard rest.hasPrefix(":") else {
      throw error("has '\(rest)' behind its host", "write a port as :10110")
    }
    return (host, rest.dropFirst())
  }

  func host() throws(FeedURLError) -> String {
    let host = try decoded(try hostAndPort().host)
    guard !host.isEmpty else { throw error("has no host", "write one, such as localhost") }
    // The last two are of an IPv6 address and its zone.
    let marks = authority.hasPrefix("[") ? "-._:%" : "-._"
    let isValid = host.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0))
    }
    guard isValid, host.utf8.count <= 253 else {
      throw error("has no valid host name", "write a name, an IPv4 address or [an IPv6 address]")
    }
    return host
  }

  /// Receiving needs an address of this machine or of a group, not a name that might mean another.
  func numericHost() throws(FeedURLError) -> String {
    let host = try hostAndPort().host.isEmpty ? "0.0.0.0" : host()
    guard (try? SocketAddress(numeric: host, port: 0)) != nil else {
      throw error(
        "names '\(host)' to receive at",
        "write an address: 0.0.0.0 for all interfaces, one of this machine, or a multicast group")
    }
    return host
  }

  func port(default standard: UInt16) throws(FeedURLError) -> UInt16 {
    guard let digits = try hostAndPort().port else { return standard }
    guard let port = UInt16(strict: digits), port > 0 else {
      throw error("has the port '\(digits)'", "write a number from 1 to 65535")
    }
    return port
  }

  // MARK: Path

  func refusePath() throws(FeedURLError) {
    guard path.isEmpty || path == "/" else {
      throw error("has a path, which \(name) does not know", "leave out '\(path)'")
    }
  }

  func localPath(limit: Int = 4095) throws(FeedURLError) -> String {
    guard authority.isEmpty || authority == "localhost" else {
      throw error(
        "names the host '\(authority)'", "write three slashes before a path: \(name):///…")
    }
    let path = try decoded(path)
    guard path.utf8.count > 1, !path.hasSuffix("/") else {
      throw error("names no file", "write \(name):///path")
    }
    guard path.utf8.count <= limit else {
      throw error("has a path longer than \(limit) bytes", "choose a shorter one")
    }
    return path
  }

  func decoded(_ part: Substring) throws(FeedURLError) -> String {
    var bytes: [UInt8] = []
    var rest = part.utf8
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      func digit() -> UInt8? {
        rest.popFirst().flatMap { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
      }
      guard let high = digit(), let low = digit() else {
        throw error("has a '%' without two hexadecimal digits", "write %25 for the sign itself")
      }
      bytes.append(high << 4 | low)
    }
    guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
      throw error("holds a NUL or is not UTF-8 once decoded", "write another name")
    }
    return text
  }

  // MARK: Query

  /// The settings of a live feed, and of a stream, which may be a recording as well.
  static let live = ["max-age"]
  static let stream = ["time", "max-age"]
  /// The setting of a source of sentences.
  static let sentences = ["checksum"]

  /// The settings behind '?', each known, unless nil, and given once.
  @discardableResult
  func settings(known: [String]? = nil) throws(FeedURLError) -> [String: String] {
    var settings: [String: String] = [:]
    guard let query else { return settings }
    for part in query.split(separator: "&", omittingEmptySubsequences: false) {
      let sign = part.firstIndex(of: "=") ?? part.endIndex
      let key = String(part[..<sign])
      if let known, !known.contains(key) {
        throw error(
          "has the unknown setting '\(key)'",
          "\(name) knows only '\(known.joined(separator: "' and '"))'")
      }
      let value = try decoded(part[sign...].dropFirst())
      guard !value.isEmpty else { throw error("has no value for '\(key)'", "write \(key)=…") }
      guard settings.updateValue(value, forKey: key) == nil else {
        throw error("sets '\(key)' twice", "write it once")
      }
    }
    return settings
  }

  func error(_ fault: String, _ remedy: String) -> FeedURLError {
    Self.error(text, fault, remedy)
  }

  private static func error(_ text: String, _ fault: String, _ remedy: String) -> FeedURLError {
    FeedURLError(description: "feed '\(text)' \(fault): \(remedy)")
  }
}

extension FixedWidthInteger {
  /// Decimal digits alone: no sign, no blank.
  init?(strict text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    self.init(text)
  }
}
