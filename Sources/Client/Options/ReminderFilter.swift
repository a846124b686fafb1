import ArgumentParser
import Bytes
import CivilTime
import Companion
import JSONText
import Reminders

/// Options that choose reminders without conflict with the options of `edit`.
struct CommonFilter: ParsableArguments {
  @Option(help: "Only this kind.")
  var kind: Reminder.Kind?

  @Option("Only at this place.", "name", completion: Completions.places)
  var place: String?

  @Option("Reminders before this time only.", "time", completion: Completions.times)
  var before: String?

  @Option("Reminders at this time or later only.", "time", completion: Completions.times)
  var after: String?

  @Flag(help: "Reminders only that have fired and wait for 'done'.")
  var ringing = false

  var isGiven: Bool {
    kind != nil || place != nil || before != nil || after != nil || ringing
  }
}

/// Options that choose reminders.
struct FilterOptions: ParsableArguments {
  @OptionGroup(title: "Filter") var common: CommonFilter

  @Option("Only this category.", "name", completion: Completions.categories)
  var category: String?

  @Option("Reminders about this tracker only; self is the machine.", "name")
  var who: String?

  @Option(help: "Reminders only that fire then; a week is today and the six days after.")
  var due: ReminderFilter.Due?

  var isGiven: Bool { common.isGiven || category != nil || who != nil || due != nil }

  func filter(_ words: [String] = [], in context: Context) throws -> ReminderFilter {
    try ReminderFilter(common, category: category, who: who, due: due, words: words, in: context)
  }
}

/// A condition for reminders: all parts that are given must hold.
struct ReminderFilter {
  enum Due: String, CaseIterable, ExpressibleByArgument {
    case overdue
    case today
    case tomorrow
    case week

    /// `today`, `this week`; nil for other words.
    init?(_ words: [String]) {
      let words = words.map { $0.lowercased() }
      self.init(rawValue: words.count == 2 && words[0] == "this" ? words[1] : words.joined())
    }
  }

  private let common: CommonFilter
  private let category: String?
  private let who: String?
  private let due: Due?
  private let words: [String]
  private let time: HumanTime
  private let before: Instant?
  private let after: Instant?

  init(
    _ common: CommonFilter, category: String?, who: String? = nil, due: Due?, words: [String],
    in context: Context
  ) throws {
    func instant(_ text: String?, _ option: String) throws -> Instant? {
      try text.map {
        try context.time($0, option: option, dayAlone: .start).stamp.instant(in: context.zone())
      }
    }
    (self.common, self.category, self.who) = (common, category, who)
    (self.due, self.words) = (due, words)
    time = try context.display().time
    before = try instant(common.before, "--before")
    after = try instant(common.after, "--after")
  }

  func includes(_ entry: ListedReminder) -> Bool {
    let reminder = entry.reminder
    func isSame(_ name: String?, as wanted: String?) -> Bool {
      wanted == nil || name?.nameKey == wanted?.nameKey
    }
    return common.kind.map { $0 == reminder.kind } ?? true
      && isSame(reminder.category, as: category)
      && isSame(reminder.area?.name ?? reminder.place?.name, as: common.place)
      && (who.map { isSame(reminder.who.map { "\($0)" } ?? Who.machine, as: $0) } ?? true)
      && (!common.ringing || entry.isRinging)
      && (before.map { limit in entry.moment.map { $0 < limit } ?? false } ?? true)
      && (after.map { limit in entry.moment.map { $0 >= limit } ?? false } ?? true)
      && (due.map { isDue(entry, $0) } ?? true) && entry.has(words)
  }

  private func isDue(_ entry: ListedReminder, _ due: Due) -> Bool {
    guard let moment = entry.moment, entry.isActive else { return false }
    func day(_ instant: Instant) -> Int { time.zone.localDateTime(at: instant).date.dayNumber }
    let ahead = day(moment) - day(time.now)
    return switch due {
    case .overdue: entry.reminder.kind != .location && (moment < time.now || entry.isRinging)
    case .today: ahead == 0
    case .tomorrow: ahead == 1
    case .week: (0..<7).contains(ahead)
    }
  }
}

extension ListedReminder {
  /// Whether it has fired, and nobody has acknowledged it or put it off since.
  var isRinging: Bool {
    reminder.state == .fired
      || json["unacknowledged"]?.bool == true && reminder.state != .snoozed
  }

  /// Whether each of the texts begins one of its words, in any case.
  fileprivate func has(_ wanted: [String]) -> Bool {
    guard !wanted.isEmpty else { return true }
    func words(_ text: String) -> [String] {
      text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }
    let own = [
      reminder.title, reminder.notes ?? "", reminder.category ?? "",
      ReminderSentence.name(reminder) ?? "",
    ].flatMap(words)
    return wanted.flatMap(words).allSatisfy { word in own.contains { $0.hasPrefix(word) } }
  }
}
