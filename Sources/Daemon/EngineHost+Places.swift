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

  /// Gives the engine further places of the categories it asked for.
  func fillPlaces() {
    if !unfilled.isEmpty { carryOut(isRetry: true) }
  }

  /// Gives the engine the next places of a category that it asked for, unless the turn of the loop
  /// is over; answers whether it did. A recording knows no turns: it gives the same firings again.
  func answerPlaces(in turn: LoopTurn) -> Bool {
    guard let now = clock.now, let (category, last) = unfilled.first else { return false }
    guard !clock.isLive || !turn.isOver else {
      onUnfilled()
      return false
    }
    // The reminder may have fired or been removed meanwhile.
    if last != nil, !engine.isFilling(category) {
      unfilled.removeFirst()
      return true
    }
    do throws(StoreError) {
      let (rows, next) = try store.places.numbered(inCategory: category, after: last)
      for problem in rows.problems { log.error("\(problem)") }
      let event: Event =
        last == nil
        ? .places(category: category, rows.values, isWhole: next == nil)
        : .morePlaces(category: category, rows.values, isLast: next == nil)
      changeEngine { $0.handle(event, at: now, into: &effects) }
      unfilled[0].last = next
      if next == nil { unfilled.removeFirst() }
      return true
    } catch {
      report(error)
      return false
    }
  }
}
