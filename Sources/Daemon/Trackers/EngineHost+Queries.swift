import CivilTime
import Reminders

/// Queries over the engines of all trackers.
extension EngineHost {
  /// Time of the next tick of any engine.
  var nextDeadline: Instant? { all.compactMap { $0.engine.nextDeadline }.min() }

  var isBehind: Bool { all.contains { $0.engine.isBehind } }

  var count: Int { all.reduce(0) { $0 + $1.engine.count } }

  var armedCount: Int { all.reduce(0) { $0 + $1.engine.armedCount } }

  var heldCount: Int { all.reduce(0) { $0 + $1.engine.heldCount } }

  /// As `Engine.reminderBytes`.
  var reminderBytes: Int { all.reduce(0) { $0 + $1.engine.reminderBytes } }

  func reminderBytes(ofOwner owner: UInt32) -> Int {
    all.reduce(0) { $0 + $1.engine.reminderBytes(ofOwner: owner) }
  }

  func growth(by reminder: Reminder) -> Int {
    holder(of: reminder.id).engine.growth(by: reminder)
  }

  func history(_ id: String) -> History? { holder(of: id).engine.history(id) }

  func standing(_ id: String) -> Standing? { holder(of: id).engine.standing(id) }

  func plan(_ id: String, at now: Instant) -> Plan? { holder(of: id).engine.plan(id, at: now) }

  var watchedCategories: [String] { Set(all.flatMap { $0.engine.watchedCategories }).sorted() }

  func reminders(nearCategory name: String) -> [String] {
    all.flatMap { $0.engine.reminders(nearCategory: name) }.sorted()
  }

  /// As `Engine.upcoming`.
  /// - Parameter trackers: the engines to ask; nil for all.
  func upcoming(
    limit: Int, at now: Instant, of trackers: [TrackerEngine]? = nil
  ) -> [Engine.Upcoming] {
    Self.soonest(limit, of: trackers ?? all) { $0.engine.upcoming(limit: limit, at: now) }
  }

  /// As `Engine.waitingForClock`.
  func waitingForClock(
    limit: Int, at now: Instant, of trackers: [TrackerEngine]? = nil
  ) -> [Engine.Upcoming] {
    Self.soonest(limit, of: trackers ?? all) { $0.engine.waitingForClock(limit: limit, at: now) }
  }

  private static func soonest(
    _ limit: Int, of trackers: [TrackerEngine],
    _ moments: (TrackerEngine) -> [Engine.Upcoming]
  ) -> [Engine.Upcoming] {
    guard trackers.count > 1 else { return trackers.first.map(moments) ?? [] }
    return Array(trackers.flatMap(moments).sorted(by: <).prefix(max(0, limit)))
  }
}
