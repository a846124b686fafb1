import CivilTime
import Companion
import Departure
import Feeds
import Geodesy
import LinuxRuntime
import Positioning
import Reminders

/// Words and fields of the entries that the daemon writes for people and programs.
final class Announcer {
  let sink: any JournalSink
  /// A flapping receiver must not fill the journal.
  private var stepsBack = RepeatedNotice()

  init(sink: any JournalSink) { self.sink = sink }

  /// The journal's entry of a firing, with all the fields that apply.
  static func entry(for firing: Firing) -> JournalEntry {
    let isLate = firing.event == .late
    var entry = JournalEntry(
      firing.message, priority: priority(of: firing),
      messageID: (isLate ? MessageID.lateFiring : .firing).rawValue)
    entry.add("GEOREMIND_FIRING_ID", firing.id)
    entry.add("GEOREMIND_REMINDER_ID", firing.reminderID)
    entry.add("GEOREMIND_KIND", firing.kind.rawValue)
    entry.add("GEOREMIND_EVENT", firing.event.rawValue)
    entry.add("GEOREMIND_WHO", firing.who)
    entry.add("GEOREMIND_FOR", firing.recipient)
    entry.add("GEOREMIND_TITLE", firing.title)
    entry.add("GEOREMIND_CATEGORY", firing.category)
    entry.add("GEOREMIND_PLACE", firing.place)
    entry.add("GEOREMIND_LATITUDE", firing.position?.latitude, digits: 7)
    entry.add("GEOREMIND_LONGITUDE", firing.position?.longitude, digits: 7)
    entry.add("GEOREMIND_EPH_M", firing.eph, digits: 1)
    entry.add("GEOREMIND_SOURCE", firing.source?.rawValue)
    entry.add("GEOREMIND_DISTANCE_M", firing.distance, digits: 1)
    entry.add("GEOREMIND_FIX_TIME", firing.fixTime)
    entry.add("GEOREMIND_DUE", firing.due)
    entry.add("GEOREMIND_TRAVEL_S", firing.travel?.seconds, digits: 0)
    entry.add("GEOREMIND_LATE_S", firing.late?.seconds, digits: 3)
    entry.add("GEOREMIND_REPEATED", firing.repeated?.rawValue)
    return entry
  }

  /// NOTICE by default; iCalendar's 1 to 4 are urgent, 6 to 9 are not (RFC 5545 §3.8.1.9).
  private static func priority(of firing: Firing) -> JournalPriority {
    switch firing.priority {
    case 1: .alert
    case 2: .critical
    case 3: .error
    case 4: .warning
    case 6...9: .informational
    default: .notice
    }
  }

  func announce(_ notice: Notice) {
    switch notice {
    case .positionLost(let after):
      write(
        "Position lost: no usable fix for \(whole(after)); reminders at places wait until it is "
          + "back",
        .warning, .positionLost)
    case .positionBack(let after):
      write("Position back after \(whole(after))", .notice, .positionBack)
    case .expired(let id, let title): write("expired without a firing", of: id, title)
    case .leaveSilent(let id, let title, let words):
      write("silent, \(words)", of: id, title)
    case .missed(let missed):
      let count = missed.reported + missed.leftOut
      let span = missed.span
      let when =
        span.lowerBound == span.upperBound
        ? "at \(span.lowerBound.rfc3339())"
        : "between \(span.lowerBound.rfc3339()) and \(span.upperBound.rfc3339())"
      var parts: [String] = []
      if missed.reported > 0 { parts.append("\(missed.reported) fired late") }
      if missed.leftOut > 0 {
        parts.append("\(missed.leftOut) left out, older than SkipOlderThanSec=")
      }
      write(
        "Missed: \(count) reminder\(count == 1 ? "" : "s") came due \(when) while the daemon "
          + "could not fire; "
          + parts.joined(separator: ", "),
        .notice, .missed,
        fields: [
          "GEOREMIND_MISSED_TOLD": "\(missed.reported)",
          "GEOREMIND_MISSED_LEFT_OUT": "\(missed.leftOut)",
        ])
    case .fixTimeSteppedBack(let span): announceStepBack(of: span)
    }
  }

