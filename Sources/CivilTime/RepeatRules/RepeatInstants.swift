/// The occurrences of a rule as instants, rising and without duplicates.
///
/// Readings in the gap of spring move past it, possibly beyond or onto later readings. They wait
/// until no earlier instant can follow.
package struct RepeatInstants: Sequence, IteratorProtocol, Sendable {
  private var occurrences: RepeatOccurrences
  private let zone: TimeZoneRules
  /// Rising.
  private var waiting: [Instant] = []
  /// Lower bound of all instants of later readings.
  private var horizon = Instant(microseconds: .min)
  private var last: Instant?

  init(_ occurrences: RepeatOccurrences, zone: TimeZoneRules) {
    self.occurrences = occurrences
    self.zone = zone
  }

  /// nil while there may be more.
  package var end: RepeatOccurrences.End? { waiting.isEmpty ? occurrences.end : nil }

  /// Steps of the rule so far.
  var work: Int { occurrences.work }

  package mutating func next() -> Instant? {
    while true {
      if let first = waiting.first, first <= horizon {
        waiting.removeFirst()
        if first == last { continue }
        last = first
        return first
      }
      guard let local = occurrences.next() else {
        if waiting.isEmpty { return nil }
        horizon = Instant(microseconds: .max)
        continue
      }
      let resolution = zone.resolve(local)
      horizon = resolution.endOfGap.map { zone.instant(of: $0) } ?? resolution.instant
      let place = waiting.lastIndex { $0 <= resolution.instant }.map { $0 + 1 } ?? 0
      waiting.insert(resolution.instant, at: place)
    }
  }
}
