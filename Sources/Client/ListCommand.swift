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

/// The reminders in groups, the next to fire first within each.
struct ListCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List reminders in groups, the next to fire first.")

  @Option(name: .customLong("by"), help: "What to group them by.")
  var grouping = Grouping.kind

  @Option(help: "Only those of a kind.")
  var kind: Reminder.Kind?

  @Flag(help: "Those that are done or expired, too.")
  var all = false

  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let zone = try context.zone()
    // Short ids must not be those of reminders that are not shown.
    let listed = try DaemonConnection(options, context).reminders().map {
      try ListedReminder($0, zone: zone)
    }
    let chosen = listed.filter { entry in
      (all || entry.isActive) && (kind == nil || entry.reminder.kind == kind)
    }
    let listing = Listing(chosen, by: grouping, zone: zone)
    if options.json {
      for section in listing.sections.sections {
        for entry in section.items { try context.output.line(entry.json) }
      }
    } else if chosen.isEmpty {
      try context.note("no reminders; 'georemind add' makes one")
    } else {
      try listing.print(ids: ShortIDs(listed.map(\.reminder.id)), to: context.output)
    }
  }
}

/// Reminders in sections, for people.
struct Listing {
  /// A heading and what it is ordered by.
  struct Heading {
    let rank: Int64
    let text: String
  }

  private(set) var sections: SortedSections<Heading, ListedReminder>
  private let zone: TimeZoneRules

  init(_ reminders: [ListedReminder], by grouping: Grouping, zone: TimeZoneRules) {
    self.zone = zone
    sections = SortedSections(
      keys: { ($0.rank, $0.text) < ($1.rank, $1.text) }, items: ListedReminder.firesBefore)
    for entry in reminders {
      sections.insert(entry, under: Self.heading(entry, grouping, zone))
    }
  }

  private static func heading(
    _ entry: ListedReminder, _ grouping: Grouping, _ zone: TimeZoneRules
  ) -> Heading {
    let reminder = entry.reminder
    switch grouping {
    case .kind:
      let rank = Reminder.Kind.allCases.firstIndex(of: reminder.kind) ?? 0
      return Heading(rank: Int64(rank), text: reminder.kind.rawValue)
    case .category:
      return reminder.category.map { Heading(rank: 0, text: $0) }
        ?? Heading(rank: 1, text: "no category")
    case .place:
      return ReminderSentence.name(reminder).map { Heading(rank: 0, text: $0) }
        ?? Heading(rank: 1, text: "no place")
    case .day:
      guard let moment = entry.moment else { return Heading(rank: .max, text: "no date") }
      let day = zone.localDateTime(at: moment).date
      let name = day.weekday.name.prefix(1).uppercased() + day.weekday.name.dropFirst()
      return Heading(rank: Int64(day.dayNumber), text: "\(name) \(day)")
    }
  }

  func print(ids: ShortIDs, to output: Output) throws(Failure) {
    var table = Table()
    for section in sections.sections {
      for entry in section.items { table.add(row(entry, ids)) }
    }
    // One table, so that columns are aligned over all sections.
    var lines = table.lines(indent: 2)[...]
    for (index, section) in sections.sections.enumerated() {
      if index > 0 { try output.line("") }
      try output.line(output.bold(section.key.text.printable))
      for _ in section.items {
        if let line = lines.popFirst() { try output.line(line) }
      }
    }
  }

  private func row(_ entry: ListedReminder, _ ids: ShortIDs) -> [String] {
    let reminder = entry.reminder
    let place = ReminderSentence.name(reminder)
    let what: String? =
      switch reminder.kind {
      case .location: place.map { "\(reminder.trigger.rawValue) \($0)" }
      case .date: reminder.repeatRule.map(\.description)
      case .preemptive: place.map { "leave for \($0)" }
      }
    return [
      ids[reminder.id], entry.moment?.rfc3339(zone: zone) ?? "",
      reminder.state == .armed ? "" : reminder.state.rawValue, reminder.title, what ?? "",
    ]
  }
}
