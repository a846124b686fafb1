extension FeedScheme {
  /// A gpsd server, and one of its devices if not all are wanted.
  static let gpsd = FeedScheme(
    prefix: "gpsd://", form: "gpsd://host:2947[/dev/x]", example: "gpsd://host"
  ) { (parts) throws(FeedURLError) in
    try parts.settings(known: [])
    let device = try parts.decoded(parts.path)
    return .gpsd(
      host: try parts.host(), port: try parts.port(default: 2947),
      device: device.isEmpty || device == "/" ? nil : device)
  }
}

extension FeedURL {
  package static func gpsd(host: String, port: UInt16, device: String?) -> FeedURL {
    FeedURL(
      description: "gpsd://\(authority(host, port))\(device.map { encode($0) } ?? "")",
      opening: .host(host, port: port), silence: .reconnect, handover: .socket,
      longestWait: longestWait(host: host), greeting: watchRequest(device: device))
  }

  /// Asks gpsd for reports as JSON, of one device if one is named (gpsd_json(5)).
  ///
  /// gpsd has no heartbeat and is rightly silent without a receiver, but it answers this. And it
  /// refuses to watch a device that it does not have yet: asked again, it may have it.
  static func watchRequest(device: String?) -> String {
    let choice = device.map { ",\"device\":\"\(escape($0))\"" } ?? ""
    return "?WATCH={\"enable\":true,\"json\":true\(choice)}\n"
  }

  /// As RFC 8259, section 7, wants it inside quotes.
  private static func escape(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": result += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
