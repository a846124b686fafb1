extension FeedScheme {
  /// A server that sends NMEA 0183.
  static let tcp = FeedScheme(
    prefix: "tcp://", form: "tcp://host:10110", example: "tcp://host:port"
  ) { (parts) throws(FeedURLError) in
    try parts.settings(known: FeedURLParts.stream + FeedURLParts.sentences)
    try parts.refusePath()
    return .tcp(host: try parts.host(), port: try parts.port(default: FeedURL.nmeaPort))
  }
}

extension FeedURL {
  package static func tcp(host: String, port: UInt16) -> FeedURL {
    FeedURL(
      description: "tcp://\(authority(host, port))", opening: .host(host, port: port),
      silence: .reconnect, handover: .socket, longestWait: longestWait(host: host))
  }

  /// This machine costs nothing to try; a network is not to be filled with tries.
  static func longestWait(host: String) -> Int64 {
    ["localhost", "127.0.0.1", "::1"].contains(host) ? 10_000_000 : 60_000_000
  }
}
