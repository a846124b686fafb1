import LinuxRuntime

extension FeedScheme {
  /// A local address to receive at, or a multicast group to join, there on one interface.
  static let udp = FeedScheme(
    prefix: "udp://", form: "udp://0.0.0.0:10110", example: "udp://address:port"
  ) { (parts) throws(FeedURLError) in
    let interface = try parts.settings(known: ["interface"])["interface"]
    try parts.refusePath()
    return .udp(
      host: try parts.numericHost(), port: try parts.port(default: FeedURL.nmeaPort),
      interface: interface)
  }
}

extension FeedURL {
  package static func udp(host: String, port: UInt16, interface: String?) -> FeedURL {
    let isGroup = (try? SocketAddress(numeric: host, port: port))?.isMulticast == true
    return FeedURL(
      description: "udp://\(authority(host, port))"
        + (interface.map { "?interface=\(encode($0, keeping: ""))" } ?? ""),
      opening: .call { (feed) throws(SystemError) in
        try feed.openDatagrams(host: host, port: port, interface: interface)
      },
      silence: isGroup ? .rejoin : .report, handover: .datagrams, longestWait: 10_000_000)
  }
}
