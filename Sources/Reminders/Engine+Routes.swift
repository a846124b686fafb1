package import CivilTime
import Geodesy
import Positioning

/// What is asked of a routing engine and what its answers change.
extension Engine {
  /// Appends the requests for the ways of those that are near their moment: one for each mode.
  mutating func askRoutes(at now: Instant, into effects: inout [Effect]) {
    guard leaves.routes.isOn else { return }
    for transport in Reminder.Transport.allCases {
      let request = leaves.routes.nextRequest(
        by: LeaveSchedule.mode(transport), transport, from: lastFix?.position, at: now
      ) { slots.place($0)?.position }
      if let request { effects.append(.route(request)) }
    }
  }

  /// An answer counts from now on: those it is about are looked at anew.
  mutating func take(_ answer: RouteAnswer, at now: Instant) {
    let travel = settings.travel
    let told = leaves.routes.take(answer, at: now) { index in
      slots.place(index)?.position
    } isPlausible: { seconds, metres, mode in
      let profile = travel.profile(of: Reminder.Transport.allCases[mode])
      return seconds >= metres / profile.topSpeed
        && seconds <= profile.longestBelieved(metres)
    }
    lookSoon(told, at: now)
  }

  /// After the clock was set back the estimate counts in place of what was answered later than it is now.
  mutating func forgetLaterRoutes(at now: Instant) {
    lookSoon(leaves.routes.forgetLater(than: now), at: now)
  }

  private mutating func lookSoon(_ indices: [Int32], at now: Instant) {
    let view = leaveView(at: now)
    for index in indices { leaves.lookSoon(index, view) }
  }

  /// How it goes with the routing engine, as far as answers tell.
  package struct RouteHealth: Equatable {
    package var answered: Int
    package var failed: Int
    /// Times in answers that cannot be.
    package var refused: Int
    package var lastAnswer: Instant?
    package var lastFailure: Instant?
    package var reason: String?
  }

  /// nil where there is none to ask.
  package var routeHealth: RouteHealth? {
    let routes = leaves.routes
    guard routes.isOn else { return nil }
    return RouteHealth(
      answered: routes.answered, failed: routes.failed, refused: routes.refused,
      lastAnswer: routes.lastAnswer, lastFailure: routes.lastFailure?.time,
      reason: routes.lastFailure?.reason)
  }
}
