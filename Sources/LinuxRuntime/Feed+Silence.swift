extension Feed {
  /// What silence means to a feed.
  private enum SilencePolicy {
    /// Nothing: a recording, or what somebody types.
    case ignore
    /// The peer may be gone without a word: connect anew.
    case reconnect
    /// There is nobody to connect to: say it and go on listening.
    case tell
    /// As `tell`, but the network may have come back without our membership of the group.
    case rejoin
  }

  private var silencePolicy: SilencePolicy {
    switch url {
    case .gpsd, .tcp: .reconnect
    case .serial, .unix: .tell
    case .udp(let host, let port, _):
      (try? SocketAddress(numeric: host, port: port))?.isMulticast == true ? .rejoin : .tell
    case .file, .standardInput: .ignore
    }
  }

  private var isGPSD: Bool {
    if case .gpsd = url { true } else { false }
  }

  /// Asks gpsd for its reports.
  func watchGPSD() {
    guard case .gpsd(_, _, let device) = url else { return }
    write(GPSDRequest.watch(device: device).utf8)
  }

  /// Starts to measure silence, from now at the earliest.
  func watchSilence() {
    isSilent = false
    guard state == .open, silenceTimeout > 0, !isPaused, silencePolicy != .ignore else {
      if state == .open { timer?.disarm() }
      return
    }
    timer?.arm(in: isGPSD ? silenceTimeout / 2 : silenceTimeout)
  }

  /// The timer is not moved with each arrival; it looks here how long ago the last one was.
  func checkSilence() {
    let now = loop.now(.bootTime)
    let silent = now - quietSince
    guard silent >= silenceTimeout else { return probe(after: silent, at: now) }
    let reason = "nothing came for \(silenceTimeout / 1_000_000) s"
    switch silencePolicy {
    case .ignore: break
    case .reconnect: lose(reason)
    case .tell:
      isSilent = true
      handlers.onSilence(reason)
    case .rejoin:
      handlers.onSilence(reason)
      if state == .open { reopen() }
    }
  }

  /// Asks gpsd for a sign of life after half the time, once for each silence.
  private func probe(after silent: Int64, at now: Int64) {
    var next = quietSince + silenceTimeout
    if isGPSD {
      // gpsd has no heartbeat and is rightly silent without a receiver, but it answers this. And it
      // refuses to watch a device that it does not have yet: asked again, it may have it.
      if silent < silenceTimeout / 2 {
        next = quietSince + silenceTimeout / 2
      } else if probedAfter != quietSince {
        probedAfter = quietSince
        watchGPSD()
      }
    }
    timer?.arm(at: max(next, now + 1))
  }
}
