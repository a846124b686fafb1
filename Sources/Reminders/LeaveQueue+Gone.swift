import CivilTime

/// Those of a `LeaveQueue` that have said "leave".
extension LeaveQueue {
  /// What has become of one of them, by its slot.
  enum Return {
    /// It may have as much slack again; as for `nextDue`.
    case again(Int32)
    /// Its due time has passed, and it has been removed.
    case over(Int32)
  }

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

  mutating func nextBack(_ view: LeaveView, again: TimeSpan) -> Return? {
    // No clock of approach goes on without metres.
    guard backLookedAt != view.metres else { return nil }
    while let place = gone.next(again: again, reckoning, view) {
      let entry = gone.entry(place)
      if entry.moment <= view.now {
        let index = gone.index(place)
        gone.remove(place)
        homes[Int(index)] = .none
        free.append(index)
        return .over(entry.slot)
      }
      let look = reckoning.look(at: entry, view)
      restGone(place, look, again: again, view)
      if look.most > again.microseconds - LeaveReckoning.soon { return .again(entry.slot) }
    }
    backLookedAt = view.metres
    return nil
  }
}
