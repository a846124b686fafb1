import Glibc
import LinuxRuntime

/// GeoClue as a feed: each location becomes a line of gpsd JSON in a socket, which the feed reads.
extension Feed {
  /// How long a client waits for the agent before it is made anew, in microseconds: a user may be
  /// about to answer the agent's question.
  static let agentTimeout: Int64 = 300_000_000

  func beginGeoClue() throws(SystemError) {
    var output: Descriptor?
    geoClue = try GeoClueClient(
      address: options.systemBus, loop: loop,
      onStart: { [unowned self] in
        var ends: [Int32] = [-1, -1]
        // Each packet is a line, and is taken whole or not at all.
        let type = SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        guard socketpair(AF_UNIX, Int32(type), 0, &ends) == 0 else {
          return lose(SystemError.last("make a pair of sockets").description)
        }
        output = Descriptor(ends[1])
        opened(FeedChannel(Descriptor(ends[0]), .input))
      },
      onLocation: { [unowned self] location in
        // A new client first gets the last location again, however old.
        if let time = location.time {
          guard time > lastLocation else { return }
          lastLocation = time
        }
        guard let output else { return }
        let line = Array(location.report.utf8)
        _ = line.withUnsafeBytes {
          Glibc.send(output.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
      },
      onFailure: { [unowned self] in timer?.arm(in: 0) })
    timer?.arm(in: options.connectTimeout)
  }

  /// The client has failed, or has not been permitted in time.
  func geoClueTimeIsUp(_ client: GeoClueClient) {
    if let reason = client.failure { return lose(reason) }
    guard client.isAuthorizing else {
      // GeoClue 2.6 makes no client before there is an agent.
      return lose(Self.agentMissing + ", or see whether geoclue.service runs")
    }
    guard !client.isWaitReported else { return lose(Self.agentMissing) }
    client.isWaitReported = true
    timer?.arm(in: Self.agentTimeout)
    handlers.onSilence(Self.agentMissing)
  }

  private static let agentMissing =
    "GeoClue waits for an agent: log in to a desktop, or start "
    + "/usr/libexec/geoclue-2.0/demos/agent"
}
