package import CivilTime
import Containers
import Departure
import Geodesy
import Geofencing
package import Positioning

/// Decides which reminder fires when.
///
/// The engine is pure: an event goes in with its time, effects come out. It reads no clock, file or
/// journal, so a replayed recording gives the results of the live run. After each event the owner
/// reads `nextDeadline` and sends `.tick` when it is reached.
///
/// Firings of one event are ordered: departures first, then by due time, priority and id.
///
/// The state of a reminder is its past (`History`), and its next step is a pure function of that
/// (`Schedule.plan`). After each event on a reminder the engine makes its plan anew.
///
/// Invariants: each reminder has one slot, at most one timer and, while it is armed or snoozed for
/// a place, one fence, all with the same number.
package struct Engine: ~Copyable, Sendable {
  /// Changes take effect at once; another policy of the monitor makes it begin anew.
  package var settings: EngineSettings {
    didSet {
      if settings.monitor != oldValue.monitor { rebuildMonitor() }
      if settings.asksRoutes != oldValue.asksRoutes {
        departures.routes.isOn = settings.asksRoutes
        departures.markOutdated()
      }
      departures.again = settings.leaveAgainSlack
      if settings.travel != oldValue.travel || settings.punctuality != oldValue.punctuality {
        usePredictor()
      }
    }
  }
  package internal(set) var zone: TimeZoneRules
  /// The fixes that have arrived.
  var reception = Reception()
  /// The track of the accepted fixes.
  var motion = Motion()

  /// Whether the clock is trusted. In a replay it is: time is the recording's.
  package internal(set) var isClockTrusted = true
  /// The times of the events since the clock was last set; nil before the first.
  var clockRun: ClockRun?
  /// Slots whose deadline has passed by a clock not trusted yet.
  var held: Set<Int32> = []
  var missed = MissedFirings()

  var slots = ReminderTable()
  var timers = TimerHeap()
  /// The work of the present event.
  var turn = Turn()
  /// Slots that earlier turns left to evaluate, by due time.
  var backlog = TimerHeap()
  /// By owner.
  var shares: [UInt32: Share] = [:]
  /// The time of the last event, if it left something to do.
  var behindSince: Instant?
  /// Whether reminders are being loaded; firings that were missed wait for the end.
  var isLoading = false
  /// The next loaded slot to start.
  var loadedSlot: Int32 = 0
  /// Preemptive reminders by the earliest time at which they may have to say "leave".
  var departures: DepartureQueue
  /// The last jump of the position that more than one fix has borne out; nil before, and after one
  /// back.
  var excursion: Excursion?
  var learning = TripLearning()
  var monitor: FenceMonitor
  var fenceCount = 0
  /// The anchor watches, by slot.
  var anchors: [Int32: AnchorWatch] = [:]
  /// Slots that wait for a silence.
  var silences: Set<Int32> = []
  /// The trackers of reminders about several, by the reminder's id.
  var groups: [String: MemberGroup] = [:]
  /// Slots marked `waiting`.
  var waiting: Set<Int32> = []
  /// Slots whose fence was added before its presence was known; may hold outdated entries.
  var undetermined: [Int32] = []
  /// One watch for each category and radius that reminders wait for.
  var watches: [CategoryWatch] = []
  /// The numbers of each category's watches.
  var watchNumbers: [String: [Int]] = [:]
  /// Watches that may have lost their last reminder in this event.
  var idleWatches: [CategoryWatch.Key] = []
  var outcome = Outcome()
  var transitions: [Transition] = []
  /// Compiler workaround (Swift 6.3): a member whose size is known at run time only keeps reads of
  /// this noncopyable struct from copying all of it.
  let copyPreventer: any Sendable = ()

  /// Whether the last fix is an implausible jump that the next one has to confirm.
  package var isFixInDoubt: Bool { monitor.isInDoubt }

  /// Number of unconfirmed jumps since the settings last changed.
  package var outlierCount: Int { monitor.outlierCount }

  package init(settings: EngineSettings = EngineSettings(), zone: TimeZoneRules) {
    self.settings = settings
    self.zone = zone
    monitor = FenceMonitor(policy: settings.monitor)
    departures = DepartureQueue(
      TravelPredictor(settings.travel, punctuality: settings.punctuality))
    departures.routes.isOn = settings.asksRoutes
    departures.again = settings.leaveAgainSlack
  }

  // MARK: - Events

  /// Handles one event at its time and appends the effects, in order.
  /// Complexity of a fix far from every boundary and deadline: O(1).
  package mutating func handle(_ event: Event, at now: Instant, into effects: inout [Effect]) {
    begin(at: now)
    take(event, at: now, into: &effects)
    end(at: now, into: &effects)
  }

  /// Handles several events of one moment as one.
  package mutating func handle(_ events: [Event], at now: Instant, into effects: inout [Effect]) {
    begin(at: now)
    for event in events { take(event, at: now, into: &effects) }
    end(at: now, into: &effects)
  }

  private mutating func take(_ event: Event, at now: Instant, into effects: inout [Effect]) {
    switch event {
    case .fix(let fix, let origin): take(fix, from: origin, at: now)
    case .tick: break
    case .add(let reminder, let history): add(reminder, history, at: now)
    case .replace(let reminder, let follows): replace(reminder, follows: follows, at: now)
    case .remove(let id):
      groups[id] = nil
      if remove(id) { effects.append(.forget(id: id)) }
    case .restore(let reminder, let history): restore(reminder, history, at: now)
    case .reopen(let reminder): reopen(reminder, at: now)
    case .done(let id): complete(id, at: now)
    case .pop(let id): complete(id, isPop: true, at: now)
    case .resumed: clockJumped(to: now)
    case .clockSet:
      clockJumped(to: now)
      correctReminders(after: clockRun, at: now)
      clockRun = ClockRun(now)
    case .clockTrust(let isTrusted): trustClock(isTrusted, at: now)
    case .snooze(let id, let snooze): put(off: id, snooze, at: now)
    case .zone(let zone): change(to: zone, at: now)
    case .places(let category, let places, let isWhole):
      fill(category, with: places, isWhole: isWhole, at: now)
    case .morePlaces(let category, let places, let isLast):
      fillMore(category, with: places, isLast: isLast, at: now)
    case .newPlaces(let category, let places): extend(category, by: places)
    case .place(let number, let place, let category):
      follow(placeNumber: number, place, in: category, at: now)
    case .routed(let answer): take(answer, at: now)
    case .forgetTrips(let transport): forgetTrips(by: transport, at: now)
    case .heard: hear(at: now)
    case .moved(let move): follow(move, at: now)
    case .regrouped(let id): regroup(id, at: now)
    case .forgetPosition: forgetPosition(at: now)
    }
  }

  /// Prepares for an event at this time.
  mutating func begin(at now: Instant) {
    turn = Turn()
    if reception.silentSince == nil { (reception.silentSince, reception.runSince) = (now, now) }
    if let since = reception.silentSince, since > now { restartSilence(at: now) }
  }

  /// Evaluates all deadlines after an event and appends the effects.
  mutating func end(at now: Instant, into effects: inout [Effect]) {
    if let latest = clockRun?.latest {
      clockRun?.latest = max(latest, now)
    } else {
      clockRun = ClockRun(now)
    }
    evaluateShares(at: now)
    evaluateTimers(at: now)
    evaluateDepartures(at: now)
    if workOffBacklog(at: now) {
      evaluateTimers(at: now)
      evaluateDepartures(at: now)
    }
    behindSince = turn.isFull || !(backlog.isEmpty || isLoading) ? now : nil
    checkPosition(at: now)
    sumUpMissed()
    if !idleWatches.isEmpty { removeIdleWatches() }
    conclude(into: &effects)
    askRoutes(at: now, into: &effects)
  }

  /// Time of the next `.tick`; nil where only a fix or a command can change anything. Complexity:
  /// O(1).
  package var nextDeadline: Instant? {
    if let behindSince { return behindSince }
    var soonest = positionDeadline?.microseconds ?? .max
    if let timer = timers.peek()?.deadline { soonest = min(soonest, timer) }
    if let share = shareDeadline { soonest = min(soonest, share.microseconds) }
    if let leave = departures.deadline {
      let wait = reception.sample == nil ? reception.firstFixBy?.microseconds : nil
      soonest = min(soonest, max(leave, wait ?? leave))
    }
    return soonest == .max ? nil : Instant(microseconds: soonest)
  }

  /// Appends the changes and firings of one event.
  private mutating func conclude(into effects: inout [Effect]) {
    for index in outcome.dirty where slots.marks(index).contains(.dirty) {
      slots.set(.dirty, false, index)
      guard let slot = slots.slot(index) else { continue }
      effects.append(.persist(id: slot.reminder.id, slot.history, slots.standing(index)))
    }
    if !outcome.dirty.isEmpty { outcome.dirty.removeAll(keepingCapacity: true) }
    if learning.hasLearnt {
      learning.hasLearnt = false
      effects.append(.keep(learning.experience))
    }
    for category in outcome.unfilled { effects.append(.watch(category: category)) }
    if !outcome.unfilled.isEmpty { outcome.unfilled.removeAll() }
    // Popping from the end avoids copies.
    if outcome.firings.count > 1 {
      outcome.firings.sort(by: Self.firesBefore)
      outcome.firings.reverse()
    }
    while let firing = outcome.firings.popLast() { effects.append(.fire(firing)) }
    for notice in outcome.notices { effects.append(.say(notice)) }
    if !outcome.notices.isEmpty { outcome.notices.removeAll(keepingCapacity: true) }
  }

  static func firesBefore(_ a: Firing, _ b: Firing) -> Bool {
    let left = order(a)
    let right = order(b)
    return left == right ? a.reminderID < b.reminderID : left < right
  }

  private static func order(_ firing: Firing) -> (Int, Int64, Int) {
    (
      firing.event == .depart ? 0 : 1, firing.due?.microseconds ?? .max,
      firing.priority == 0 ? 10 : firing.priority
    )
  }

  // MARK: - State

  /// The changes and messages of the present event.
  struct Outcome: Sendable {
    /// Slots to store.
    var dirty: [Int32] = []
    /// Categories whose places must be requested.
    var unfilled: [String] = []
    var firings: [Firing] = []
    var notices: [Notice] = []
  }

  /// Restores the last fix of an earlier run: it serves travel times, and is no arrival anywhere.
  package mutating func remember(_ fix: Fix, from arrival: Instant) {
    guard lastFix == nil else { return }
    reception.fix = fix
    reception.arrival = arrival
    reception.isTimeGuessed = false
    departures.follow(fix.position)
  }

  func slot(_ id: String) -> Slot? { slots.index(of: id).flatMap { slots.slot($0) } }

  /// Changes one slot in place and marks it for storing.
  mutating func change(_ index: Int32, _ body: (inout History) -> Void) {
    if slots.change(index, body) { markDirty(index) }
  }

  /// An instant of a stamp: a floating one in the system's zone.
  func resolve(_ stamp: TimeStamp) -> Instant { stamp.instant(in: zone) }
}
