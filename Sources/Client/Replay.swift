import CivilTime
import Positioning
import Reminders

/// A recorded feed against reminders, on a virtual clock. The same file gives the same firings every
/// time, and those that the daemon gives when it plays the file.
struct Replay {
  private(set) var engine: Engine
  /// Fixes that were put into the engine.
  private(set) var fixes = 0
  /// Fixes before `start`, and dated ones that do not count by the settings or are of another device
  /// than the one followed.
  private(set) var skipped = 0
  /// Fixes without a date.
  private(set) var undated = 0
  /// When the clock was started and where it stands; nil before the first fix.
  private(set) var began: Instant?
  private(set) var now: Instant?
  private let start: Instant?
  private let reminders: [Reminder]
  /// A recording of gpsd may hold several devices.
  private var arbiter = Arbiter()
  private var effects: [Effect] = []

  /// - Parameters:
  ///   - start: when the clock starts; nil is the time of the first dated fix.
  init(reminders: [Reminder], from start: Instant?, zone: TimeZoneRules) {
    self.reminders = reminders
    self.start = start
    engine = Engine(zone: zone)
  }

  /// Puts one fix in. `wait` is called with each moment before something happens at it.
  mutating func take(
    _ fix: Fix, wait: ((Instant) throws -> Void)?, fire: (Firing) throws -> Void
  ) throws {
    guard let time = fix.time else {
      undated += 1
      return
    }
    if let start, time < start {
      skipped += 1
      return
    }
    if began == nil { try begin(at: start ?? time, fire: fire) }
    let origin = FixOrigin(feed: 0, device: fix.device)
    guard engine.counts(fix), arbiter.accepts(fix, from: origin, at: time) else {
      skipped += 1
      return
    }
    if let wait {
      while let deadline = engine.nextDeadline, deadline <= time {
        try wait(deadline)
        engine.advance(to: deadline, into: &effects)
        try carryOut(fire)
      }
      try wait(time)
    } else {
      engine.advance(to: time, into: &effects)
    }
    let moment = max(now ?? time, time)
    engine.handle(.fix(fix), at: moment, into: &effects)
    now = moment
    fixes += 1
    try carryOut(fire)
  }

  private mutating func begin(at time: Instant, fire: (Firing) throws -> Void) throws {
    began = time
    now = time
    engine.load(reminders.map { ($0, nil) }, at: time, into: &effects)
    try carryOut(fire)
  }

  private mutating func carryOut(_ fire: (Firing) throws -> Void) throws {
    guard !effects.isEmpty else { return }
    for case .fire(let firing) in effects { try fire(firing) }
    effects.removeAll(keepingCapacity: true)
  }
}
