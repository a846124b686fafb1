import ArgumentParser
import CivilTime
import JSONText

/// The times of a repeat rule.
struct OccurrencesCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "occurrences", abstract: "Print the next times of a repeat rule.")

  @Argument(help: "daily, every 2 weeks, every last friday of the month, or an RRULE of RFC 5545.")
  var rule: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The start of the rule (DTSTART).", valueName: "time"))
  var from: String

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A further time (RDATE).", valueName: "time"))
  var rdate: [String] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A time or a whole day to leave out (EXDATE).", valueName: "time"))
  var exdate: [String] = []

  @Option(help: ArgumentHelp("The time zone; the default is the system's.", valueName: "zone"))
  var zone: String?

  @Option(help: ArgumentHelp("Print this many times at most.", valueName: "n"))
  var count = 10
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if count < 1 { throw ValidationError("--count is at least 1") }
  }

  func run(in context: Context) throws {
    let rules = try zone.map { try context.zone(named: $0) } ?? context.zone()
    let rule = try RepeatRule(typed: rule)
    var series = Series(
      rule: rule, first: try name(from, "--from", context, rules), zone: rules)
    series.includesFirst = false
    series.additions = try rdate.map { try name($0, "--rdate", context, rules) }
    for text in exdate {
      let name = try name(text, "--exdate", context, rules)
      // A day without a time of day is the whole day.
      if !text.contains(":"), text.contains("-") {
        series.exceptionDays.insert(name.date)
      } else {
        series.exceptions.insert(name)
      }
    }
    var search = SeriesSearch(series)
    var printed = 0
    var last: LocalDateTime?
    while printed < count, let next = search.next(after: last) {
      printed += 1
      last = next.name
      if options.json {
        try context.output.line(["time": .string(next.start.json)])
      } else {
        try context.output.line(next.start.rfc3339(zone: rules))
      }
      if printed % 64 == 0 { try context.output.flush() }
    }
    if printed == 0 {
      try context.note("found no time of the rule")
    } else if printed < count, rule.count == nil, rule.until == nil {
      try context.note("found no further time of the rule")
    }
  }

  private func name(
    _ text: String, _ option: String, _ context: Context, _ zone: TimeZoneRules
  ) throws -> LocalDateTime {
    switch try context.stamp(text, option: option, in: zone, dayAlone: .start) {
    case .floating(let local): local
    case .absolute(let instant): zone.localDateTime(at: instant)
    }
  }
}
