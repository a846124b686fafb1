import LinuxRuntime
import Logging
import Reminders
import Storage

/// The places of categories, for reminders of any of them.
extension EngineHost {
  /// Puts the name of the place in, where the engine knows its number alone.
  func name(_ firing: inout Firing) {
    if let number = firing.unnamed?.number, let name = placeName(number) { firing.name(name) }
  }

  /// Places were added to a category.
  func add(_ places: [NumberedPlace], to category: String) {
    guard let now = clock.now else { return }
    handle(.newPlaces(category: category, places), at: now)
  }

  /// Gives the engines further places of the categories they asked for.
  func fillPlaces() {
    if all.contains(where: { !$0.unfilled.isEmpty }) { carryOut(isRetry: true) }
  }

  /// Goes on with the places that an engine has asked for, or that the store has not given.
  func answerPlaces() {
    let turn = LoopTurn()
    for tracker in all {
      while answerPlaces(of: tracker, in: turn) { takeEffects(of: tracker) }
    }
  }

  /// Gives an engine the next places of a category that it asked for, unless the turn of the loop
  /// is over; answers whether it did. A recording knows no turns: it gives the same firings again.
  func answerPlaces(of tracker: TrackerEngine, in turn: LoopTurn) -> Bool {
    guard let now = clock.now, let (category, last) = tracker.unfilled.first else { return false }
    guard !clock.isLive || !turn.isOver else {
      onUnfilled()
      return false
    }
    // The reminder may have fired or been removed meanwhile.
    if last != nil, !tracker.engine.isFilling(category) {
      tracker.unfilled.removeFirst()
      return true
    }
    guard let (places, next) = page(of: category, after: last) else { return false }
    let event: Event =
      last == nil
      ? .places(category: category, places, isWhole: next == nil)
      : .morePlaces(category: category, places, isLast: next == nil)
    tracker.engine.handle(event, at: now, into: &effects)
    tracker.unfilled[0].last = next
    if next == nil { tracker.unfilled.removeFirst() }
    return true
  }

  /// All places of a category, as the engines take them; nil where the store fails.
  func placesForEngine(_ category: String) -> [NumberedPlace]? {
    var (all, last): ([NumberedPlace], Int64?) = ([], nil)
    repeat {
      guard let (places, next) = page(of: category, after: last) else { return nil }
      all += places
      last = next
    } while last != nil
    return all
  }

  /// The next places of a category, and the number of the last one if more follow; nil where the
  /// store fails.
  private func page(of category: String, after last: Int64?) -> ([NumberedPlace], Int64?)? {
    do throws(StoreError) {
      let (rows, next) = try store.places.numbered(inCategory: category, after: last)
      for problem in rows.problems { log.error("\(problem)") }
      return (rows.values, next)
    } catch {
      report(error)
      return nil
    }
  }
}
