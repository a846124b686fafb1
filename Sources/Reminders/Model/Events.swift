package import CivilTime
package import Departure
package import Geodesy
package import Geofencing
package import Positioning

/// An event for the engine, handled with the time at which it happens.
///
/// Reminders are boxed: events are copied several times, and most are fixes.
package enum Event: Sendable {
  /// A fix of the chosen receiver.
  case fix(Fix, from: FixOrigin = FixOrigin(feed: 0))
  /// `Engine.nextDeadline` has been reached.
  case tick
  /// A new reminder, or one read back from the store with its history.
  indirect case add(Reminder, History?)
  /// The user changed the reminder with this id; its history stays where it still applies.
  /// - Parameter follows: its place was changed, and it follows: nothing rings again by that.
  indirect case replace(Reminder, follows: Bool = false)
  case remove(id: String)
  /// The reminder as it was before a command that is taken back.
  indirect case restore(Reminder, History)
  /// Arms a done or fired reminder anew, with the first due time that counts now.
  indirect case reopen(Reminder)
  /// Completes the occurrence that has fired; before the first firing, the next one.
  case done(id: String)
  /// Completes the next occurrence, whatever has fired.
  case pop(id: String)
  case snooze(id: String, Snooze)
  /// The clock was set: the time since the last fix is measured anew.
  case clockSet
  /// The machine was asleep: as `clockSet`, but all the time that the clock shows has passed.
  case resumed
  /// Whether the clock is trusted; until then nothing that depends on it fires.
  case clockTrust(Bool)
  /// The system's time zone has changed: floating times are computed anew.
  case zone(TimeZoneRules)
  /// The places of a category, by rising number: the answer to `Effect.watch`.
  /// - Parameter isWhole: all of them; else `morePlaces` follow.
  case places(category: String, [NumberedPlace], isWhole: Bool = true)
  /// The next ones of them.
  case morePlaces(category: String, [NumberedPlace], isLast: Bool)
  /// Places that were added to a category, by rising number. Known ones are ignored.
  case newPlaces(category: String, [NumberedPlace])
  /// The place with this number was added, changed or, with nil, removed.
  case place(number: Int64, NumberedPlace?, category: String?)
  /// The answer to `Effect.route`.
  case routed(RouteAnswer)
  /// Erases the travel times learnt for this mode; nil for all modes.
  case forgetTrips(Reminder.Transport?)
  /// Something came from the tracker that is no position of the present.
  case heard
  /// One of several trackers came to, or left, the place of a reminder.
  indirect case moved(MemberMove)
  /// The trackers of a reminder about several are others, as `gather` has said.
  case regrouped(id: String)
  /// Erases the position, the track and the trips.
  case forgetPosition

  /// The id of the one reminder that a command changes; nil for any other event.
  package var changedReminder: String? {
    switch self {
    case .add(let reminder, _), .replace(let reminder, _), .restore(let reminder, _),
      .reopen(let reminder):
      reminder.id
    case .remove(let id), .done(let id), .pop(let id), .snooze(let id, _): id
    case .fix, .tick, .clockSet, .resumed, .clockTrust, .zone, .places, .morePlaces, .newPlaces,
      .place, .routed, .forgetTrips, .heard, .moved, .regrouped, .forgetPosition:
      nil
    }
  }
}

/// A place of the store, identified by its number.
package struct NumberedPlace: Equatable, Sendable {
  /// Its number in the store.
  package var number: Int64
  package var position: Coordinate
  /// Metres, 1…5 000 000.
  package var radius: Double
  /// The shape of a place that is no circle.
  package var area: Reminder.Area?

  package init(
    number: Int64, position: Coordinate, radius: Double, area: Reminder.Area? = nil
  ) {
    self.number = number
    self.position = position
    self.radius = radius
    self.area = area
  }
}

