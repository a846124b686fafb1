import JSONText

extension FeedScheme {
  /// A gpsd server, and one of its devices if not all are wanted.
  static let gpsd = FeedScheme(
    prefix: "gpsd://", form: "gpsd://host:2947[/dev/x]", example: "gpsd://host"
  ) { (parts) throws(FeedURLError) in
    try parts.settings(known: FeedURLParts.stream)
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

  /// Asks gpsd for JSON reports, of one device if named (gpsd_json(5)).
  ///
  /// gpsd has no heartbeat and is silent without a receiver, but it answers this request. A device
  /// that it refused may exist at the next request.
  static func watchRequest(device: String?) -> String {
    let choice = device.map { ",\"device\":\(JSONValue.string($0).line)" } ?? ""
    return "?WATCH={\"enable\":true,\"json\":true\(choice)}\n"
  }
}
