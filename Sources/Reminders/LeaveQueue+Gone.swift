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
        if entry.moment <= view.now {
          past.append(place)
          continue
        }
        let look = reckoning.look(at: entry, view)
        restGone(place, look, again: again, view)
        if look.most > again.microseconds - LeaveReckoning.soon {
          removePast()
          return entry.slot
        }
      }
      removePast()
    } while gone.look(again: again, reckoning, view)
    backLookedAt = view.metres
    return nil
  }

  private mutating func removePast() {
    // Asked for all at once: memory gives many lines in little more time than one.
    for place in past { homes.askFor(Int(gone.index(place))) }
    for place in past {
      let index = gone.index(place)
      // One that was asked for twice has gone with the first.
      guard index >= 0 else { continue }
      over.append(gone.entry(place).slot)
      gone.remove(place)
      homes[Int(index)] = .none
      free.append(index)
    }
    past.removeAll(keepingCapacity: true)
  }

  /// The slots of those that have been removed because their due time has passed, since this was asked last.
  mutating func takeOver() -> [Int32] {
    defer { over = [] }
    return over
  }
}
