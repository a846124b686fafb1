import LinuxRuntime

extension FeedScheme {
  /// A local address to receive at, or a multicast group to join, there on one interface; from all
  /// senders or from one.
  static let udp = FeedScheme(
    prefix: "udp://", form: "udp://0.0.0.0:10110", example: "udp://address:port"
  ) { (parts) throws(FeedURLError) in
    let settings = try parts.settings(
      known: ["interface", "from"] + FeedURLParts.stream + FeedURLParts.sentences)
    try parts.refusePath()
    var sender: IPAddress?
    if let text = settings["from"] {
      sender = IPAddress(parsing: text)
      guard sender != nil else {
        throw parts.error(
          "has no address in from=\(text)", "write the address of the sender: from=192.168.1.20")
      }
    }
    return .udp(
      host: try parts.numericHost(), port: try parts.port(default: FeedURL.nmeaPort),
      interface: settings["interface"], sender: sender)
  }
}

extension FeedURL {
  package static func udp(
    host: String, port: UInt16, interface: String?, sender: IPAddress? = nil
  ) -> FeedURL {
    let isGroup = (try? SocketAddress(numeric: host, port: port))?.isMulticast == true
    let settings = [
      interface.map { "interface=\(encode($0, keeping: ""))" }, sender.map { "from=\($0)" },
    ].compactMap { $0 }
    var url = FeedURL(
      description: "udp://\(authority(host, port))"
        + (settings.isEmpty ? "" : "?" + settings.joined(separator: "&")),
      opening: .call { (feed) throws(SystemError) in
        try feed.openDatagrams(host: host, port: port, interface: interface)
      },
      silence: isGroup ? .rejoin : .report, handover: .datagrams, longestWait: 10_000_000)
    url.sender = sender
    return url
  }
}
