import CivilTime
import LinuxRuntime
import Logging
import Reminders

/// Finds out which firings the journal has.
///
/// journald reads its socket in order, so once a marker entry can be read, so can all before it.
struct JournalLookUp {
  /// Limit for the marker to become readable, in microseconds.
  private static let timeout: Int64 = 5_000_000

  /// Whether an entry since a time (microseconds since 1970) has this field value; retries for
  /// `timeout` microseconds.
  typealias Contains = (
    _ field: JournalFieldName, _ value: String, _ since: Int64, _ timeout: Int64
  ) throws -> Bool

  let journal: any JournalSink
  let log: Logger
  var contains: Contains = { field, value, since, timeout in
    try JournalReader.contains(
      field: field, value: value, sinceRealtime: since, timeout: timeout)
  }

  /// Picks the values that an entry has in this field.
  var found: (_ field: JournalFieldName, _ values: [String]) throws -> [String] = {
    try JournalReader.found(field: $0, values: $1)
  }

  /// The firings that the journal has since a time, earliest first.
  static func firings(since: Instant) throws -> [Firing] {
    let kinds = [MessageID.firing, .lateFiring].map(\.rawValue)
    return try JournalReader.entries(
      field: .messageID, values: kinds, sinceRealtime: since.microseconds
    ).compactMap { Firing(journal: $0.fields, time: Instant(microseconds: $0.time)) }
  }

  /// The ids of these firings that are in the journal; empty if the journal cannot be read.
  func known(_ firings: [String]) throws -> [String] {
    var generator = SystemRandomNumberGenerator()
    let marker = String(UInt64.random(in: .min ... .max, using: &generator), radix: 16)
    var entry = JournalEntry(
      "Looking up the last run's firings in the journal", priority: .informational)
    entry.add("GEOREMIND_MARKER", marker)
    let sent = SystemClock.now()
    try journal.write(entry)
    guard try contains("GEOREMIND_MARKER", marker, sent - 60_000_000, Self.timeout) else {
      log.warning("The journal cannot be read, so the last run's firings are reported again")
      return []
    }
    return try found("GEOREMIND_FIRING_ID", firings)
  }
}
