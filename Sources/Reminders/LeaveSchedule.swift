import CivilTime
import Geofencing

/// The preemptive reminders of an engine by slot, each in the queue of its mode.
struct LeaveSchedule: Sendable {
  private var queues: [LeaveQueue]
  /// Of each slot the place in its queue × 4 + the mode; −1 where it is in none.
  private var places: [Int32] = []
  /// All that came by `append` have their places.
  private var isArranged = true
  var routes = RouteBook()

  init(_ estimator: TravelEstimator) {
    queues = Reminder.Transport.allCases.map {
      LeaveQueue(pace: TravelPace(profile: estimator.profile(of: $0)))
    }
  }

  static func mode(_ transport: Reminder.Transport) -> Int {
    switch transport {
    case .driving: 0
    case .cycling: 1
    case .walking: 2
    }
  }

  /// Bytes of heap in use.
  var byteCount: Int { queues.reduce(places.capacity * 4) { $0 + $1.byteCount } }

  func pace(of transport: Reminder.Transport) -> TravelPace { queues[Self.mode(transport)].pace }

  mutating func use(_ pace: TravelPace, for transport: Reminder.Transport, _ view: LeaveView) {
    queues[Self.mode(transport)].use(pace, view)
  }

  /// Takes one of many in that are put in their order by `reckonAll`; its slot must be in no queue.
  mutating func append(_ entry: LeaveEntry, by transport: Reminder.Transport) {
    queues[Self.mode(transport)].append(entry)
    isArranged = false
  }

  private mutating func arrange() {
    guard !isArranged else { return }
    isArranged = true
    for mode in queues.indices {
      for place in queues[mode].arrange() { note(queues[mode].slot(place), place, mode) }
    }
  }

  mutating func set(
    _ entry: LeaveEntry, _ stage: LeaveQueue.Stage, by transport: Reminder.Transport,
    moment: Instant?, again: TimeSpan, _ view: LeaveView
  ) {
    unlink(entry.slot)
    let mode = Self.mode(transport)
    let place = queues[mode].add(entry, stage, moment: moment, again: again, view)
    note(entry.slot, place, mode)
  }

  /// Harmless where the slot is in no queue.
  mutating func remove(_ slot: Int32) {
    unlink(slot)
    routes.forget(slot)
  }

  mutating func reckonAll(_ view: LeaveView) {
    arrange()
    for mode in queues.indices { queues[mode].reckonAll(view) }
  }

  /// Has all that are near or have said "leave" looked at, at the next event. Complexity: O(those).
  mutating func lookAtAll(_ view: LeaveView) {
    for mode in queues.indices { queues[mode].lookAtAll(view) }
  }

  func deadline(_ view: LeaveView) -> Int64? {
    queues.reduce(nil) { sooner($0, $1.deadline(view)) }
  }

  /// The next slot to look at in full; nil where nothing is due.
  /// - Parameter exactDistance: as for `LeaveQueue.nextDue`.
  mutating func nextDue(
    _ view: LeaveView, again: TimeSpan, exactDistance: (Int32) -> Double?
  ) -> Int32? {
    for mode in queues.indices where queues[mode].count > 0 {
      if let slot = queues[mode].nextDue(
        view, routes: &routes, mode: mode, exactDistance: exactDistance)
      {
        return slot
      }
      let back = queues[mode].nextBack(view, again: again)
      if !queues[mode].over.isEmpty {
        for slot in queues[mode].takeOver() { routes.forget(slot) }
      }
      if let back { return back }
    }
    return nil
  }

  /// The slots of those that come to their moment next, since this was asked last; as for `LeaveQueue.takeComing`.
  mutating func takeComing(into slots: inout [Int32]) {
    for mode in queues.indices where !queues[mode].coming.isEmpty {
      queues[mode].takeComing(into: &slots)
    }
  }

  mutating func lookSoon(_ slot: Int32, _ view: LeaveView) {
    guard let (mode, place) = place(of: slot) else { return }
    queues[mode].lookSoon(place, view)
  }

  func nextLook(_ slot: Int32, _ view: LeaveView) -> Instant? {
    guard let (mode, place) = place(of: slot) else { return nil }
    return queues[mode].nextLook(place, view).map { Instant(microseconds: $0) }
  }

  func soonest(limit: Int, _ view: LeaveView) -> [(moment: Int64, slot: Int32)] {
    let all = queues.flatMap { $0.soonest(limit: limit, view) }
    return Array(all.sorted { ($0.moment, $0.slot) < ($1.moment, $1.slot) }.prefix(limit))
  }

  private func place(of slot: Int32) -> (mode: Int, place: Int32)? {
    guard slot >= 0, Int(slot) < places.count, places[Int(slot)] >= 0 else { return nil }
    return (Int(places[Int(slot)] & 3), places[Int(slot)] >> 2)
  }

  private mutating func note(_ slot: Int32, _ place: Int32, _ mode: Int) {
    while places.count <= Int(slot) { places.appendOnLargePages(-1) }
    places[Int(slot)] = place << 2 | Int32(mode)
  }

  private mutating func unlink(_ slot: Int32) {
    arrange()
    guard let (mode, place) = place(of: slot) else { return }
    queues[mode].remove(place)
    places[Int(slot)] = -1
  }
}
