import CivilTime
import JSONText
import Reminders

/// A reminder as the daemon answers it: what it is, and how far it has come. A class, as long lists
/// are sorted.
final class ListedReminder {
  let json: JSONObject
  let reminder: Reminder
  /// When it fires by time, if by time at all.
  let moment: Instant?
  /// The due time that it waits for.
  let due: Instant?
  /// Leads of that due time that have passed.
  let leadsPassed: Int
  /// Its place in the order by distance; nil where no distance counts or is known.
  let distanceRank: Int?
  /// Its place in the order of firing, but for the title.
  private let order: (Int, Int64, Int, Int)

  init(_ json: JSONObject, zone: TimeZoneRules, upcoming: Upcoming = Upcoming()) throws {
    let reminder = try Reminder(json: ReminderInput.withoutProgress(json))
    due = json["next_due"]?.instant ?? reminder.due?.instant(in: zone)
    leadsPassed = json["leads_passed"]?.int ?? 0
    self.json = json
    self.reminder = reminder
    distanceRank = upcoming.ranks[reminder.id]
    let own: Instant? =
      switch reminder.state {
      case .snoozed: json["snoozed_until"]?.instant
      case .armed: json["rings"]?.instant ?? (Self.isOver(reminder, json) ? nil : due)
      case .fired, .done, .expired: due
      }
    moment = upcoming.moments[reminder.id] ?? own
    let waits = reminder.state == .armed || reminder.state == .snoozed
    order = (
      waits ? 0 : 1, moment?.microseconds ?? .max, distanceRank ?? .max,
      Self.urgency(of: reminder)
    )
  }

  /// Whether the daemon names no further time of a repeating date.
  private static func isOver(_ reminder: Reminder, _ json: JSONObject) -> Bool {
    reminder.kind == .date && reminder.repeats && json["next_due"] == nil
  }

  /// Whether it waits for anything still.
  var isActive: Bool { reminder.state != .done && reminder.state != .expired }

  /// Order of firing: by time, then waiting for a place by distance and urgency, then ended.
  static func firesBefore(_ a: ListedReminder, _ b: ListedReminder) -> Bool {
    a.order == b.order ? a.reminder.title < b.reminder.title : a.order < b.order
  }

  var urgency: Int { Self.urgency(of: reminder) }

  /// 1 to 9, the most urgent first; 10 without a priority.
  private static func urgency(of reminder: Reminder) -> Int {
    reminder.priority == 0 ? 10 : reminder.priority
  }
}

/// The next firings by the daemon's knowledge of conditions, occurrences and travel times.
struct Upcoming {
  fileprivate var moments: [String: Instant] = [:]
  fileprivate var ranks: [String: Int] = [:]

  /// Nothing is known.
  init() {}

  /// The answer of the daemon's method Next.
  init(_ answer: JSONObject) {
    for entry in answer["timers"]?.array ?? [] where entry["repeated"]?.bool != true {
      if let id = entry["id"]?.string { moments[id] = entry["time"]?.instant }
    }
    for (rank, entry) in (answer["places"]?.array ?? []).enumerated() {
      if let id = entry["id"]?.string { ranks[id] = rank }
    }
  }
}

/// Ids cut to unique prefixes.
struct ShortIDs {
  /// Ids that are not longer are never cut.
  private static let wholeLength = 8
  private static let shortest = 4
  private var lengths: [String: Int] = [:]

  /// - Parameter ids: all that there are, as an abbreviation must be none of another one's.
  init(_ ids: [String]) {
    let sorted = ids.sorted()
    for (index, id) in sorted.enumerated() {
      var common = 0
      for other in [index - 1, index + 1] where sorted.indices.contains(other) {
        let shared = zip(id, sorted[other]).prefix { $0 == $1 }.count
        common = max(common, shared)
      }
      lengths[id] = max(Self.shortest, common + 1)
    }
  }

  subscript(id: String) -> String {
    guard id.count > Self.wholeLength, let length = lengths[id] else { return id }
    return String(id.prefix(length))
  }
}
