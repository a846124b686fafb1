import CSystemd
import Glibc

/// Reads the journal back: after a crash it says whether an entry arrived before it.
package enum JournalReader {
  /// Whether this machine's journal has an entry with exactly this `field` and `value`, written by
  /// this program's user at `sinceRealtime` (wall-clock microseconds) or later. The user matters
  /// because anyone may write entries with any fields.
  ///
  /// Waits up to `timeout` microseconds for the entry to be stored. It blocks, so it is for
  /// start-up. Indexed: the time does not grow with other entries.
  package static func contains(
    field: JournalFieldName, value: String, sinceRealtime: Int64, timeout: Int64 = 0
  ) throws(JournalError) -> Bool {
    let journal = try open()
    defer { sd_journal_close(journal) }
    try select(["\(field)=\(value)"], in: journal)
    let start = SystemClock.monotonic.microseconds
    while true {
      try require(sd_journal_seek_realtime_usec(journal, UInt64(max(0, sinceRealtime))), "seek in")
      if try require(sd_journal_next(journal), "read the entries") > 0 { return true }
      let left = timeout - (SystemClock.monotonic.microseconds - start)
      guard left > 0 else { return false }
      try require(sd_journal_wait(journal, UInt64(left)), "wait for entries")
    }
  }

  /// Picks the values that an entry of this program's user has in this field.
  /// - Complexity: O(values); the files are opened once.
  package static func found(
    field: JournalFieldName, values: [String]
  ) throws(JournalError) -> [String] {
    let journal = try open()
    defer { sd_journal_close(journal) }
    var found: [String] = []
    for value in values {
      try select(["\(field)=\(value)"], in: journal)
      try require(sd_journal_seek_realtime_usec(journal, 0), "seek in")
      if try require(sd_journal_next(journal), "read the entries") > 0 { found.append(value) }
    }
    return found
  }

  /// Fields by name and time (wall-clock microseconds) of each entry of this program's user with
  /// one of these values, written at `sinceRealtime` or later; earliest first.
  package static func entries(
    field: JournalFieldName, values: [String], sinceRealtime: Int64
  ) throws(JournalError) -> [(time: Int64, fields: [String: String])] {
    let journal = try open()
    defer { sd_journal_close(journal) }
    try select(values.map { "\(field)=\($0)" }, in: journal)
    try require(sd_journal_seek_realtime_usec(journal, UInt64(max(0, sinceRealtime))), "seek in")
    var entries: [(time: Int64, fields: [String: String])] = []
    while try require(sd_journal_next(journal), "read the entries") > 0 {
      var time: UInt64 = 0
      try require(sd_journal_get_realtime_usec(journal, &time), "read the entries")
      var fields: [String: String] = [:]
      var data: UnsafeRawPointer?
      var count = 0
      sd_journal_restart_data(journal)
      while try require(sd_journal_enumerate_data(journal, &data, &count), "read the entries") > 0 {
        let bytes = UnsafeRawBufferPointer(start: data, count: count)
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { continue }
        fields[String(decoding: bytes[..<equals], as: UTF8.self)] =
          String(decoding: bytes[(equals + 1)...], as: UTF8.self)
      }
      entries.append((Int64(clamping: time), fields))
    }
    return entries
  }

  /// The journal of this machine.
  private static func open() throws(JournalError) -> OpaquePointer {
    var journal: OpaquePointer?
    // SD_JOURNAL_LOCAL_ONLY
    try require(sd_journal_open(&journal, 1 << 0), "open the files")
    guard let journal else { throw .notRead(action: "open the files", code: ENOMEM) }
    return journal
  }

  /// From now on only entries of this program's user with one of these `FIELD=value`, all of one
  /// field: matches of different fields must all hold (sd_journal_add_match(3)).
  private static func select(
    _ matches: [String], in journal: OpaquePointer
  ) throws(JournalError) {
    sd_journal_flush_matches(journal)
    for var match in matches + ["_UID=\(geteuid())"] {
      try require(
        match.withUTF8 { sd_journal_add_match(journal, $0.baseAddress, $0.count) },
        "select entries")
    }
  }

  @discardableResult
  private static func require(_ result: Int32, _ action: String) throws(JournalError) -> Int32 {
    guard result >= 0 else { throw .notRead(action: action, code: 0 &- result) }
    return result
  }
}
