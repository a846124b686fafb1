import ArgumentParser
import CivilTime
import JSONText

/// Past firings.
struct LogCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show past firings, the latest at the end.",
    discussion: """
      georemind log --since yesterday --until today
      georemind log milk

      For a reminder it says of each firing when each destination has received it or why not, and \
      which user has acknowledged it.
      """)

  @Argument(
    help: "Of one reminder: its id, the first letters of it, or words of its title.",
    completion: Completions.reminders)
  var words: [String] = []

  enum Grouping: String, CaseIterable, ExpressibleByArgument {
    case day
    case kind
    case category
    case place
    case reminder
  }

  @Option(name: .customLong("by"), help: "Group the firings by this.")
  var grouping: Grouping?

  @Option(help: "Show this many firings at most, the latest.")
  var limit: Int?

  @Option("Show firings since this time: yesterday, -2h, …", "time", completion: Completions.times)
  var since: String?

  @Option("Show firings before this time: today, …", "time", completion: Completions.times)
  var until: String?

  @Option("The same as the words of one reminder.", "id") var reminder: String?
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit is at least 1") }
  }

  func run(in context: Context) throws {
    let display = try context.display()
    let zone = display.zone
    func time(_ text: String?, _ option: String) throws -> JSONValue? {
      try context.past(text, option: option).map { .string($0) }
    }
    let name = reminder ?? (words.isEmpty ? nil : words.joined(separator: " "))
    let firings = try firings(
      DaemonConnection(options, context),
      [
        "since": try time(since, "--since"), "until": try time(until, "--until"),
        "reminder": name.map { .string($0) },
      ])
    if firings.isEmpty, !options.json {
      let span = since == nil && until == nil ? "" : " in that time"
      return try context.note("nothing has fired\(span)" + (name.map { ": \($0)" } ?? ""))
    }
    let printer = FiringPrinter(context: context, display: display, json: options.json)
    if name != nil, !options.json { return try printer.printWithOutcome(firings) }
    guard let grouping else { return try printer.print(firings) }
    // They come in the order of their decisions, which stays within each group.
    var listing = GroupedListing<JSONObject> { _, _ in false }
    for firing in firings { listing.add(firing, under: grouping.heading(of: firing, zone)) }
    guard !options.json else { return try listing.forEach(printer.print) }
    try listing.print(to: context.output, cells: printer.cells)
  }

  /// Firings of one call: others wait for the daemon meanwhile.
  private static let pageLength = 500

  /// The latest firings, earliest first, in as many calls as it takes.
  private func firings(
    _ daemon: DaemonConnection, _ filter: JSONObject
  ) throws -> [JSONObject] {
    var pages: [[JSONObject]] = []
    var left = limit
    while left != 0 {
      let count = left.map { min($0, Self.pageLength) }
      var parameters = filter
      parameters["limit"] = count.map { .int($0) }
      parameters["before"] = pages.last?.first?["seq"]
      let page = try daemon.call("Log", parameters)["firings"]?.array?.compactMap(\.object) ?? []
      pages.append(page)
      guard page.count == count else { break }
      left = left.map { $0 - page.count }
    }
    return Array(pages.reversed().joined())
  }
}

extension LogCommand.Grouping {
  fileprivate func heading(of firing: JSONObject, _ zone: TimeZoneRules) -> Heading {
    switch self {
    case .day:
      return firing["time"]?.instant.map { Heading(dayOf: $0, zone) }
        ?? Heading(rank: .max, text: "no date")
    case .kind, .category, .place, .reminder:
      let member = self == .reminder ? "title" : rawValue
      return .named(firing[member]?.string, otherwise: "no \(member)")
    }
  }
}
