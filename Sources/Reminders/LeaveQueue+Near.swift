import CivilTime
import Geodesy
import Geofencing

/// Those of a `LeaveQueue` that come near their time to leave, and those whose time it is.
extension LeaveQueue {
  /// A reminder whose moment may have come, by its slot; its entry is out of the heap, and is to be
  /// removed or added anew. nil where there is none.
  /// - Parameter exactDistance: how far a slot's place is, metres, 0 inside it; asked for only when that
  ///   decides. nil where it is not known.
  mutating func nextDue(
    _ view: LeaveView, routes: inout RouteBook, mode: Int, exactDistance: (Int32) -> Double?
  ) -> Int32? {
    guard count > 0 else { return nil }
    settle(view)
    let clock = reckoning.fastestClock(view)
    if clock >= farQuietUntil { takeFromFar(clock, view) }
    near.lookAtShelves(reckoning, view)
    // What comes to its moment next, a few at a time, is at hand then.
    if !near.approaching.isEmpty {
      askFor(near.approaching)
      // Where nothing has been looked at for long, those found long ago are elsewhere.
      if coming.count >= Self.mostComing { coming.removeAll(keepingCapacity: true) }
      coming.append(contentsOf: near.approaching)
      near.forgetApproaching()
    }
    if !near.given.isEmpty { noteGiven() }
    while let index = near.nextGiven() {
      guard homes[Int(index)] == .nearGiven else { continue }
      if let slot = look(
        at: index, entries[Int(index)], clock, view, &routes, mode, exactDistance)
      {
        return slot
      }
    }
    while let place = near.nextFresh() {
      if let slot = look(at: place, clock, view, &routes, mode, exactDistance) { return slot }
    }
    near.wakeImminent(view)
    while let place = near.nextImminent(view) {
      if let slot = look(at: place, clock, view, &routes, mode, exactDistance) { return slot }
    }
    guard clock >= nearQuietUntil else { return nil }
    while let first = near.firstTimed, first.deadline <= view.now {
      if let slot = look(at: first.slot, clock, view, &routes, mode, exactDistance) { return slot }
    }
    for grade in 1..<reckoning.gradeCount {
      let now = reckoning.nearClock(grade, view)
      while let first = near.firstNear(grade), first.deadline <= now {
        if let slot = look(at: first.slot, clock, view, &routes, mode, exactDistance) {
          return slot
        }
      }
    }
    nearQuietUntil = clock + (near.shortestRest(reckoning, view) ?? .max / 2)
    return nil
  }

  /// The slots of those that come to their moment next, since this was asked last. Best asked at a later event than that
  /// which has found them: their entries are at hand then.
  mutating func takeComing(into slots: inout [Int32]) {
    for index in coming { slots.append(entries[Int(index)].slot) }
    coming.removeAll(keepingCapacity: true)
  }

  /// What the shelves have given out is on none any more.
  private mutating func noteGiven() {
    for index in near.given where homes[Int(index)] == .nearShelf {
      homes[Int(index)] = .nearGiven
    }
  }

  /// Looks at one that is at a place.
  private mutating func look(
    at place: Int32, _ clock: Int64, _ view: LeaveView, _ routes: inout RouteBook, _ mode: Int,
    _ exactDistance: (Int32) -> Double?
  ) -> Int32? {
    look(
      at: near.index(place), near.entry(place), clock, view, &routes, mode, exactDistance)
  }

  /// Looks at one that is near: answers its slot where its moment may have come, else lets it rest.
  private mutating func look(
    at index: Int32, _ entry: LeaveEntry, _ clock: Int64, _ view: LeaveView,
    _ routes: inout RouteBook, _ mode: Int, _ exactDistance: (Int32) -> Double?
  ) -> Int32? {
    var look = reckoning.look(at: entry, view)
    let answer =
      routes.isOn && !entry.isFixed ? consult(&routes, &look, entry, mode, view) : nil
    if look.slack <= look.doubt {
      guard let distance = exactDistance(entry.slot),
        let left = reckoning.left(until: entry, from: distance, answer, view)
      else {
        takeOut(index)
        return entry.slot
      }
      look.step = answer == nil ? left : min(left, LeaveReckoning.longestBlindRest)
    }
    if !routes.isOn, look.grade > 0, !entry.isFixed,
      let sure = LeaveShelves.sureSlack(
        entry, slack: look.outside, distance: look.distance, reckoning, view)
    {
      takeOut(index)
      near.shelve(
        index, entry, sureSlack: sure, distance: look.distance, reckoning, view)
      homes[Int(index)] = .nearShelf
      return nil
    }
    let place = wake(index)
    if look.isImminent {
      near.setImminent(place, at: view.now + look.step)
      return nil
    }
    if look.grade == 0 {
      near.setTimed(place, at: view.now + look.step)
    } else {
      near.setNear(place, look.grade, at: reckoning.nearClock(look.grade, view) + look.step)
    }
    nearQuietUntil = min(nearQuietUntil, clock + look.step)
    return nil
  }

  private mutating func takeFromFar(_ clock: Int64, _ view: LeaveView) {
    while let first = fixed.peek(), first.deadline <= view.now {
      lookNow(wake(first.slot), view)
    }
    cells.nextGiven(reckoning, view, into: &given)
    takeGiven(view)
    let rest = sooner(
      cells.shortestRest(reckoning, view), fixed.peek().map { $0.deadline - view.now })
    farQuietUntil = clock + max(rest ?? .max / 2, Self.farPause)
  }

  /// Takes what the cells have given out.
  mutating func takeGiven(_ view: LeaveView) {
    guard !given.isEmpty else { return }
    askFor(given.indices)
    if !pace.isRouted, view.here != nil {
      near.shelve(given, entries, reckoning, view)
      for index in given.indices { homes[Int(index)] = .nearShelf }
    } else {
      for index in given.indices {
        let place = near.insert(entries[Int(index)], index)
        homes[Int(index)] = .near(place)
        near.setFresh(place, view)
      }
    }
    given.removeAll()
  }
}
