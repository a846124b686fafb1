/// One time of a series.
///
/// Its name never changes: it is what the clock shows at its start, in the zone of its series
/// (RECURRENCE-ID, RFC 5545 section 3.8.4.4). The instants follow from the name, the zone and the
/// offset of the due time, so a change of the zone moves them and leaves the name.
package struct Occurrence: Hashable, Sendable {
  /// The reading of the clock at its start; midnight for a whole day.
  package let name: LocalDateTime
  package let start: Instant
  package let due: Instant

  package init(name: LocalDateTime, start: Instant, due: Instant) {
    self.name = name
    self.start = start
    self.due = due
  }
}
