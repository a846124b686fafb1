/// Whether Home Assistant listens, and the firings it may have missed.
///
/// It publishes `online` at its start and `offline` at its end, the latter also as its will. It
/// has no session at the broker, so a firing that is published meanwhile is lost for it.
package struct HomeAssistantPresence: Equatable, Sendable {
  private enum State: Sendable {
    case unknown
    case online
    case offline
  }

  private var state = State.unknown
  /// The firing behind this number is the first that it may have missed; nil if there is none.
  package private(set) var missedAfter: Int?

  package init() {}

  /// The connection to the broker is new: a change of the state may have been missed.
  package mutating func connected() {
    if state == .online { state = .unknown }
  }

  package mutating func published(_ seq: Int) {
    if state != .online { missedAfter = min(missedAfter ?? .max, seq - 1) }
  }

  /// - Parameter isRepeating: not all that it missed was sent again, or it had not subscribed yet.
  package mutating func wentOffline(isRepeating: Bool) {
    // It listened until now, whatever was known.
    if !isRepeating { missedAfter = nil }
    state = .offline
  }

  package mutating func cameOnline() { state = .online }

  package var isOnline: Bool { state == .online }

  /// It has started, and has not subscribed yet.
  package mutating func isStarting() { state = .unknown }

  /// Firings up to that number were sent again. They count only while it listens.
  package mutating func caughtUp(to seq: Int, isEnd: Bool) {
    if state == .online { missedAfter = isEnd ? nil : seq }
  }
}
