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
    let journal = try open(["\(field)=\(value)"])
    defer { sd_journal_close(journal) }
    let start = SystemClock.monotonic.microseconds
    while true {
      try require(sd_journal_seek_realtime_usec(journal, UInt64(max(0, sinceRealtime))), "seek in")
      if try require(sd_journal_next(journal), "read the entries") > 0 { return true }
      let left = timeout - (SystemClock.monotonic.microseconds - start)
      guard left > 0 else { return false }
      try require(sd_journal_wait(journal, UInt64(left)), "wait for entries")
    }
  }

  /// Fields by name and time (wall-clock microseconds) of each entry of this program's user with
  /// one of these values, written at `sinceRealtime` or later; earliest first.
  package static func entries(
    field: JournalFieldName, values: [String], sinceRealtime: Int64
  ) throws(JournalError) -> [(time: Int64, fields: [String: String])] {
    let journal = try open(values.map { "\(field)=\($0)" })
    defer { sd_journal_close(journal) }
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

  /// The journal of this machine, limited to entries of this program's user with one of these
  /// `FIELD=value`, all of one field: matches of different fields must all hold
  /// (sd_journal_add_match(3)).
  private static func open(_ matches: [String]) throws(JournalError) -> OpaquePointer {
    var opened: OpaquePointer?
    // SD_JOURNAL_LOCAL_ONLY
    try require(sd_journal_open(&opened, 1 << 0), "open the files")
    guard let journal = opened else { throw .notRead(action: "open the files", code: ENOMEM) }
    do throws(JournalError) {
      for var match in matches + ["_UID=\(geteuid())"] {
        try require(
          match.withUTF8 { sd_journal_add_match(journal, $0.baseAddress, $0.count) },
          "select entries")
      }
      return journal
    } catch {
      sd_journal_close(journal)
      throw error
    }
  }

  @discardableResult
  private static func require(_ result: Int32, _ action: String) throws(JournalError) -> Int32 {
    guard result >= 0 else { throw .notRead(action: action, code: 0 &- result) }
    return result
  }
}
