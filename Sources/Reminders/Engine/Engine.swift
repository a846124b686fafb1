package import CivilTime
import Containers
package import Departure
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
/// Invariants: each reminder has one slot, at most one timer and, while it waits for a place, one
/// fence, all with the same number. A reminder that is neither armed nor snoozed has no timer.
/// Exceptions: a preemptive reminder that may have to say "leave" again, and repetition until
/// acknowledged.
package struct Engine: ~Copyable, Sendable {
  /// Changes take effect at once; another policy of the monitor makes it begin anew.
  package var settings: EngineSettings {
    didSet {
      if settings.monitor != oldValue.monitor { rebuildMonitor() }
      departures.routes.isOn = settings.asksRoutes
      if settings.leaveAgainSlack != oldValue.leaveAgainSlack { departures.markOutdated() }
      arePacesOld =
        arePacesOld || settings.travel != oldValue.travel
        || settings.asksRoutes != oldValue.asksRoutes
    }
  }
  package internal(set) var zone: TimeZoneRules
  /// The last accepted fix.
  package internal(set) var lastFix: Fix?
  /// `lastFix` as given to the monitors; nil before the first fix of this run.
  var lastSample: PositionSample?
  /// The track of the accepted fixes.
  var motion = Motion()
  /// Arrival of `lastFix` by the clock of the events.
  package internal(set) var lastFixArrival: Instant?
  /// The receiver of `lastFix`.
  var receiver = FixOrigin(feed: 0)
  /// The last fix that was too inaccurate for the track, and its arrival.
  package internal(set) var coarseFix: (fix: Fix, arrival: Instant)?
  package internal(set) var isPositionLost = false
  /// Start of the wait for a fix: the arrival of the last one, or the first event of this run.
  var silentSince: Instant?
  /// Until when times to leave wait for the first fix of this run; nil for no wait.
  var firstFixBy: Instant?

  /// Whether the clock is trusted. In a replay it is: time is the recording's.
  package internal(set) var isClockTrusted = true
  /// The times of the events since the clock was last set; nil before the first.
  var clockRun: ClockRun?
  /// Slots whose deadline has passed by a clock not trusted yet.
  var held: Set<Int32> = []
  /// Whether this event sums up missed deadlines even if there is only one.
  var isCatchingUp = false
  /// Firings that were missed since the engine was last not behind: how many were reported,
  /// how many were too old, and when the first and the last were due.
  var missedCount = 0
  var leftOutCount = 0
  var missedSpan: ClosedRange<Instant>?
  /// Due times of missed firings that this event drops for their age.
  var leftOut: [Instant] = []

  var slots = ReminderTable()
  var timers = TimerHeap()
  /// The work of the present event.
  var turn = Turn()
  /// Slots that earlier turns left to evaluate, by due time.
  var backlog = TimerHeap()
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
  var trips = TripLog()
  /// Travel times learnt from trips.
  package internal(set) var experience = TravelExperience()
  /// Whether `experience` must be stored.
  var hasLearnt = false
  /// Whether the queues still use the speeds of earlier settings.
  var arePacesOld = false
  var monitor: FenceMonitor
  var fenceCount = 0
  /// The anchor watches, by slot.
  var anchors: [Int32: AnchorWatch] = [:]
  /// Slots marked `waiting`.
  var waiting: Set<Int32> = []
  /// Slots whose fence was added before its presence was known; may hold outdated entries.
  var undetermined: [Int32] = []
  /// One watch for each category and radius that reminders wait for.
  var watches: [CategoryWatch] = []
  /// Categories whose places must be requested.
  var unfilled: [String] = []
  var dirty: [Int32] = []
  var firings: [Firing] = []
  var notices: [Notice] = []
  var transitions: [Transition] = []
  /// Whether `lastFix` arrived without a time.
  var isLastTimeGuessed = false
  /// Compiler workaround (Swift 6.3): a member whose size is known at run time only keeps reads of
  /// this noncopyable struct from copying all of it.
  let copyPreventer: any Sendable = ()
  var setBackClock = SetBackClock()

  /// Whether the last fix is an implausible jump that the next one has to confirm.
  package var isFixInDoubt: Bool { monitor.isInDoubt }

  /// Number of unconfirmed jumps since the settings last changed.
  package var outlierCount: Int { monitor.outlierCount }

  package init(settings: EngineSettings = EngineSettings(), zone: TimeZoneRules) {
    self.settings = settings
    self.zone = zone
    monitor = FenceMonitor(policy: settings.monitor)
    departures = DepartureQueue(settings.travel)
    departures.routes.isOn = settings.asksRoutes
    arePacesOld = settings.asksRoutes
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
    case .add(let reminder, let progress): add(reminder, progress, at: now)
    case .replace(let reminder): replace(reminder, at: now)
    case .remove(let id): if remove(id) { effects.append(.forget(id: id)) }
    case .restore(let reminder, let progress): restore(reminder, progress, at: now)
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
    case .places(let category, let places): fill(category, with: places, at: now)
    case .place(let number, let place, let category):
      follow(placeNumber: number, place, in: category, at: now)
    case .routed(let answer): take(answer, at: now)
    case .forgetTrips(let transport): forgetTrips(by: transport, at: now)
    }
  }

  /// Prepares for an event at this time.
  mutating func begin(at now: Instant) {
    turn = Turn()
    if silentSince == nil { silentSince = now }
    if let silentSince, silentSince > now { restartSilence(at: now) }
    if arePacesOld {
      arePacesOld = false
      usePaces()
    }
  }

  /// Evaluates all deadlines after an event and appends the effects.
  mutating func end(at now: Instant, into effects: inout [Effect]) {
    decideHolds(at: now)
    if let latest = clockRun?.latest {
      clockRun?.latest = max(latest, now)
    } else {
      clockRun = ClockRun(now)
    }
    evaluateTimers(at: now)
    evaluateDepartures(at: now)
    workOffBacklog(at: now)
    behindSince = turn.isFull || !(backlog.isEmpty || isLoading) ? now : nil
    checkPosition(at: now)
    sumUpMissed()
    if !watches.isEmpty, watches.contains(where: \.listeners.isEmpty) {
      watches.removeAll(where: \.listeners.isEmpty)
    }
    conclude(into: &effects)
    askRoutes(at: now, into: &effects)
  }

  /// Time of the next `.tick`; nil where only a fix or a command can change anything. Complexity:
  /// O(1).
  package var nextDeadline: Instant? {
    if let behindSince { return behindSince }
    var soonest = positionDeadline?.microseconds ?? .max
    if let timer = timers.peek()?.deadline { soonest = min(soonest, timer) }
    if let leave = departures.deadline {
      let wait = lastSample == nil ? firstFixBy?.microseconds : nil
      soonest = min(soonest, max(leave, wait ?? leave))
    }
    if let hold = holdDeadline { soonest = min(soonest, hold.microseconds) }
    return soonest == .max ? nil : Instant(microseconds: soonest)
  }

  /// Appends the changes and firings of one event.
  private mutating func conclude(into effects: inout [Effect]) {
    for index in dirty where slots.marks(index).contains(.dirty) {
      slots.set(.dirty, false, index)
      guard var slot = slots.slot(index) else { continue }
      if case .floating = slot.reminder.due {
        slot.progress.occurrenceOffset = slot.progress.occurrence.map { zone.offset(at: $0) }
      }
      effects.append(.persist(id: slot.reminder.id, slot.progress))
    }
    if !dirty.isEmpty { dirty.removeAll(keepingCapacity: true) }
    if hasLearnt {
      hasLearnt = false
      effects.append(.keep(experience))
    }
    for category in unfilled { effects.append(.watch(category: category)) }
    if !unfilled.isEmpty { unfilled.removeAll() }
    // Popping from the end avoids copies.
    if firings.count > 1 {
      firings.sort(by: Self.firesBefore)
      firings.reverse()
    }
    while let firing = firings.popLast() { effects.append(.fire(firing)) }
    for notice in notices { effects.append(.say(notice)) }
    if !notices.isEmpty { notices.removeAll(keepingCapacity: true) }
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

  /// Restores the last fix of an earlier run: it serves travel times, and is no arrival anywhere.
  package mutating func remember(_ fix: Fix, from arrival: Instant) {
    guard lastFix == nil else { return }
    lastFix = fix
    lastFixArrival = arrival
    isLastTimeGuessed = false
    departures.follow(fix.position)
  }

  func slot(_ id: String) -> Slot? { slots.index(of: id).flatMap { slots.slot($0) } }

  /// Changes one slot in place and marks it for storing.
  mutating func change(_ index: Int32, _ body: (inout Progress) -> Void) {
    if slots.change(index, body) { markDirty(index) }
  }

  /// An instant of a stamp: a floating one in the system's zone.
  func resolve(_ stamp: TimeStamp) -> Instant { stamp.instant(in: zone) }
}
