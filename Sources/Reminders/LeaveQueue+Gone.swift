import CivilTime
import Geofencing

/// Those of a `LeaveQueue` that have said "leave".
extension LeaveQueue {
  /// Its place in `gone`, where it is to be let rest.
  mutating func leave(_ index: Int32) -> Int32 {
    if let place = homes[Int(index)].gone { return place }
    takeOut(index)
    let place = gone.insert(entries[Int(index)], index)
    homes[Int(index)] = .gone(place)
    return place
  }

  /// Lets one that has said "leave" rest, wherever it is.
  mutating func restGone(
    _ index: Int32, _ entry: LeaveEntry, _ look: LeaveReckoning.Look, again: TimeSpan,
    _ view: LeaveView
  ) {
    backLookedAt = nil
    if !entry.isFixed, look.grade > 0,
      gone.shelve(
        index, entry, slack: look.outside, distance: look.distance, again: again, reckoning, view)
    {
      takeOut(index)
      homes[Int(index)] = .goneShelf
      return
    }
    let rest = reckoning.restBeforeReturn(entry, look, again: again, view)
    gone.set(leave(index), rest.grade, after: rest.length, reckoning, view)
  }

  /// The clock was set: what rests by it is looked at, at the next event.
  mutating func lookAtAll(_ view: LeaveView) {
    unquiet()
    near.lookAtAll(reckoning, view)
    gone.lookAtAll()
  }

  /// One of them that may have as much slack again, by its slot; as for `nextDue`. Those whose due time has passed rest
  /// nowhere from then on, until they are removed.
  mutating func nextBack(_ view: LeaveView, again: TimeSpan) -> Int32? {
    // No clock of approach goes on without metres.
    guard backLookedAt != view.metres else { return nil }
    settle(view)
    repeat {
      while let place = gone.next() {
        if let slot = lookBack(at: gone.index(place), gone.entry(place), again: again, view) {
          return slot
        }
      }
      while let index = gone.nextGiven() {
        guard homes[Int(index)] == .goneGiven else { continue }
        if let slot = lookBack(at: index, entries[Int(index)], again: again, view) { return slot }
      }
    } while findBack(again: again, view)
    backLookedAt = view.metres
    return nil
  }

  /// Finds those that are to be looked at; false where there are none.
  @inline(__always)
  private mutating func findBack(again: TimeSpan, _ view: LeaveView) -> Bool {
    let isAny = gone.look(again: again, reckoning, view)
    if !gone.over.isEmpty { noteOver() }
    if !gone.given.isEmpty { noteGone() }
    return isAny
  }

  /// What the shelves have given out is on none any more.
  private mutating func noteGone() {
    askFor(gone.given)
    for index in gone.given where homes[Int(index)] == .goneShelf {
      homes[Int(index)] = .goneGiven
    }
  }

  /// What the shelves have dropped is on none any more.
  private mutating func noteOver() {
    for index in gone.over where homes[Int(index)] == .goneShelf {
      homes[Int(index)] = .none
      if pace.isRouted { over.append(entries[Int(index)].slot) }
    }
    gone.forgetOver()
  }

  /// Looks at one of them: answers its slot where it may have as much slack again, and lets it rest.
  private mutating func lookBack(
    at index: Int32, _ entry: LeaveEntry, again: TimeSpan, _ view: LeaveView
  ) -> Int32? {
    guard entry.moment > view.now else {
      takeOut(index)
      if pace.isRouted { over.append(entry.slot) }
      return nil
    }
    let look = reckoning.look(at: entry, view)
    restGone(index, entry, look, again: again, view)
    return look.most > again.microseconds - LeaveReckoning.soon ? entry.slot : nil
  }

  /// The slots of those that are over and of which a routing engine may have spoken, since this was asked last.
  mutating func takeOver() -> [Int32] {
    defer { over = [] }
    return over
  }
}
