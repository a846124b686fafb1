package import CivilTime
import Geodesy
import Geofencing
package import Positioning

/// The machine that decides what fires when.
///
/// It is pure: a fix, a command or the time goes in with the moment it happens, and out comes what
/// is to be kept and told. It knows no clock, no file and no journal, so a recording replayed gives
/// what the live run gave. After each event the owner looks at `nextDeadline` and comes back with
/// `.tick` when it is reached.
///
/// Within one event departures come before all else, then by due time, priority and id.
///
/// Invariants: each reminder has one slot, at most one timer and, while it waits for a place, one
/// fence, all of the same number; a reminder that is neither armed nor snoozed has no timer, except
/// a preemptive one that said "leave" and may have to say it again.
package struct Engine: Sendable {
  struct Slot: Sendable {
    var reminder: Reminder
    var progress: Progress
    /// Inside, not settled, and held back by a condition that may come to hold.
    var isWaiting = false
    var hasFence = false
    var isDirty = false
  }

  /// New numbers count from the next event on.
  package var settings: EngineSettings {
    didSet { if settings.monitor != oldValue.monitor { rebuildMonitor() } }
  }
  package internal(set) var zone: TimeZoneRules
  /// The last fix that counted.
  package internal(set) var lastFix: Fix?
  /// When it came, by the clock of the events.
  package internal(set) var lastFixArrival: Instant?
  package internal(set) var isPositionLost = false
  /// Since when a fix is waited for: the last one's arrival, or the first event of this run.
  var silentSince: Instant?

  var slots: [Slot?] = []
  var freeSlots: [Int32] = []
  var slotOfID: [String: Int32] = [:]
  var timers = TimerHeap()
  var monitor: FenceMonitor
  var fenceCount = 0
  /// Slots with `isWaiting`.
  var waiting: Set<Int32> = []
  /// Slots whose fence was added before its presence could be known.
  var undetermined: Set<Int32> = []
  /// Armed preemptive reminders, to be looked at anew when the first position comes.
  var preemptive: Set<Int32> = []
  var dirty: [Int32] = []
  var firings: [Firing] = []
  var notices: [Notice] = []
  var transitions: [Transition] = []
  /// The last fix had no time of its own.
  var isLastTimeGuessed = false
  var olderFixes = 0
  var newestOlderTime: Instant?

  package init(settings: EngineSettings = EngineSettings(), zone: TimeZoneRules) {
    self.settings = settings
    self.zone = zone
    monitor = FenceMonitor(policy: settings.monitor)
  }

  // MARK: - Events

  /// Takes one event at the time it happens and appends what is to be done, in order.
  /// Complexity of a fix far from every boundary and deadline: O(1).
  package mutating func handle(_ event: Event, at now: Instant, into effects: inout [Effect]) {
    if silentSince == nil { silentSince = now }
    if let silentSince, silentSince > now { restartSilence(at: now) }
    switch event {
    case .fix(let fix): take(fix, at: now)
    case .tick: break
    case .add(let reminder, let progress): add(reminder, progress, at: now)
    case .replace(let reminder): replace(reminder, at: now)
    case .remove(let id): if remove(id) { effects.append(.forget(id: id)) }
    case .done(let id): complete(id, at: now)
    case .pop(let id): complete(id, isPop: true, at: now)
    case .clockSet: restartSilence(at: now)
    case .snooze(let id, let snooze): put(off: id, snooze, at: now)
    case .zone(let zone): change(to: zone, at: now)
    }
    lookAtTimers(at: now)
    lookForPosition(at: now)
    conclude(into: &effects)
  }

  /// The next moment at which the engine wants `.tick`; nil where only a fix or a command can
  /// change anything. Complexity: O(1).
  package var nextDeadline: Instant? {
    let timer = timers.peek().map { Instant(microseconds: $0.deadline) }
    guard let timer, let position = positionDeadline else { return timer ?? positionDeadline }
    return min(timer, position)
  }

  /// Hands over the changes and firings of one event.
  private mutating func conclude(into effects: inout [Effect]) {
    for index in dirty {
      guard var slot = slots[Int(index)] else { continue }
      slot.isDirty = false
      slots[Int(index)] = slot
      effects.append(.persist(id: slot.reminder.id, slot.progress))
    }
    dirty.removeAll(keepingCapacity: true)
    if !firings.isEmpty {
      firings.sort(by: Self.firesBefore)
      for firing in firings { effects.append(.fire(firing)) }
      firings.removeAll(keepingCapacity: true)
    }
    for notice in notices { effects.append(.say(notice)) }
    notices.removeAll(keepingCapacity: true)
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

  // MARK: - What it holds

  package var count: Int { slotOfID.count }

  package func reminder(_ id: String) -> Reminder? { slot(id)?.reminder }

  package func progress(_ id: String) -> Progress? { slot(id)?.progress }

  /// Reminders that may still fire by themselves.
  package var armedCount: Int {
    slots.reduce(0) { $0 + ($1.map { $0.progress.state == .armed } == true ? 1 : 0) }
  }

  /// What timers will bring about, soonest first: due times, leads, and times to leave as things
  /// stand. Complexity: O(n log n).
  package func upcoming(limit: Int) -> [(reminder: Reminder, moment: Instant)] {
    var moments: [(reminder: Reminder, moment: Instant)] = []
    for case let slot? in slots {
      let moment: Instant? =
        switch (slot.progress.state, slot.reminder.kind) {
        case (.snoozed, _): slot.progress.snoozedUntil
        case (.armed, .date): nextLead(slot)
        case (.armed, .preemptive): leaving(slot)?.moment
        default: nil
        }
      if let moment { moments.append((slot.reminder, moment)) }
    }
    moments.sort { ($0.moment, $0.reminder.id) < ($1.moment, $1.reminder.id) }
    return Array(moments.prefix(limit))
  }

  /// The armed regions nearest to the last fix, with metres to their boundary (negative inside).
  package func nearby(limit: Int) -> [(reminder: Reminder, distance: Double)] {
    guard let position = lastFix?.position else { return [] }
    return monitor.nearest(to: position, limit: limit, within: .infinity).compactMap { entry in
      slots[Int(entry.id)].map { ($0.reminder, entry.distance) }
    }
  }

  /// A fix that an earlier run saw last. It tells where the device was, for travel times; it is no
  /// arrival anywhere.
  package mutating func remember(_ fix: Fix, from arrival: Instant) {
    guard lastFix == nil else { return }
    lastFix = fix
    lastFixArrival = arrival
    isLastTimeGuessed = false
  }

  func slot(_ id: String) -> Slot? { slotOfID[id].flatMap { slots[Int($0)] } }

  /// Changes one slot in place and notes that it must be kept.
  mutating func change(_ index: Int32, _ body: (inout Slot) -> Void) {
    guard var slot = slots[Int(index)] else { return }
    slots[Int(index)] = nil
    let before = slot.progress
    body(&slot)
    if slot.progress != before, !slot.isDirty {
      slot.isDirty = true
      dirty.append(index)
    }
    slots[Int(index)] = slot
  }

  /// An instant of a stamp: a floating one in the system's zone.
  func resolve(_ stamp: TimeStamp) -> Instant { stamp.instant(in: zone) }
}
