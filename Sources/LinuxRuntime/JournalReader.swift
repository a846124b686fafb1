import CSystemd
import Glibc

/// Reads the journal back: after a crash it says whether an entry arrived before it.
package enum JournalReader {
  /// Whether the journal of this machine has an entry whose `field` is exactly `value`, written by this
  /// program's user at `sinceRealtime` (wall-clock microseconds) or later. Anyone may write entries with
  /// any fields, but not in another's name.
  ///
  /// What was sent just now may not be stored yet: `patience`, in microseconds, is how long to wait
  /// for it. Blocks, so it is for start-up. Indexed: its time does not grow with the entries that do
  /// not match.
  package static func contains(
    field: JournalFieldName, value: String, sinceRealtime: Int64, patience: Int64 = 0
  ) throws(JournalError) -> Bool {
    var opened: OpaquePointer?
    // SD_JOURNAL_LOCAL_ONLY
    try require(sd_journal_open(&opened, 1 << 0), "open the files")
    guard let journal = opened else { throw .notRead(action: "open the files", code: ENOMEM) }
    defer { sd_journal_close(journal) }

    // Matches of different fields must all hold (sd_journal_add_match(3)).
    for var match in ["\(field)=\(value)", "_UID=\(geteuid())"] {
      try require(
        match.withUTF8 { sd_journal_add_match(journal, $0.baseAddress, $0.count) },
        "select entries")
    }

    let start = SystemClock.monotonic.microseconds
    while true {
      try require(sd_journal_seek_realtime_usec(journal, UInt64(max(0, sinceRealtime))), "seek in")
      if try require(sd_journal_next(journal), "read the entries") > 0 { return true }
      let left = patience - (SystemClock.monotonic.microseconds - start)
      guard left > 0 else { return false }
      try require(sd_journal_wait(journal, UInt64(left)), "wait for entries")
    }
  }

  @discardableResult
  private static func require(_ result: Int32, _ action: String) throws(JournalError) -> Int32 {
    guard result >= 0 else { throw .notRead(action: action, code: 0 &- result) }
    return result
  }
}
