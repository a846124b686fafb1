import CivilTime
import Geodesy

@testable import Client

/// One run of the program with its output in memory.
struct Run {
  let status: Int32
  let output: String
  let notes: String

  /// 2026-06-12T16:00:00Z, a Friday.
  static let now = Instant(seconds: 1_781_280_000)

  /// - Parameters:
  ///   - columns: the width of a terminal; nil for a pipe.
  ///   - configurationFiles: files that say how values are shown.
  ///   - answer: what a person answers to a question; nil where nobody is there.
  init(
    _ arguments: [String], environment: [String: String] = [:], columns: Int? = nil,
    configurationFiles: [String] = [], answer: String? = nil
  ) {
    var context = Run.context(environment)
    context.output = Output(columns: columns)
    context.configurationFiles = configurationFiles
    context.retryDelay = 0
    context.ask = { [notes = context.notes] question in
      guard answer != nil else { return nil }
      try notes.part(question)
      return answer
    }
    status = Program.run(arguments, in: context)
    output = context.output.contents
    notes = context.notes.contents
  }

  static func context(_ environment: [String: String] = [:]) -> Context {
    Context(
      output: Output(), notes: Output(),
      environment: ["TZ": "Europe/Berlin", "GEOREMIND_SOCKET": "/nonexistent/socket"]
        .merging(environment) { $1 }, now: now)
  }

  /// Values as they go into a pipe.
  static func display(_ zone: TimeZoneRules = .utc) -> Display {
    Display(time: HumanTime(now: now, zone: zone), units: .metric, isForPeople: false)
  }

  var lines: [String] { output.split(separator: "\n").map(String.init) }
}
