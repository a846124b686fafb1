import Bytes
import CivilTime
import Geofencing

/// The places of the categories that reminders wait for.
extension Engine {
  /// Takes the places that watches of one category have in common out of them: the memory of places
  /// that two hold would be copied. nil where there is no watch.
  private mutating func releasePlaces(of group: [Int]) -> WatchedPlaces? {
    guard let first = group.first else { return nil }
    for number in group.dropFirst() { _ = watches[number].release() }
    return watches[first].release()
  }

  /// - Parameter change: returns the places that it has added, moved or removed.
  private mutating func changePlaces(
    of group: [Int], _ change: (inout WatchedPlaces) -> [FenceID]
  ) {
    guard var common = releasePlaces(of: group) else { return }
    let changed = change(&common)
    for number in group { watches[number].take(common, changed: changed) }
  }

  /// Whether a watch of this category has yet to receive some of its places.
  package func isFilling(_ category: String) -> Bool {
    (watchNumbers[category.nameKey] ?? []).contains { watches[$0].isFilling }
  }

  /// Fills the watches of a category anew.
  /// - Parameter isWhole: no more places follow.
  mutating func fill(
    _ category: String, with places: [NumberedPlace], isWhole: Bool, at now: Instant
  ) {
    let group = watchNumbers[category.nameKey] ?? []
    for number in group {
      let known =
        watches[number].isFilled
        ? watches[number].inside
        : watches[number].listeners.flatMap { slots.slot($0)?.history.places ?? [] }
      watches[number].beginFilling(inside: Set(known))
    }
    fill(group, with: places, isLast: isWhole, at: now)
  }

  mutating func fillMore(
    _ category: String, with places: [NumberedPlace], isLast: Bool, at now: Instant
  ) {
    let group = (watchNumbers[category.nameKey] ?? []).filter { watches[$0].isFilling }
    fill(group, with: places, isLast: isLast, at: now)
  }

  /// - Parameter places: in rising order of their numbers; known ones are ignored.
  private mutating func fill(
    _ group: [Int], with places: [NumberedPlace], isLast: Bool, at now: Instant
  ) {
    guard var common = releasePlaces(of: group) else { return }
    let first = common.fences.upperBound
    common.reserve(places.count)
    for place in places where common.fence(of: place.number) == nil { _ = common.put(place) }
    for number in group {
      watches[number].fill(
        common, new: first..<common.fences.upperBound, isLast: isLast, following: monitor)
    }
    for number in group where isLast {
      forgetRemovedPlaces(number, at: now)
      for index in watches[number].listeners.sorted() {
        decidePresence(index, of: number, at: now)
        replan(index, at: now)
      }
    }
  }

  /// Takes in new places. The next samples decide whether the device is in them.
  mutating func extend(_ category: String, by places: [NumberedPlace]) {
    changePlaces(of: (watchNumbers[category.nameKey] ?? []).filter { watches[$0].isFilled }) {
      common in
      common.reserve(places.count)
      return places.filter { common.fence(of: $0.number) == nil }.map { common.put($0) }
    }
  }

  /// A place was added, moved or, where it is nil, removed, or has another category.
  mutating func follow(
    placeNumber: Int64, _ place: NumberedPlace?, in category: String?, at now: Instant
  ) {
    for name in watchedCategories {
      let group = (watchNumbers[name] ?? []).filter { watches[$0].isFilled }
      let isThere = place != nil && name == category?.nameKey
      guard let first = group.first, isThere || watches[first].knows(placeNumber) else { continue }
      changePlaces(of: group) { common in
        [isThere ? place.map { common.put($0) } : common.remove(placeNumber)].compactMap { $0 }
      }
      for number in group { forgetRemovedPlaces(number, at: now) }
    }
  }

  /// Drops removed places from the reminders without a departure.
  mutating func forgetRemovedPlaces(_ number: Int, at now: Instant) {
    guard !watches[number].isFilling else { return }
    let inside = watches[number].inside
    for index in watches[number].listeners {
      guard case .inside(var visit) = slots.stay(index) else { continue }
      visit.places = inside
      change(index) { $0.stay = inside.isEmpty ? .outside(since: nil) : .inside(visit) }
      replan(index, at: now)
    }
  }
}
