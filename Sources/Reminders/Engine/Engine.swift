package import CivilTime
import Containers
package import Departure
import Geodesy
import Geofencing
package import Positioning

/// The machine that decides what fires when.
///
/// It is pure: a fix, a command or the time goes in with the moment it happens, and out comes what
/// is to be kept and told. It knows no clock, no file and no journal, so a recording replayed gives
/// what the live run gave. After each event the owner reads `nextDeadline` and comes back with
/// `.tick` when it is reached.
///
/// Within one event departures come before all else, then by due time, priority and id.
///
/// Invariants: each reminder has one slot, at most one timer and, while it waits for a place, one
/// fence, all of the same number; a reminder that is neither armed nor snoozed has no timer, except
/// a preemptive one that said "leave" and may have to say it again, and one that nags.
package struct Engine: ~Copyable, Sendable {
  /// New numbers count from the next event on.
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
  /// The last fix that counted.
  package internal(set) var lastFix: Fix?
  /// The same as the monitors saw it; nil until the first of this run.
  var lastSample: PositionSample?
  /// When it came, by the clock of the events.
  package internal(set) var lastFixArrival: Instant?
  package internal(set) var isPositionLost = false
  /// Since when a fix is waited for: the last one's arrival, or the first event of this run.
  var silentSince: Instant?

  /// Whether the clock may be believed. A replay's may: its time is the recording's.
  package internal(set) var isClockTrusted = true
  /// Slots whose moment has come by a clock that is not to be believed yet.
  var held: Set<Int32> = []
  /// What one event finds missed is told in sum even if it is a single date.
  var isCatchingUp = false
  /// When those were due that this event leaves out for their age.
  var leftOut: [Instant] = []

  var slots = ReminderTable()
  var timers = TimerHeap()
  /// The preemptive ones, by the moment at which it can become time to leave.
  var departures: DepartureQueue
  var trips = TripLog()
  /// What own trips have taught.
  package internal(set) var experience = TravelExperience()
  /// `experience` is to be kept.
  var hasLearnt = false
  /// The settings have other speeds than the queues reckon with.
  var arePacesOld = false
  var monitor: FenceMonitor
  var fenceCount = 0
  /// Slots with `isWaiting`.
  var waiting: Set<Int32> = []
  /// Slots whose fence was added before its presence could be known, and some that were.
  var undetermined: [Int32] = []
  /// The fences around the places of those categories that reminders wait for.
  var watches: [CategoryWatch] = []
  /// Categories whose places have to be asked for.
  var unfilled: [String] = []
  var dirty: [Int32] = []
  var firings: [Firing] = []
  var notices: [Notice] = []
  var transitions: [Transition] = []
  /// The last fix had no time of its own.
  var isLastTimeGuessed = false
  /// Compiler workaround (Swift 6.3): a member whose size is known at run time only keeps reads of
  /// this noncopyable struct from copying all of it.
  let copyPreventer: any Sendable = ()
  var olderFixes = 0
  var newestOlderTime: Instant?

  /// Whether the last fix is an implausible jump that the next one has to bear out.
  package var isFixInDoubt: Bool { monitor.isInDoubt }

  /// Whether the settings let fixes of this kind count.
  package func accepts(_ source: Fix.Source) -> Bool { settings.accept(source) }

  /// How many fixes were such jumps and not borne out, since the settings last changed.
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

  /// Takes one event at the time it happens and appends what is to be done, in order.
  /// Complexity of a fix far from every boundary and deadline: O(1).
  package mutating func handle(_ event: Event, at now: Instant, into effects: inout [Effect]) {
    begin(at: now)
    switch event {
    case .fix(let fix): take(fix, at: now)
    case .tick: break
    case .add(let reminder, let progress): add(reminder, progress, at: now)
    case .replace(let reminder): replace(reminder, at: now)
    case .remove(let id): if remove(id) { effects.append(.forget(id: id)) }
    case .done(let id): complete(id, at: now)
    case .pop(let id): complete(id, isPop: true, at: now)
    case .clockSet:
      restartSilence(at: now)
      departures.markOutdated()
      departures.dropLaterRoutes(at: now)
    case .clockTrust(let isTrusted): trustClock(isTrusted, at: now)
    case .snooze(let id, let snooze): put(off: id, snooze, at: now)
    case .zone(let zone): change(to: zone, at: now)
    case .places(let category, let places): fill(category, with: places, at: now)
    case .place(let number, let place, let category):
      follow(placeNumber: number, place, in: category, at: now)
    case .routed(let answer): take(answer, at: now)
    case .forgetTrips(let transport): forgetTrips(by: transport, at: now)
    }
    end(at: now, into: &effects)
  }

  /// What comes before whatever happens at a moment.
  mutating func begin(at now: Instant) {
    if silentSince == nil { silentSince = now }
    if let silentSince, silentSince > now { restartSilence(at: now) }
    if arePacesOld {
      arePacesOld = false
      usePaces()
    }
  }

  /// What comes after it.
  mutating func end(at now: Instant, into effects: inout [Effect]) {
    evaluateTimers(at: now)
    evaluateDepartures(at: now)
    checkPosition(at: now)
    sumUpMissed()
    if !watches.isEmpty, watches.contains(where: \.listeners.isEmpty) {
      watches.removeAll(where: \.listeners.isEmpty)
    }
    conclude(into: &effects)
    askRoutes(at: now, into: &effects)
  }

  /// The next moment at which the engine wants `.tick`; nil where only a fix or a command can
  /// change anything. Complexity: O(1).
  package var nextDeadline: Instant? {
    var soonest = positionDeadline?.microseconds ?? .max
    if let timer = timers.peek()?.deadline { soonest = min(soonest, timer) }
    if let leave = departures.deadline { soonest = min(soonest, leave) }
    return soonest == .max ? nil : Instant(microseconds: soonest)
  }

  /// Hands over the changes and firings of one event.
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
    // Taken from the end, they are not copied.
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

  /// A fix that an earlier run saw last. It tells where the device was, for travel times; it is no
  /// arrival anywhere.
  package mutating func remember(_ fix: Fix, from arrival: Instant) {
    guard lastFix == nil else { return }
    lastFix = fix
    lastFixArrival = arrival
    isLastTimeGuessed = false
    departures.follow(fix.position)
  }

  func slot(_ id: String) -> Slot? { slots.index(of: id).flatMap { slots.slot($0) } }

  /// Changes one slot in place and notes that it must be kept.
  mutating func change(_ index: Int32, _ body: (inout Standing) -> Void) {
    if slots.change(index, body) { markDirty(index) }
  }

  /// An instant of a stamp: a floating one in the system's zone.
  func resolve(_ stamp: TimeStamp) -> Instant { stamp.instant(in: zone) }
}
