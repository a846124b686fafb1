/// Kinds of journal entry with a text in the message catalog (`journalctl -x`).
///
/// Raw values are the `MESSAGE_ID` field, 128 random bits in lower-case hexadecimal (`systemd-id128
/// new`). They never change, because programs search for them. `systemd/catalog/georemind.catalog`
/// has the same values.
///
/// A catalog text may name only fields that every entry of its kind has: `journalctl` prints the
/// name of a missing field.
enum MessageID: String, CaseIterable {
  /// A reminder fired in time. Fields: `GEOREMIND_FIRING_ID`, `GEOREMIND_REMINDER_ID`,
  /// `GEOREMIND_KIND`, `GEOREMIND_EVENT`, `GEOREMIND_TITLE`, and others where they apply.
  case firing = "a4806a7e8ea14bd49d9057ef26ae95e9"
  /// A reminder fired after its time. Fields of a firing, and `GEOREMIND_LATE_S` always.
  case lateFiring = "72188dfb5f06420581782ad5b5d9dc91"
  /// A feed cannot be reached or fell silent. Field: `GEOREMIND_FEED`, the URL.
  case feedLost = "14323118402a4d369f6b0e7970b63184"
  /// A lost feed delivers again. Field: `GEOREMIND_FEED`.
  case feedBack = "f83ef90325f14bb998d22c05d4f18bcb"
  /// No feed had a usable position for a while, though a reminder depends on it.
  case positionLost = "9666d6d2497742c485b0d214c66ddeb8"
  /// A usable position came again.
  case positionBack = "a6d9b8a829eb47a1bad5df7ba66da836"
  /// The system's or the receiver's clock jumped.
  case clockStepped = "03d3558245c74149b7400c0b7e914f5a"
  /// Dates wait until the system's clock can be believed.
  case clockNotTrusted = "ece83766c4e94daa956ed06a92d039b8"
  /// The system's clock can be believed; dates fire from now on.
  case clockTrusted = "847237d0c87c481cbce6ff97d28e65a8"
  /// The system is in another time zone, or the rules of its zone have changed.
  case zoneChanged = "5c7855ddbba844a7bd6bac5b6c32fd2f"
  /// Sum of reminders that came due while the machine was off or asleep. Fields:
  /// `GEOREMIND_MISSED_TOLD`, `GEOREMIND_MISSED_LEFT_OUT`.
  case missed = "6045535b4da8474f869e7637f9a49b81"
  /// A receiver's dates are corrected by periods of 1024 weeks. Field: `GEOREMIND_FEED`.
  case weekRollover = "41c8b4ce7cc94fbb96b9ab40db7b8596"
  /// Fixes of a feed are not of the present, and are dropped. Field: `GEOREMIND_FEED`.
  case fixesDropped = "7c83d2b1d2a44e7c922ccb5ec62f8bd2"
  /// The database could not be read or written.
  case storeFailure = "cb351436d3a3411a85c4356aaf355448"
  /// A destination, such as a hook, takes no firings. Field: `GEOREMIND_DESTINATION`.
  case deliveryFailing = "b6521fec3a104f628c189c1937d55156"
  /// A destination takes firings again. Field: `GEOREMIND_DESTINATION`.
  case deliveryBack = "6389a73c66b44859abfb848c092d153f"
  /// The daemon is ready.
  case started = "076d430da47b43f29b32499ffa3fb16f"
  /// A file or standard input was read to its end.
  case feedEnded = "4ecc9d22ce9b499c8488faa8dc516b94"
  /// The configuration was read again and is in force.
  case reloaded = "74d86e4ecf6b447397daa09acf0c052b"
  /// A client of the control socket was turned away.
  case clientRefused = "e6e211e05e744794ba08675c90418f2f"
}
