import CivilTime

/// What a look at the reminders of a `LeaveQueue` tells; where they rest stays as it is.
extension LeaveQueue {
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
  /// it is to be asked.
  func consult(
    _ routes: inout RouteBook, _ look: inout LeaveReckoning.Look, _ entry: LeaveEntry, _ mode: Int,
    _ view: LeaveView
  ) {
    guard let here = view.here, look.distance > Double(entry.radius) else { return }
    let untilWorst = reckoning.stepBeforeWorst(entry, look, view)
    guard untilWorst <= 0 else {
      look.step = min(look.step, untilWorst)
      return
    }
    let now = Instant(microseconds: view.now)
    let answer = routes.answer(entry.slot, from: here, at: now)
    if let answer {
      let seconds = pace.routed(answer, distance: look.distance)
      look.slack = entry.moment - view.now - Int64(seconds * 1e6)
      // A way slower than the estimate grows faster with each metre, too.
      let overhead = pace.profile.overhead.seconds
      let usual = pace.seconds(look.distance) - overhead
      let ratio = max(1, (seconds - overhead) / max(1, usual))
      // When it counts no more the estimate does, and may have no slack left by then.
      let byEstimate = look.step
      reckoning.setStep(&look, Int64(Double(look.slack) / ratio))
      let remainder = RouteBook.remainder(of: answer, from: here, at: now)
      let untilLapse = reckoning.step(before: remainder.time, remainder.metres, look.grade)
      look.step = min(look.step, max(byEstimate, untilLapse, 1))
    }
    look.step = min(look.step, RouteBook.interval(look.slack))
    if answer.map({ routes.isStale($0, from: here, slack: look.slack, at: now) }) ?? true {
      routes.want(entry.slot, by: mode, slack: look.slack)
    }
  }
}
