package import CivilTime
package import Departure
package import Geodesy
package import Geofencing
package import Positioning

/// What can happen to the engine. Every event comes with the time at which it happens.
///
/// A reminder is boxed: an event is copied a few times on its way, and most of them are fixes.
package enum Event: Sendable {
  /// A fix of the chosen receiver.
  case fix(Fix)
  /// `Engine.nextDeadline` has come, or the clock was set: look at what is due.
  case tick
  /// A new reminder, or one read back from the store with its progress.
  indirect case add(Reminder, Progress?)
  /// The reminder of this id was changed by the user; what it has gone through is kept where it
  /// fits.
  indirect case replace(Reminder)
  case remove(id: String)
  /// Completes the occurrence that has fired; before that, the one that comes next.
  case done(id: String)
  /// Completes the occurrence that comes next, whatever has fired.
  case pop(id: String)
  case snooze(id: String, Snooze)
  /// The clock was set: silences that were measured across the step mean nothing.
  case clockSet
  /// Whether the clock may be believed; until then nothing that depends on it fires.
  case clockTrust(Bool)
  /// The system's time zone has changed: floating times are computed anew.
  case zone(TimeZoneRules)
  /// All places of a category, in rising order of their numbers: the answer to `Effect.watch`, or
  /// more of them have changed than are worth telling one by one.
  case places(category: String, [NumberedPlace])
  /// The place of this number is now this one, of this category; nil where it is gone.
  case place(number: Int64, NumberedPlace?, category: String?)
  /// What came of `Effect.route`.
  case routed(RouteAnswer)
  /// What own trips by this mode have taught is to be forgotten; nil is all modes.
  case forgetTrips(Reminder.Transport?)
}

/// A place of the store as the engine knows it: by its number.
package struct NumberedPlace: Equatable, Sendable {
  /// Its number in the store.
  package var number: Int64
  package var position: Coordinate
  /// Metres, 1…5 000 000.
  package var radius: Double

  package init(number: Int64, position: Coordinate, radius: Double) {
    self.number = number
    self.position = position
    self.radius = radius
  }
}

/// Until when a reminder is put off.
package enum Snooze: Equatable, Sendable {
  case until(Instant)
  case nextVisit
}

/// What the engine wants done, in order.
package enum Effect: Equatable, Sendable {
  /// Keep this, in the same transaction as the firings of the same event.
  case persist(id: String, Progress)
  case forget(id: String)
  /// Reminders wait for places of this category: tell which there are (`Event.places`), and all
  /// that changes of them from now on (`Event.place`).
  case watch(category: String)
  case fire(Firing)
  case say(Notice)
  /// Ask the routing engine, and tell what came of it (`Event.routed`). Nothing waits for it.
  case route(RouteRequest)
  /// Keep what own trips have taught.
  case keep(TravelExperience)
}

/// What the engine has to tell beside firings.
package enum Notice: Equatable, Sendable {
  /// No usable fix for so long while a reminder depends on position.
  case positionLost(after: TimeSpan)
  case positionBack(after: TimeSpan)
  /// A reminder's `until` has passed without a firing.
  case expired(id: String, title: String)
  /// What came due while the machine was off or asleep, beside the firings themselves.
  case missed(Missed)
  /// The receiver's clock went back by so much and stays there.
  case fixTimeSteppedBack(TimeSpan)
}

/// Dates that could not be told in time, of one event.
package struct Missed: Equatable, Sendable {
  /// Fired late.
  package var reported: Int
  /// Older than what is to be told.
  package var leftOut: Int
  /// When the first and the last of them were due.
  package var span: ClosedRange<Instant>

  package init(reported: Int, leftOut: Int, span: ClosedRange<Instant>) {
    self.reported = reported
    self.leftOut = leftOut
    self.span = span
  }
}

/// Numbers of the engine; defaults as in the documentation of the configuration.
package struct EngineSettings: Sendable {
  package var monitor = MonitorPolicy()
  package var travel = TravelEstimator()
  /// Whether there is a routing engine to ask.
  package var asksRoutes = false
  /// Whether own trips are to teach how long the next ones take.
  package var learnsFromTrips = true
  /// No fix for this long is a lost position; the longest span of all is never.
  package var positionLostAfter = TimeSpan.minutes(2)
  /// A date firing later than this is a late one.
  package var lateAfter = TimeSpan.seconds(2)
  /// A leaving time missed by more than this is a late one: a moving device's own estimate shifts
  /// by seconds from fix to fix.
  package var leaveLateAfter = TimeSpan.minutes(1)
  /// What was missed by more than this is not told any more; nil tells everything.
  package var skipOlderThan: TimeSpan?
  /// Slack that must come back before a reminder that said "leave" says so again.
  package var leaveAgainSlack = TimeSpan.minutes(10)
  package var acceptsDeadReckoning = true
  package var acceptsManual = true
  package var acceptsSimulated = true
  /// So many fixes in a row that are older than the last one, and in order among themselves, are a
  /// receiver whose clock was set back.
  package var fixesToAcceptStepBack = 10

  package init() {}

  /// Whether they let fixes of this kind count.
  package func accept(_ source: Fix.Source) -> Bool {
    switch source {
    case .deadReckoning, .gnssDeadReckoning: acceptsDeadReckoning
    case .manual: acceptsManual
    case .simulated: acceptsSimulated
    case .unknown, .gnss, .differential, .rtkFixed, .rtkFloat, .surveyed, .precise: true
    }
  }
}
