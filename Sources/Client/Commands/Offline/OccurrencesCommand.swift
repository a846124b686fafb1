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
    let start: LocalDateTime =
      switch try context.stamp(from, option: "--from", in: rules, dayAlone: .start) {
      case .floating(let local): local
      case .absolute(let instant): rules.localDateTime(at: instant)
      }
    var printed = 0
    func print(_ instant: Instant) throws {
      printed += 1
      if options.json {
        try context.output.line(["time": .string(instant.json)])
      } else {
        try context.output.line(instant.rfc3339(zone: rules))
      }
      if printed % 64 == 0 { try context.output.flush() }
    }
    var gaveUp = false
    if rdate.isEmpty, exdate.isEmpty {
      var instants = rule.instants(from: start, zone: rules)
      while printed < count, let instant = instants.next() { try print(instant) }
      gaveUp = instants.end == .gaveUp
    } else {
      let set = try set(of: rule, from: start, context, rules)
      // A further time may lie before the rule's start.
      let first = set.additions.map { $0.instant(in: rules) } + [rules.instant(of: start)]
      var last = (first.min() ?? rules.instant(of: start)) - TimeSpan(microseconds: 1)
      while printed < count, let instant = set.next(after: last, zone: rules) {
        try print(instant)
        last = instant
      }
    }
    if printed == 0 || gaveUp {
      try context.note("found no \(printed == 0 ? "" : "further ")time of the rule")
    }
  }

  private func set(
    of rule: RepeatRule, from start: LocalDateTime, _ context: Context, _ zone: TimeZoneRules
  ) throws -> RepeatSet {
    var set = RepeatSet(rule: rule, start: start)
    set.additions = try rdate.map {
      try context.stamp($0, option: "--rdate", in: zone, dayAlone: .start)
    }
    for text in exdate {
      let exception = try context.stamp(text, option: "--exdate", in: zone, dayAlone: .start)
      // A day without a time of day is the whole day.
      if case .floating(let local) = exception, !text.contains(":"), text.contains("-") {
        set.exceptionDays.insert(local.date)
      } else {
        set.exceptions.append(exception)
      }
    }
    return set
  }
}