  private func announceStepBack(of span: TimeSpan) {
    guard let count = stepsBack.add(at: SystemClock.monotonic.microseconds) else { return }
    let more = count == 1 ? "" : " (\(count - 1) times more before)"
    write(
      "The receiver's clock went back by \(whole(span)); its fixes count again\(more)", .warning,
      .clockStepped)
  }

  /// - Parameter difference: how much older than the clock they are; negative if ahead of it.
  func announceDroppedFixes(by difference: TimeSpan, of feed: FeedURL) {
    let mark = "\(feed)".contains("?") ? "&" : "?"
    let (old, remedy) =
      if feed.recording != nil {
        ("older than the ones before", "they are skipped")
      } else if difference < .zero {
        ("ahead of the clock", "they are dropped; set the clock of the receiver or of this machine")
      } else {
        (
          "old",
          "they are dropped; if this is a replay, add \(mark)time=own; "
            + "if they come late, add \(mark)max-age="
        )
      }
    write(
      "Fixes on \(feed) are \(Self.age(difference)) \(old); \(remedy)", .warning, .fixesDropped,
      fields: ["GEOREMIND_FEED": "\(feed)"])
  }

  /// In days from two days on.
  private static func age(_ span: TimeSpan) -> String {
    let days = Int(abs(span.seconds) / 86_400)
    return days < 2 ? span.words : "\(days) days"
  }

  /// The time span in whole seconds.
  private func whole(_ span: TimeSpan) -> String {
    TimeSpan(seconds: span.seconds.rounded()).description
  }

  func announceStoreFailure(_ failure: String) {
    write(
      "Store failure: \(failure). Reminders continue; firings wait in memory until they can be "
        + "stored, and are then reported",
      .error, .storeFailure)
  }

  /// - Parameter path: the database that was moved or overwritten.
  func announceRescue(to copy: String, of path: String) {
    write(
      "Store failure: all reminders, and the firings that wait, are in \(copy). To use it, stop "
        + "the daemon, rename it to \(path) and remove that one's -wal and -shm, then start",
      .error, .storeFailure)
  }

  func announceSlowStore(_ commit: TimeSpan) {
    write(
      "Store failure: the disk is slow, a commit took \(whole(commit)). Firings are that late; "
        + "find out what keeps the disk busy, and see its errors with journalctl -k",
      .error, .storeFailure)
  }

  func announceDelivery(to destination: String, failing reason: String) {
    write(
      "Delivery to \(destination) failing: \(reason). Its firings wait and are tried again; see "
        + "'georemind delivery'",
      .warning, .deliveryFailing, fields: ["GEOREMIND_DESTINATION": destination])
  }

  func announceDelivery(to destination: String, backAfter span: TimeSpan) {
    write(
      "Delivery to \(destination) back after \(whole(max(.zero, span)))", .notice, .deliveryBack,
      fields: ["GEOREMIND_DESTINATION": destination])
  }

  func write(
    _ message: String, _ priority: JournalPriority, _ id: MessageID, fields: JournalFields = [:],
    file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
  ) {
    var entry = JournalEntry(
      message, priority: priority, messageID: id.rawValue, file: file, line: line,
      function: function)
    for (name, value) in fields { entry.add(name, value) }
    send(entry)
  }

  typealias JournalFields = KeyValuePairs<JournalFieldName, String?>

  /// News of a reminder.
  private func write(_ words: String, of id: String, _ title: String) {
    var entry = JournalEntry("\(title): \(words)", priority: .notice)
    entry.add("GEOREMIND_REMINDER_ID", id)
    entry.add("GEOREMIND_TITLE", title)
    send(entry)
  }

  /// An ordinary entry that the journal does not take is not worth stopping for.
  private func send(_ entry: consuming JournalEntry) { try? sink.write(entry) }
}

extension JournalEntry {
  /// A number rounded to so many decimals, if there is one.
  fileprivate mutating func add(_ name: JournalFieldName, _ number: Double?, digits: Int) {
    guard let number else { return }
    add(name) { Decimal.write(number, digits: digits, to: &$0) }
  }

  /// A moment in the form of JSON members, if there is one.
  fileprivate mutating func add(_ name: JournalFieldName, _ moment: Instant?) {
    guard let moment else { return }
    add(name) { moment.writeJSON(to: &$0) }
  }
}