/// The end of a snooze.
package enum Snooze: Equatable, Sendable {
  case until(Instant)
  /// From now, or for a date that is not due yet from the time at which it would fire.
  case by(TimeSpan)
  case nextVisit
  /// Until its place, which holds the device, is left.
  case untilLeave
}

/// An action that the engine requests, in order.
package enum Effect: Equatable, Sendable {
  /// Store the history in the same transaction as the firings of the same event.
  case persist(id: String, History, Standing)
  case forget(id: String)
  /// Send the places of this category (`Event.places`) and later changes to them (`Event.place`).
  case watch(category: String)
  case fire(Firing)
  case say(Notice)
  /// Query the routing engine; the answer is `Event.routed`. Nothing waits for it.
  case route(RouteRequest)
  /// Store the travel times learnt from trips.
  case keep(TravelExperience)
}

/// A message to the user other than a firing.
package enum Notice: Equatable, Sendable {
  /// No usable fix for this long while a reminder depends on position.
  case positionLost(after: TimeSpan)
  case positionBack(after: TimeSpan)
  /// A reminder's `until` has passed without a firing.
  case expired(id: String, title: String)
  /// It is time to leave, and the device is at the place or on the way.
  /// - Parameter words: "at Pier", or "on the way to Pier, 4min early".
  case leaveSilent(id: String, title: String, words: String)
  /// Deadlines passed while the machine was off or asleep, apart from the firings themselves.
  case missed(Missed)
  /// The receiver's clock went back by this much and stayed there.
  case fixTimeSteppedBack(TimeSpan)
}

/// Summary of the deadlines that one event found missed.
package struct Missed: Equatable, Sendable {
  /// Fired late.
  package var reported: Int
  /// Older than `EngineSettings.skipOlderThan`, and therefore not fired.
  package var leftOut: Int
  /// When the first and the last of them were due.
  package var span: ClosedRange<Instant>

  package init(reported: Int, leftOut: Int, span: ClosedRange<Instant>) {
    self.reported = reported
    self.leftOut = leftOut
    self.span = span
  }
}

/// Settings of the engine; defaults as in the configuration manual.
package struct EngineSettings: Sendable {
  package var monitor = MonitorPolicy()
  package var travel = TravelEstimator()
  /// The share of trips that a travel time is to be long enough for, 0.5...0.99.
  package var punctuality = 0.85
  /// Whether a routing engine is configured.
  package var asksRoutes = false
  /// Whether the user's trips improve later travel estimates.
  package var learnsFromTrips = true
  /// Time without a fix after which the position is lost; the longest time span means never.
  package var positionLostAfter = TimeSpan.minutes(2)
  /// How long times to leave wait for the first fix of a run: the device may have moved since the
  /// last known one. Zero where no feed brings any.
  package var firstFixWait = TimeSpan.zero
  /// A date firing later than this is marked late.
  package var lateAfter = TimeSpan.seconds(2)
  /// A leaving time missed by more than this is marked late. A moving device's own estimate shifts
  /// by seconds from fix to fix.
  package var leaveLateAfter = TimeSpan.minutes(1)
  /// Age above which a missed firing is dropped; nil reports all.
  package var skipOlderThan: TimeSpan?
  /// Slack that must come back before a reminder says "leave" again.
  package var leaveAgainSlack = TimeSpan.minutes(10)
  /// Kinds of solution whose fixes are left out.
  package var excluded: [Fix.Solution] = []
  /// Whether a start takes a firing that is ahead of the clock for one of a clock that was wrong.
  /// Not so for a recording, which may be played again.
  package var correctsAtStart = true
  /// Whether the clock was set since the last run. If not, time that it shows has passed.
  package var wasClockSet = false
  /// The units of lengths in the text of firings and of `why`.
  package var units = LengthUnits.metric

  package init() {}

  /// Whether fixes from this source are accepted.
  package func accept(_ source: Fix.Source) -> Bool {
    guard !excluded.isEmpty, let solution = Fix.Solution(source) else { return true }
    return !excluded.contains(solution)
  }
}
