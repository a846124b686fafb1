import ArgumentParser
import CivilTime
import Companion
import JSONText
import Reminders

enum Grouping: String, CaseIterable, ExpressibleByArgument {
  case kind
  case category
  case place
  case day
}

enum Sorting: String, CaseIterable, ExpressibleByArgument {
  case next
  case due
  case title
  case priority
}

/// The reminders in groups, the next to fire first within each.
struct ListCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List reminders in groups, the next to fire first.",
    discussion: """
      georemind list milk
      georemind list this week
      georemind list --category Errands --sort title
      """, aliases: ["ls"])

  @Argument(
    help: ArgumentHelp(
      "Words of title, notes, category or place, or today, tomorrow, this week; without, all.",
      valueName: "word"))
  var words: [String] = []

  @Option(name: .customLong("by"), help: "Group the reminders by this.")
  var grouping = Grouping.kind

  @OptionGroup(title: "Filter") var filters: FilterOptions

  @Option("The same as --place.", "name", completion: Completions.places) var at: String?

  @Option(help: "The order within a group.")
  var sort = Sorting.next

  @Flag(help: "List done and expired reminders, too.")
  var all = false

  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let display = try context.display()
    let zone = display.zone
    // Short ids must differ from the ids of reminders that are not shown.
    let daemon = try DaemonConnection(options, context)
    let upcoming = Upcoming(try daemon.call("Next", ["limit": 1_000]))
    let (listed, unreadable) = try daemon.allRows {
      try ListedReminder($0, zone: zone, upcoming: upcoming)
    }
    var filters = filters
    filters.common.place = at ?? filters.common.place
    var words = words
    if filters.due == nil, let due = ReminderFilter.Due(words) { (filters.due, words) = (due, []) }
    let filter = try filters.filter(words, in: context)
    let chosen = listed.filter { (all || $0.isActive) && filter.includes($0) }
    var listing = GroupedListing(order: sort.precedes)
    for entry in chosen { listing.add(entry, under: grouping.heading(of: entry, zone)) }
    for problem in unreadable { try context.note(problem) }
    if options.json {
      try listing.forEach { try context.output.line($0.json) }
    } else if chosen.isEmpty {
      try context.note(
        listed.contains(where: \.isActive) && (filters.isGiven || !words.isEmpty)
          ? "no reminder is like that; 'georemind list' shows all"
          : "no reminders; add one with 'georemind add'")
    } else {
      let ids = ShortIDs(listed.map(\.reminder.id))
      try listing.print(to: context.output) { $0.cells(ids, display) }
    }
  }
}

extension Sorting {
  fileprivate func precedes(_ a: ListedReminder, _ b: ListedReminder) -> Bool {
    guard self != .next else { return ListedReminder.firesBefore(a, b) }
    let (left, right) = (key(a), key(b))
    return left == right ? ListedReminder.firesBefore(a, b) : left < right
  }

  private func key(_ entry: ListedReminder) -> (Int64, String) {
    switch self {
    case .next: (0, "")
    case .due: (entry.moment?.microseconds ?? .max, "")
    case .title: (0, entry.reminder.title.lowercased())
    case .priority: (Int64(entry.urgency), "")
    }
  }
}

extension Grouping {
  fileprivate func heading(of entry: ListedReminder, _ zone: TimeZoneRules) -> Heading {
    let reminder = entry.reminder
    switch self {
    case .kind:
      let rank = Reminder.Kind.allCases.firstIndex(of: reminder.kind) ?? 0
      return Heading(rank: Int64(rank), text: reminder.kind.rawValue)
    case .category:
      return .named(reminder.category, otherwise: "no category")
    case .place:
      return .named(ReminderSentence.name(reminder), otherwise: "no place")
    case .day:
      return entry.moment.map { Heading(dayOf: $0, zone) } ?? Heading(rank: .max, text: "no date")
    }
  }
}

extension Heading {
  /// A day, as `Saturday 2026-06-13`.
  init(dayOf moment: Instant, _ zone: TimeZoneRules) {
    let day = zone.localDateTime(at: moment).date
    self.init(
      rank: Int64(day.dayNumber), text: "\(day.weekday.name.uppercasedFirst) \(day)")
  }
}

extension ListedReminder {
  fileprivate func cells(_ ids: ShortIDs, _ display: Display) -> [String] {
    let place = ReminderSentence.name(reminder)
    let what: String? =
      switch reminder.kind {
      case .location where reminder.trigger == .silent: "silent for \(reminder.hold)"
      case .location: place.map { "\(reminder.trigger.rawValue) \($0)" }
      case .date: reminder.repeatRule.map { $0.words ?? "\($0)" }
      case .preemptive: place.map { "leave for \($0)" }
      }
    let who = reminder.who.map { "\($0)" }
    let zone = reminder.unknownZone.map { "by the last known offset of \($0)" }
    let time = moment.map { isActive ? display.due($0) : display.entry($0) }
    return [
      ids[reminder.id], time ?? "",
      reminder.state == .armed ? "" : reminder.state.rawValue, reminder.title,
      [who, what, zone].compactMap { $0 }.joined(separator: ", "),
    ]
  }
}
