/// The occurrences of a rule as instants, in rising order and none twice.
///
/// Readings that the clocks skip in spring are moved past the gap and may there fall behind later
/// readings, or onto one; so they wait until no earlier instant can come any more.
package struct RepeatInstants: Sequence, IteratorProtocol, Sendable {
  private var occurrences: RepeatOccurrences
  private let zone: TimeZoneRules
  /// Rising.
  private var waiting: [Instant] = []
  /// No reading to come stands for an earlier instant than this.
  private var horizon = Instant(microseconds: .min)
  private var last: Instant?

  init(_ occurrences: RepeatOccurrences, zone: TimeZoneRules) {
    self.occurrences = occurrences
    self.zone = zone
  }

  /// nil as long as there may be more.
  package var end: RepeatOccurrences.End? { waiting.isEmpty ? occurrences.end : nil }

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
