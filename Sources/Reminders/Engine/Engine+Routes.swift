package import CivilTime
import Departure
import Geodesy
import Positioning

/// Requests to a routing engine, and its answers.
extension Engine {
  /// Appends a request per mode for the reminders that approach their time to leave.
  mutating func askRoutes(at now: Instant, into effects: inout [Effect]) {
    guard departures.routes.isOn else { return }
    for transport in Reminder.Transport.allCases {
      let request = departures.routes.nextRequest(
        by: transport, from: lastFix?.position, at: now
      ) { slots.place($0)?.position }
      if let request { effects.append(.route(request)) }
    }
  }

  /// Applies an answer of the routing engine.
  mutating func take(_ answer: RouteAnswer, at now: Instant) {
    departures.take(answer, at: now) { index in
      slots.place(index)?.position
    }
  }

  /// Statistics of the routing engine's answers.
  package struct RouteHealth: Equatable {
    package var answered: Int
    package var failed: Int
    /// Travel times rejected as impossible.
    package var refused: Int
    package var lastAnswer: Instant?
    package var lastFailure: Instant?
    package var reason: String?
  }

  /// nil without a routing engine.
  package var routeHealth: RouteHealth? {
    let routes = departures.routes
    guard routes.isOn else { return nil }
    return RouteHealth(
      answered: routes.answered, failed: routes.failed, refused: routes.refused,
      lastAnswer: routes.lastAnswer, lastFailure: routes.lastFailure?.time,
      reason: routes.lastFailure?.reason)
  }
}
