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

  mutating func restGone(
    _ place: Int32, _ look: LeaveReckoning.Look, again: TimeSpan, _ view: LeaveView
  ) {
    backLookedAt = nil
    let entry = gone.entry(place)
    if !entry.isFixed, look.grade > 0,
      gone.shelve(
        place, slack: look.outside, distance: look.distance, again: again, reckoning, view)
    {
      return
    }
    let rest = reckoning.restBeforeReturn(entry, look, again: again, view)
    gone.set(place, rest.grade, at: reckoning.approach(rest.grade, view) + rest.length)
  }

  /// The clock was set: what rests by it is looked at, at the next event.
  mutating func lookAtAll(_ view: LeaveView) {
    unquiet()
    near.lookAtAll(reckoning, view)
    gone.lookAtAll()
  }

  /// One of them that may have as much slack again, by its slot; as for `nextDue`. Those whose due time has passed are
  /// removed, and told by `takeOver`.
  mutating func nextBack(_ view: LeaveView, again: TimeSpan) -> Int32? {
    // No clock of approach goes on without metres.
    guard backLookedAt != view.metres else { return nil }
    repeat {
      while let place = gone.next() {
        let entry = gone.entry(place)
        // One that was asked for by itself may be over as well.
        guard entry.moment > view.now else {
          removeOver(place)
          continue
        }
        let look = reckoning.look(at: entry, view)
        restGone(place, look, again: again, view)
        if look.most > again.microseconds - LeaveReckoning.soon { return entry.slot }
      }
    } while lookForBack(view, again: again)
    backLookedAt = view.metres
    return nil
  }

  /// False where nothing is to be looked at.
  @inline(__always)
  private mutating func lookForBack(_ view: LeaveView, again: TimeSpan) -> Bool {
    guard gone.look(again: again, reckoning, view) else { return false }
    removeOver()
    return true
  }

  private mutating func removeOver() {
    // Asked for all at once: memory gives many lines in little more time than one.
    for place in gone.over { homes.askFor(Int(gone.index(place))) }
    for place in gone.over { removeOver(place) }
  }

  private mutating func removeOver(_ place: Int32) {
    let index = gone.index(place)
    over.append(gone.entry(place).slot)
    gone.remove(place)
    homes[Int(index)] = .none
    free.append(index)
  }

  /// The slots of those that have been removed because their due time has passed, since this was asked last.
  mutating func takeOver() -> [Int32] {
    defer { over = [] }
    return over
  }
}
