import ArgumentParser
import CivilTime
import Companion
import Configuration
import Control
import JSONText

/// How the program reads a time or a repeat.
struct WhenCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "when", abstract: "Show how a time or a repeat is read.",
    discussion: """
      georemind when tomorrow 18:00
      georemind when '6pm next friday'
      georemind when in half an hour
      georemind when every last friday of the month --count 3
      """)

  @Argument(
    help: ArgumentHelp("The time or the repeat; several words need no quotes.", valueName: "text"),
    completion: Completions.times)
  var text: [String]

  @Option(help: ArgumentHelp("Print as many of the next times of the repeat.", valueName: "n"))
  var count: Int?

  @Option("The start of the repeat (DTSTART); without, now.", "time") var from: String?
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count is at least 1") }
    if from != nil, count == nil { throw ValidationError("--from goes with --count") }
  }

  func run(in context: Context) throws {
    let text = text.joined(separator: " ")
    let zone = try context.zone()
    let time = Result { () throws(TimeStampError) in try context.typedTime(text, in: zone) }
    switch time {
    case .success(let time) where count == nil: try show(time, zone, context)
    case .success:
      throw Failure(.badData, "'\(text)' is a time, and --count is for a repeat")
    case .failure(let error):
      let repeated = Result { () throws(RepeatRuleError) in try RepeatRule(typed: text) }
      switch repeated {
      case .success(let rule):
        guard let count else { return try show(rule, context) }
        try printTimes(of: rule, count, zone, context)
      case .failure(let repeatError):
        let isRepeat = ["every", "each"].contains { text.lowercased().hasPrefix($0) }
        throw Failure(.badData, isRepeat ? "\(repeatError)" : "\(error)")
      }
    }
  }

  private func show(_ time: TypedTime, _ zone: TimeZoneRules, _ context: Context) throws {
    guard !options.json else { return try context.output.line(time.json(in: zone)) }
    let instant = time.stamp.instant(in: zone)
    let isFloating = if case .floating = time.stamp { true } else { false }
    var table = Table()
    table.add(["when", HumanTime(now: context.now, zone: zone).full(instant)])
    table.add(["time", instant.rfc3339(zone: zone)])
    table.add(["zone", isFloating ? "\(zone.name), and any that the system moves to" : zone.name])
    if let note = time.note { table.add(["note", note]) }
    try context.output.lines(table, isCut: false)
  }

  private func show(_ rule: RepeatRule, _ context: Context) throws {
    guard !options.json else {
      return try context.output.line([
        "repeat": .string("\(rule)"), "words": rule.words.map { .string($0) },
      ])
    }
    var table = Table()
    if let words = rule.words { table.add(["repeat", words]) }
    table.add(["rule", "\(rule)"])
    try context.output.lines(table, isCut: false)
  }

  /// Where the series begins: as `add` begins it with this time, or without a time now.
  private func beginning(
    of rule: RepeatRule, _ zone: TimeZoneRules, _ context: Context
  ) throws -> LocalDateTime {
    let usual = DisplaySettings(files: context.configurationFiles).defaultTime
    if from == nil, rule.namesItsDays,
      let first = rule.first(after: context.now, at: rule.timeOfDay ?? usual, zone: zone)
    {
      return first
    }
    let start = try context.time(
      from ?? "now", option: "--from", dayAlone: rule.timeOfDay == nil ? .at(usual) : .start)
    return zone.localDateTime(at: start.stamp.instant(in: zone))
  }

  private func printTimes(
    of rule: RepeatRule, _ count: Int, _ zone: TimeZoneRules, _ context: Context
  ) throws {
    let first = try beginning(of: rule, zone, context)
    var series = Series(rule: rule, first: first, zone: zone)
    series.includesFirst = false
    var search = SeriesSearch(series)
    var last: LocalDateTime?
    var printed = 0
    while printed < count, let next = search.next(after: last) {
      last = next.name
      // In the second of two equal hours, the first one has passed.
      if from == nil, next.start < context.now { continue }
      printed += 1
      if options.json {
        try context.output.line(["time": .string(next.start.json)])
      } else {
        try context.output.line(next.start.rfc3339(zone: zone))
      }
      if printed % 64 == 0 { try context.output.flush() }
    }
    if printed < count, printed == 0 || rule.count == nil && rule.until == nil {
      try context.note("found no further time of the rule")
    }
  }
}
