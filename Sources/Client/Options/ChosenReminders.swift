import ArgumentParser
import CivilTime
import Companion
import JSONText
import Reminders

/// The reminders of a verb that changes several: by name, or all of a filter.
struct ChosenOptions: ParsableArguments {
  @Argument(
    help: "The ids of the reminders, their beginnings, or words of their titles.",
    completion: Completions.reminders)
  var ids: [String] = []

  @OptionGroup(title: "Filter") var filters: FilterOptions
  @OptionGroup var consent: Consent

  func validate() throws {
    if ids.isEmpty, !filters.isGiven { throw Consent.nothingIsNamed }
  }

  /// The ids, whole ones for the reminders of a filter.
  func ids(
    to verb: String, all: Bool = false, _ daemon: DaemonConnection, in context: Context
  ) throws -> [String] {
    guard filters.isGiven else { return try OneReminder.meant(ids, daemon) }
    return try consent.rows(
      to: verb, all: all, filters.filter(ids, in: context), daemon, context
    )
    .compactMap { $0["id"]?.string }
  }
}

/// Consent to change all reminders of a filter.
struct Consent: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Change all of a filter without a question.")
  var yes = false

  static let nothingIsNamed = ValidationError(
    "name the reminder by its id or words of its title, or choose with --category, --due …")

  private static let shownTitles = 5

  /// The reminders of a filter, the next to fire first, after a question with their number.
  /// - Parameters:
  ///   - verb: the change, `remove`.
  ///   - all: done and expired ones count, too.
  func rows(
    to verb: String, all: Bool = false, _ filter: ReminderFilter, _ daemon: DaemonConnection,
    _ context: Context
  ) throws -> [JSONObject] {
    let zone = try context.zone()
    let upcoming = Upcoming(try daemon.call("Next", ["limit": 1_000]))
    let chosen = try daemon.reminders()
      .map { try ListedReminder($0, zone: zone, upcoming: upcoming) }
      .filter { (all || $0.isActive) && filter.includes($0) }
      .sorted(by: ListedReminder.firesBefore)
    guard !chosen.isEmpty else {
      throw Failure(.noAnswer, "no reminder is like that; 'georemind list' shows all")
    }
    guard !yes else { return chosen.map(\.json) }
    let titles = chosen.prefix(Self.shownTitles).map(\.reminder.title.printable)
    let count = counted(chosen.count, "reminder", "reminders")
    let rest = chosen.count > titles.count ? ", …" : ""
    let question =
      "\(verb.uppercasedFirst) \(count) (\(titles.joined(separator: ", "))\(rest))? [y/N] "
    guard let answer = try context.ask(question) else {
      throw Failure(.usage, "this would \(verb) \(count); give --yes to do it without a question")
    }
    guard ["y", "yes"].contains(answer.lowercased()) else {
      throw Failure(.noAnswer, "nothing was changed")
    }
    return chosen.map(\.json)
  }
}
