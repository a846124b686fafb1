import CivilTime

/// What a look at the reminders of a `LeaveQueue` tells; where they rest stays as it is.
extension LeaveQueue {
  /// When one of them is looked at if the device stays where it is, microseconds.
  func nextLook(_ index: Int32, _ view: LeaveView) -> Int64? {
    let home = homes[Int(index)]
    if home == .fixed { return fixed.deadline(slot: index).map { $0 + Self.farPatience } }
    if home == .cell {
      return view.now + cells.restLength(entries[Int(index)], reckoning, view) + Self.farPatience
    }
    if home == .nearShelf { return near.nextLook(onShelf: index, reckoning, view) }
    return home.near.flatMap { near.nextLook($0, reckoning, view) }
  }

  /// The moments to leave as things stand, soonest first, at most `limit`; looks at some thousands.
  func soonest(limit: Int, _ view: LeaveView) -> [(moment: Int64, slot: Int32)] {
    var found: [(moment: Int64, slot: Int32)] = []
    var looks = 0
    func note(_ earliest: Int64, _ entry: LeaveEntry) -> Bool {
      if found.count >= limit, let last = found.last, last.moment < earliest { return false }
      let moment = reckoning.look(at: entry, view).slack + view.now
      let place = found.firstIndex { $0.moment > moment } ?? found.count
      if place < limit { found.insert((moment, entry.slot), at: place) }
      if found.count > limit { found.removeLast() }
      looks += 1
      return looks < 4_096 + 2 * limit
    }
    near.forEachImminent(note)
    looks = 0
    near.forEachTimed(note)
    looks = 0
    near.forEachShelved(entries, reckoning, view, note)
    for grade in 1..<reckoning.gradeCount {
      looks = 0
      near.forEachNear(grade, reckoning, view, note)
    }
    looks = 0
    fixed.forEachInOrder { note($0, entries[Int($1)]) }
    looks = 0
    cells.forEachInOrder(reckoning, view) { note($0, entries[Int($1)]) }
    return found
  }

  /// What a routing engine has said takes the place of the estimate; where it has said nothing lately,
  /// it is to be asked. Returns what it has said that counts.
  func consult(
    _ routes: inout RouteBook, _ look: inout LeaveReckoning.Look, _ entry: LeaveEntry, _ mode: Int,
    _ view: LeaveView
  ) -> RouteBook.Answer? {
    guard let here = view.here else { return nil }
    let untilWorst = reckoning.stepBeforeWorst(entry, look, view)
    guard untilWorst <= 0 else {
      look.step = min(look.step, untilWorst)
      return nil
    }
    let now = Instant(microseconds: view.now)
    let answer = routes.takeStock(entry.slot, from: here, at: now)
    if let answer {
      let seconds = pace.routed(answer, distance: look.distance)
      let slack = entry.moment - view.now - Int64(seconds * 1e6)
      // Inside there is no way; what counts there is how soon one may be outside.
      if !look.isInside { look.slack = slack }
      let byEstimate = look
      // A metre that the short numbers do not show is as much longer a way.
      let detour = pace.detour(answer)
      look.doubt = Int64(Double(look.doubt) * detour)
      reckoning.setStep(&look, Int64(Double(slack) / detour))
      // When it counts no more the estimate does, and may have no slack left by then.
      let remainder = RouteBook.remainder(of: answer, from: here, at: now)
      reckoning.shorten(&look, before: remainder.time, remainder.metres, orAsIn: byEstimate)
    }
    guard !look.isInside else { return answer }
    look.step = min(look.step, RouteBook.interval(look.slack))
    if answer.map({ routes.isStale($0, from: here, slack: look.slack, at: now) }) ?? true {
      routes.want(entry.slot, by: mode, slack: look.slack)
    }
    return answer
  }
}
