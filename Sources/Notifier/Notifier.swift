package import Companion
import Control
import JSONText
package import LinuxRuntime

/// The notifier: firings from the daemon onto the screen, buttons back to the daemon.
package final class Notifier {
  private let follower: FiringFollower
  private let server: NotificationServer
  private let snooze: String
  private let snoozeLabel: String
  private let log: (ServiceLog.Level, String) -> Void
  private var board = NotificationBoard()
  /// Runs only while something is on the screen.
  private var checkTimer: TimerSource?
  private static let checkInterval: Int64 = 10_000_000

  /// - Parameters:
  ///   - snooze: the button's snooze time, as the daemon reads it.
  ///   - snoozeLabel: the button's text.
  package init(
    follower: FiringFollower, server: NotificationServer, loop: EventLoop, snooze: String,
    snoozeLabel: String, log: @escaping (ServiceLog.Level, String) -> Void
  ) throws(SystemError) {
    self.follower = follower
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
    follower.onFiring = { [unowned self] firing, isMissed in
      let notification = Notification(firing, snoozeLabel: snoozeLabel)
      let reminder = firing.reminderID
      handle(
        isMissed
          ? .missed(notification, reminder: reminder) : .fired(notification, reminder: reminder))
    }
    follower.onPassedOver = { [unowned self] count in
      log(.notice, "\(count) more firings were missed and are not shown; see 'georemind log'")
    }
    follower.onConnection = { [unowned self] in log(.info, "Connected to the daemon") }
    follower.onLoss = { [unowned self] reason in
      log(.warning, "No connection to the daemon, trying again: \(reason)")
    }
    server.onArrival = { [unowned self] in handle(.serverCame) }
    server.onDeparture = { [unowned self] in handle(.serverWent) }
    server.onClosing = { [unowned self] id in handle(.closed(id: id)) }
    server.onPress = { [unowned self] id, key in
      if let button = Notification.Button(rawValue: key) { handle(.pressed(id: id, button)) }
    }
    try server.start()
    follower.start()
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
    case .complete(let reminder): settle("Done", ["id": .string(reminder)], reminder)
    case .snooze(let reminder):
      settle("Snooze", ["id": .string(reminder), "until": .string(snooze)], reminder)
    case .check(let reminder):
      follower.call("Show", ["id": .string(reminder)]) { [unowned self] in
        switch $0 {
        case .success(let answer)?:
          let state = answer["reminder"]?["state"]?.string ?? ""
          handle(.checked(reminder: reminder, isOver: Self.isOver(state: state)))
        case .failure(let error)?:
          let isRemoved = GeoremindError(error) == .notFound(id: reminder)
          handle(.checked(reminder: reminder, isOver: isRemoved))
        // Rather notify than lose the firing.
        case nil: handle(.checked(reminder: reminder, isOver: false))
        }
      }
    }
  }

  /// A repeating reminder is armed again after each firing, so "armed" does not count.
  private static func isOver(state: String) -> Bool {
    state == "done" || state == "snoozed" || state == "expired"
  }

  private func settle(_ method: String, _ parameters: JSONObject, _ reminder: String) {
    follower.call(method, parameters) { [unowned self] in
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
