import LinuxRuntime

extension Feed {
  /// Sends what the URL has for the other end, such as gpsd's request for reports.
  func greet() {
    if let greeting = url.greeting { write(greeting.utf8) }
  }

  /// Starts to measure silence, from now at the earliest.
  func watchSilence() {
    isSilent = false
    guard state == .open, silenceTimeout > 0, !isPaused, url.silence != .ignore else {
      if state == .open { timer?.disarm() }
      return
    }
    timer?.arm(in: url.greeting != nil ? silenceTimeout / 2 : silenceTimeout)
  }

  /// Compares the time with the last arrival, since arrivals do not move the timer.
  func checkSilence() {
    let now = loop.now(.bootTime)
    let silent = now - quietSince
    guard silent >= silenceTimeout else { return probe(after: silent, at: now) }
    let reason = "nothing came for \(silenceTimeout / 1_000_000) s"
    switch url.silence {
    case .ignore: break
    case .reconnect: lose(reason)
    case .report:
      isSilent = true
      handlers.onSilence(reason)
    case .rejoin:
      handlers.onSilence(reason)
      if state == .open { reopen() }
    }
  }

  /// Greets once more after half the time, once for each silence.
  private func probe(after silent: Int64, at now: Int64) {
    var next = quietSince + silenceTimeout
    if url.greeting != nil {
      if silent < silenceTimeout / 2 {
        next = quietSince + silenceTimeout / 2
      } else if probedAfter != quietSince {
        probedAfter = quietSince
        greet()
      }
    }
    timer?.arm(at: max(next, now + 1))
  }
}
