import ArgumentParser
import CivilTime
import Companion
import Glibc
import JSONText

/// A test firing through the destinations, and what came of it.
struct TestCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Send a test firing to hooks, notifications and the broker.",
    discussion: """
      Each destination says what came of it, and after how long. The exit code is 1 if one failed \
      or does not answer. The test is no firing of a reminder: log does not have it.
      """)

  @Argument(help: ArgumentHelp("Only this destination, of 'delivery'.", valueName: "dest"))
  var destination: String?
  @Option(name: .customLong("timeout"), help: "Wait so long for an answer.")
  var timeout = "40s"
  @OptionGroup var options: CommonOptions

  /// Between two questions for the outcomes, microseconds.
  private static let interval: Int64 = 100_000

  func run(in context: Context) throws {
    let limit = try TimeSpan(parsing: timeout)
    let daemon = try DaemonConnection(options, context)
    let begun = try daemon.call(
      "TestConsumers", JSONObject(["name": destination.map { .string($0) }]))
    var waiting = begun["names"]?.array?.compactMap(\.string) ?? []
    guard !waiting.isEmpty else { throw Failure(.noAnswer, DeliveryCommand.absence) }
    var failed = 0
    var left = limit.microseconds
    // Programs that work answer within seconds: the rest is named when a tenth has passed.
    var next = left - left / 10
    while !waiting.isEmpty, left > 0 {
      for row in try daemon.call("ListConsumers")["consumers"]?.array ?? [] {
        let name = row["name"]?.string ?? ""
        guard waiting.contains(name), let test = row["test"], test["id"] == begun["test"],
          let seconds = test["after_s"]?.double
        else { continue }
        waiting.removeAll { $0 == name }
        let text = test["text"]?.string
        if text != nil { failed += 1 }
        try show(name, text, after: TimeSpan(seconds: seconds), context)
      }
      if !waiting.isEmpty { usleep(UInt32(Self.interval)) }
      left -= Self.interval
      if !waiting.isEmpty, left <= next, left > 0 {
        next = .min
        try context.note(
          "waiting for \(waiting.joined(separator: ", ")), up to \(limit); is its program running?")
      }
    }
    for name in waiting {
      try show(name, "no answer; is its program running?", after: limit, context)
    }
    failed += waiting.count
    guard failed == 0 else {
      throw Failure(.noAnswer, "\(failed) of the destinations did not take the test firing")
    }
  }

  private func show(
    _ name: String, _ failure: String?, after span: TimeSpan, _ context: Context
  ) throws {
    guard !options.json else {
      return try context.output.line(
        JSONObject([
          "name": .string(name), "delivered": .bool(failure == nil),
          "after_s": .double(span.seconds), "text": failure.map { .string($0) },
        ]))
    }
    let rounded = TimeSpan(seconds: (span.seconds * 1_000).rounded() / 1_000)
    try context.output.line(
      "\(name)  \(failure.map { "failed: \($0)" } ?? "delivered")  (\(rounded))")
  }
}
