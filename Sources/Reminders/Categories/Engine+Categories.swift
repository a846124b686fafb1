import Bytes
import CivilTime
import Geofencing
import Positioning

/// Reminders for any place of a category. The places act as one region: a visit begins with the
/// arrival at the first place and ends when the last one is left.
extension Engine {
  /// Categories with waiting reminders, in lower case.
  package var watchedCategories: [String] {
    watchNumbers.keys.sorted()
  }

  /// The ids of the reminders that wait for a category, sorted.
  package func reminders(nearCategory name: String) -> [String] {
    let listeners = (watchNumbers[name.nameKey] ?? []).flatMap {
      watches[$0].listeners
    }
    return listeners.map { slots.id($0) }.sorted()
  }

  /// Estimated heap use of all places in bytes: fences, cells and numbers, and a byte a place for
  /// each further radius.
  package var placeBytes: Int {
    watchNumbers.values.reduce(0) { sum, group in
      let largest = group.map { watches[$0].byteCount }.max() ?? 0
      return sum + largest + group.dropFirst().reduce(0) { $0 + watches[$1].count }
    }
  }

  /// The number of the watch that a reminder listens to; nil for one of no category.
  private func watchNumber(of index: Int32) -> Int? {
    slots.nearKey(index).flatMap { watchNumber(of: $0) }
  }

  private func watchNumber(of key: CategoryWatch.Key) -> Int? {
    watchNumbers[key.category]?.first { watches[$0].key.radius == key.radius }
  }

  func watch(of index: Int32) -> CategoryWatch? { watchNumber(of: index).map { watches[$0] } }

  /// Adds a reminder to the watch of its category.
  mutating func join(_ index: Int32, _ key: CategoryWatch.Key, at now: Instant) {
    slots.set(.fence, true, index)
    let number = watchNumber(of: key) ?? watches.count
    if number == watches.count {
      let other = watchNumbers[key.category]?.first {
        watches[$0].isFilled && !watches[$0].isFilling
      }
      watches.append(CategoryWatch(key: key, policy: settings.monitor))
      watchNumbers[key.category, default: []].append(number)
      if let other {
        let common = watches[other].common
        watches[number].beginFilling(inside: Set(slots.slot(index)?.history.places ?? []))
        watches[number].fill(common, new: common.fences, isLast: true, following: monitor)
      } else {
        outcome.unfilled.append(key.category)
      }
    }
    watches[number].listeners.insert(index)
    watches[number].hasNewcomers = true
    if watches[number].isFilled {
      forgetRemovedPlaces(number, at: now)
      decidePresence(index, of: number, at: now)
    }
  }

  /// Removes a reminder from its watch; returns whether it had one. Watches without reminders are
  /// removed at the end of the event.
  mutating func leaveWatch(_ index: Int32) -> Bool {
    guard let number = watchNumber(of: index), watches[number].listeners.remove(index) != nil
    else { return false }
    if watches[number].listeners.isEmpty { idleWatches.append(watches[number].key) }
    return true
  }

  /// Removes the watches that nobody listens to. The last one takes the number of a removed one.
  mutating func removeIdleWatches() {
    for key in idleWatches {
      guard let number = watchNumber(of: key), watches[number].listeners.isEmpty else { continue }
      let last = watches.count - 1
      renumber(last, number)
      watches.swapAt(number, last)
      watches.removeLast()
      watchNumbers[key.category]?.removeAll { $0 == last }
      if watchNumbers[key.category] == [] { watchNumbers[key.category] = nil }
    }
    idleWatches.removeAll()
  }

  /// Exchanges the numbers of two watches.
  private mutating func renumber(_ a: Int, _ b: Int) {
    for category in Set([watches[a].key.category, watches[b].key.category]) {
      watchNumbers[category] = watchNumbers[category]?.map { $0 == a ? b : $0 == b ? a : $0 }
    }
  }

  /// The last known fix decides the presence of a new reminder.
  mutating func decidePresence(_ index: Int32, of number: Int, at now: Instant) {
    guard slots.stay(index) == .unknown, !watches[number].isFilling else { return }
    if !watches[number].inside.isEmpty || watches[number].isSettled {
      bring(index, upTo: number, [], at: now)
    } else if let lastFix,
      watches[number].nearest(to: lastFix.position).map({ $0.distance > 0 }) ?? true
    {
      change(index) { $0.stay = .outside(since: nil) }
    }
  }

  /// Applies the transitions of a watch to its reminders.
  mutating func apply(watch number: Int, at now: Instant) {
    let decided = transitions
    for index in watches[number].listeners.sorted() {
      for transition in decided where transition.kind == .pass {
        guard slots.stay(index).presence == .outside else { continue }
        follow(transition, of: index, place: watches[number].place(of: transition), at: now)
      }
      // A pass may have been its last firing.
      guard watches[number].listeners.contains(index) else { continue }
      bring(index, upTo: number, decided, at: now)
    }
  }

  /// Applies a watch's state and transitions to one reminder.
  private mutating func bring(
    _ index: Int32, upTo number: Int, _ decided: [Transition], at now: Instant
  ) {
    let inside = watches[number].inside
    let presence = slots.stay(index).presence
    switch presence {
    case .unknown where inside.isEmpty:
      if watches[number].isSettled { change(index) { $0.stay = .outside(since: nil) } }
      return
    case .outside where inside.isEmpty: return
    case .inside where !inside.isEmpty: break
    case .inside:
      let departure = decided.last { $0.kind == .depart }
      guard let departure else { break }
      follow(departure, of: index, place: watches[number].place(of: departure), at: now)
    case .unknown where slots.slot(index)?.reminder.firesIfInside == true && !isThere(number, now):
      // The watch counts as inside until it has left: a position of now is needed to fire.
      watches[number].hasNewcomers = true
      return
    case .unknown, .outside:
      guard let (place, arrival) = meeting(number, decided) else { return }
      var transition = arrival
      if presence == .unknown { transition.kind = .found }
      follow(transition, of: index, place: place, at: now)
    }
    if !watches[number].isFilling, case .inside(var visit) = slots.stay(index),
      visit.places != inside
    {
      visit.places = inside
      change(index) { $0.stay = .inside(visit) }
    }
  }

  /// Whether a position of now puts the device into a place of the watch.
  private func isThere(_ number: Int, _ now: Instant) -> Bool {
    guard !lacksPosition(at: now), !monitor.isInDoubt, let sample = reception.sample,
      let nearest = watches[number].nearest(to: sample.position)
    else { return false }
    return monitor.assessment(of: nearest.fence, in: watches[number].fences)?.hasArrived == true
  }

  /// The place of arrival; of several, the one with the nearest centre.
  private func meeting(
    _ number: Int, _ decided: [Transition]
  ) -> (place: PlaceMet, transition: Transition)? {
    let watch = watches[number]
    let arrivals = decided.filter { $0.kind == .arrive || $0.kind == .found }
      .map { (place: watch.place(of: $0), transition: $0) }
    if let nearest = arrivals.min(by: { $0.place.distance < $1.place.distance }) { return nearest }
    // The arrival precedes this reminder.
    guard let sample = reception.sample, let place = watch.nearestInside(to: sample.position) else {
      return nil
    }
    return (
      place,
      Transition(
        fence: 0, kind: .arrive, time: sample.time, position: sample.position, eph: sample.eph)
    )
  }

  /// The category's place that contains the device, and metres to its centre.
  func placeMet(_ index: Int32, from fix: PositionSample?) -> PlaceMet? {
    guard let fix else { return nil }
    return watch(of: index)?.nearestInside(to: fix.position)
  }
}
