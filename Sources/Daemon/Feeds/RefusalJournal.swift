import LinuxRuntime

/// Reports to the journal who was refused, without filling it.
final class RefusalJournal {
  private let loop: EventLoop
  private let announcer: Announcer
  private var count = RefusalCount()
  private var timer: TimerSource?

  init(loop: EventLoop, announcer: Announcer) throws(SystemError) {
    self.loop = loop
    self.announcer = announcer
    timer = try loop.addTimer(.monotonic, accuracy: 1_000_000, priority: .background) {
      [unowned self] _ in reportSums(at: loop.now(.monotonic))
    }
  }

  deinit { timer?.close() }

  /// Reports the sums that are left.
  func stop() {
    reportSums(at: .max)
    timer?.close()
    timer = nil
  }

  /// - Parameters:
  ///   - message: names the refused user and the reason.
  ///   - reminder: the id of the reminder concerned.
  func report(
    _ message: @autoclosure () -> String, user: UInt32, process: Int32, _ sort: RefusalCount.Sort,
    reminder: String? = nil
  ) {
    guard count.note(user, sort, at: loop.now(.monotonic)) else { return }
    armTimer()
    announcer.write(
      message(), .warning, .clientRefused,
      fields: [
        "GEOREMIND_PEER_UID": "\(user)", "GEOREMIND_PEER_PID": "\(process)",
        "GEOREMIND_REMINDER_ID": reminder,
      ])
  }

  /// Whether an entry about a call of this user is written, and not counted alone.
  func permitsNews(of user: UInt32) -> Bool {
    defer { armTimer() }
    return count.note(user, .news, at: loop.now(.monotonic))
  }

  /// Logs the sums at the end of a minute or of the daemon.
  func reportSums(at now: Int64) {
    for sum in count.sums(at: now) {
      let who = sum.user.map { "user \($0)" } ?? "further users"
      let times = sum.count == 1 ? "once" : "\(sum.count) times"
      announcer.write(
        "\(Self.refused(sum.sort, who)) \(times) more within a minute", .warning, .clientRefused,
        fields: [
          "GEOREMIND_REFUSALS": "\(sum.count)",
          "GEOREMIND_PEER_UID": sum.user.map { "\($0)" },
        ])
    }
    armTimer()
  }

  private static func refused(_ sort: RefusalCount.Sort, _ who: String) -> String {
    switch sort {
    case .client: "Refused clients of \(who)"
    case .dropped: "Disconnected clients of \(who) that held too much memory,"
    case .change: "Refused \(who) to change reminders of others"
    case .news: "Left out entries about calls of \(who)"
    case .invalid: "Closed connections of \(who), whose messages are no calls,"
    }
  }

  private func armTimer() {
    if let end = count.nextEnd { timer?.arm(at: end) } else { timer?.disarm() }
  }
}
