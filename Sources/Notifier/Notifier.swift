package import Companion
import Control
import Glibc
import JSONText
package import LinuxRuntime

/// The notifier: firings from the daemon onto the screen, buttons back to the daemon.
package final class Notifier {
  private let session: DaemonSession
  private let follower: FiringFollower
  private let server: NotificationServer
  private let snooze: String
  private let snoozeLabel: String
  private let log: (ServiceLog.Level, String) -> Void
  private var board = NotificationBoard()
  /// Runs only while something is on the screen.
  private var checkTimer: TimerSource?
  private static let checkInterval: Int64 = 10_000_000
  /// Limit of missed firings that are shown.
  private static let maximumMissed = 20

  /// - Parameters:
  ///   - snooze: the button's snooze time, as the daemon reads it.
  ///   - snoozeLabel: the button's text.
  package init(
    session: DaemonSession, server: NotificationServer, loop: EventLoop, snooze: String,
    snoozeLabel: String, log: @escaping (ServiceLog.Level, String) -> Void
  ) throws(SystemError) {
    self.session = session
    follower = try FiringFollower(
      session: session, loop: loop, name: "notify-\(geteuid())", backlog: Self.maximumMissed)
    self.server = server
    self.snooze = snooze
    self.snoozeLabel = snoozeLabel
    self.log = log
    checkTimer = try loop.addTimer(.monotonic, accuracy: 2_000_000) { [unowned self] _ in
      handle(.tick)
      if board.isShowing { checkTimer?.arm(in: Self.checkInterval) }
    }
  }

  package func start() throws(SystemError) {
    follower.addressee = .own()
    follower.readsTogether = true
    follower.onFiring = { [unowned self] firing, isMissed, done in
      let notification = Notification(firing, snoozeLabel: snoozeLabel)
      // Ids have no white space: the board knows several by one key.
      let reminder = firing.reminderIDs.joined(separator: " ")
      guard !reminder.isEmpty else { return show(notification, of: firing, done) }
      handle(
        isMissed
          ? .missed(notification, reminder: reminder) : .fired(notification, reminder: reminder))
      done(.delivered)
    }
    follower.onReport = { [unowned self] in
      guard case .passedOver(let count) = $0 else { return }
      log(.notice, "\(count) more firings were missed and are not shown; see 'georemind log'")
    }
    follower.onRefusal = { [unowned self] in
      log(.error, "The daemon refuses this destination, trying again: \($0)")
    }
    session.report(to: log)
    server.onArrival = { [unowned self] in handle(.serverCame) }
    server.onDeparture = { [unowned self] in handle(.serverWent) }
    server.onClosing = { [unowned self] id in handle(.closed(id: id)) }
    server.onPress = { [unowned self] id, key in
      if let button = Notification.Button(rawValue: key) { handle(.pressed(id: id, button)) }
    }
    try server.start()
    follower.start()
    session.start()
  }

  /// A firing of no reminder: it has no buttons, and the board does not follow it.
  private func show(
    _ notification: Notification, of firing: FiringNotice, _ done: @escaping FiringFollower.Done
  ) {
    server.show(notification, replacing: 0) { id in
      done(id == nil ? .failed("the desktop shows no notifications") : .delivered)
    }
  }

  private func handle(_ event: NotificationBoard.Event) {
    for effect in board.handle(event) { carryOut(effect) }
    if board.isShowing, checkTimer?.isEnabled == false { checkTimer?.arm(in: Self.checkInterval) }
  }

  private func carryOut(_ effect: NotificationBoard.Effect) {
    switch effect {
    case .show(let notification, let reminder, let replacing):
      server.show(notification, replacing: replacing) { [unowned self] id in
        handle(id.map { .shown(reminder: reminder, id: $0) } ?? .notShown(reminder: reminder))
      }
    case .close(let id): server.close(id)
    case .complete(let reminder): settle("Done", ["rung": true], reminder)
    case .snooze(let reminder): settle("Snooze", ["until": .string(snooze)], reminder)
    case .check(let reminder): check(Self.ids(reminder)[...], of: reminder)
    }
  }

  /// The ids of a key of the board.
  private static func ids(_ key: String) -> [String] { key.split(separator: " ").map(String.init) }

  /// Finds out whether all are over.
  private func check(_ ids: ArraySlice<String>, of reminder: String) {
    guard let id = ids.first else { return handle(.checked(reminder: reminder, isOver: true)) }
    session.call("Show", ["id": .string(id)]) { [unowned self] in
      let isOver =
        switch $0 {
        case .success(let answer)?: answer["reminder"]?.object.map(Self.isOver) ?? false
        case .failure(let error)?: GeoremindError(error) == .notFound(id: id)
        // Rather notify than lose the firing.
        case nil: false
        }
      if isOver {
        check(ids.dropFirst(), of: reminder)
      } else {
        handle(.checked(reminder: reminder, isOver: false))
      }
    }
  }

  /// Whether its firing is settled: the reminder was completed or snoozed, or has expired.
  static func isOver(_ reminder: JSONObject) -> Bool {
    let state = reminder["state"]?.string ?? ""
    return ["done", "snoozed", "expired"].contains(state)
      || reminder["unacknowledged"]?.bool != true
  }

  private func settle(_ method: String, _ members: JSONObject, _ reminder: String) {
    let ids = Self.ids(reminder).map { JSONValue.string($0) }
    var parameters = members
    parameters["id"] = ids.first
    if ids.count > 1 { parameters["also"] = .array(Array(ids.dropFirst())) }
    session.call(method, parameters) { [unowned self] in
      switch $0 {
      case .success?: handle(.settled(reminder: reminder, problem: nil))
      case .failure(let error)?:
        let known = GeoremindError(error)
        if case .wrongState? = known {
          return handle(.settled(reminder: reminder, problem: nil))
        }
        problem("\(method) was refused: \(error)", reminder)
      case nil: problem("\(method): the daemon cannot be reached", reminder)
      }
    }
  }

  private func problem(_ text: String, _ reminder: String) {
    log(.warning, text)
    handle(.settled(reminder: reminder, problem: text))
  }
}
