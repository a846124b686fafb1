import ArgumentParser
import CivilTime
import JSONText

/// The times of a repeat rule.
struct OccurrencesCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "occurrences", abstract: "Print the next times of a repeat rule.")

  @Argument(help: "daily, weekly, monthly, yearly, hourly, or an RRULE of RFC 5545.")
  var rule: String

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Where it starts (DTSTART).", valueName: "time"))
  var from: String

  @Option(help: ArgumentHelp("The time zone; else the system's.", valueName: "zone"))
  var zone: String?

  @Option(help: ArgumentHelp("How many at most.", valueName: "n"))
  var count = 10
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if count < 1 { throw ValidationError("--count is at least 1") }
  }

  func run(in context: Context) throws {
    let rules = try zone.map { try context.zone(named: $0) } ?? context.zone()
    let rule = try RepeatRule(parsing: rule)
    var start: LocalDateTime
    do throws(TimeStampError) {
      let directory = context.zoneDirectory
      let stamp = try TimeStamp(typed: from, now: context.now, zone: rules) {
        name throws(TimeZoneError) in try TimeZoneRules(named: name, directory: directory)
      }
      start =
        switch stamp {
        case .floating(let local): local
        case .absolute(let instant): rules.localDateTime(at: instant)
        }
    } catch {
      throw Failure(.badData, "--from: \(error)")
    }
    var instants = rule.instants(from: start, zone: rules)
    var printed = 0
    while printed < count, let instant = instants.next() {
      printed += 1
      if options.json {
        try context.output.line(["time": .string(instant.json)])
      } else {
        try context.output.line(instant.rfc3339(zone: rules))
      }
      if printed % 64 == 0 { try context.output.flush() }
    }
    if printed == 0 || instants.end == .gaveUp {
      try context.note("the rule gives no \(printed == 0 ? "" : "further ")time that was found")
    }
  }
}
