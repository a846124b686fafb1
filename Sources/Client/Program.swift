import ArgumentParser
import Bytes
import Companion
import Configuration
import Glibc
import Reminders

/// The program around its verbs: arguments in, exit code out.
package enum Program {
  /// Runs one command line in this process and returns the exit code.
  /// - Parameter isWrongConfiguration: see `Context`.
  package static func run(
    _ arguments: [String], isWrongConfiguration: @escaping (String) -> Bool
  ) -> Int32 {
    // A reader that has seen enough (`| head`) ends this program without a word.
    signal(SIGPIPE, SIG_DFL)
    var context = Context.process()
    context.isWrongConfiguration = isWrongConfiguration
    return run(arguments, in: context)
  }

  /// Runs one command line and answers the exit code.
  package static func run(_ arguments: [String], in context: Context) -> Int32 {
    var context = context
    do {
      var given = prepared(arguments)
      if [[], ["-h"], ["--help"]].contains(given) {
        try context.output.line(FirstHelp.text)
        try context.output.flush()
        return 0
      }
      if let verb = given.first, ["add", "edit"].contains(verb) {
        given = try [verb] + StrayWords(given.dropFirst(), hasTitle: verb == "add").mended()
      }
      var command = try GeoremindCommand.parseAsRoot(given)
      if let command = command as? any ClientCommand {
        if !GeoremindCommand.hasOwnClock(command) {
          context.daemonClock = DaemonClock(command.options)
        }
        try command.run(in: context)
      } else {
        try command.run()
      }
      try context.output.flush()
      return 0
    } catch {
      if let failure = misspeltVerb(in: arguments, error) { return report(failure, in: context) }
      return report(error, of: prepared(arguments).first, in: context)
    }
  }

  /// The error for an unknown verb, with the nearest known one.
  private static func misspeltVerb(in arguments: [String], _ error: any Error) -> Failure? {
    guard Failure(error) == nil, let word = prepared(arguments).first, !word.hasPrefix("-") else {
      return nil
    }
    guard word != "help", !verbs.contains(word) else { return nil }
    let near = otherWords[word] ?? NearestWord.find(word, in: verbs)
    let hint = near.map { "did you mean '\($0)'? " } ?? ""
    return Failure(.usage, "there is no verb '\(word)'; \(hint)See 'georemind --help'")
  }

  /// Words that one might expect as verbs, each with the form that does it.
  private static let otherWords = [
    "map": "web link", "share": "web link", "distance": "convert", "unmute": "mute off",
    "pause": "mute", "quiet": "mute", "whereis": "where", "who": "tracker", "search": "list",
    "find": "place find", "tasks": "list", "new": "add", "alarm": "anchor",
  ]

  /// Words that one might expect as options of a reminder, each with the option for it.
  private static let otherOptions = [
    "in": "due", "time": "due", "when": "due", "after": "due", "where": "at", "place": "at",
  ]

  private static var verbs: [String] {
    let root = GeoremindCommand.configuration
    let commands = root.subcommands + root.groupedSubcommands.flatMap { $0.subcommands }
    return commands.flatMap { [$0.configuration.commandName ?? ""] + $0.configuration.aliases }
  }

  private static func report(
    _ error: any Error, of verb: String? = nil, in context: Context
  ) -> Int32 {
    // Prints results found before the failure.
    if let failure = Failure(error) {
      if failure.status != .ioError { try? context.output.flush() }
      if !failure.description.isEmpty {
        try? context.notes.line("georemind: \(failure.description.printable)")
        try? context.notes.flush()
      }
      return failure.status.rawValue
    }
    let code = GeoremindCommand.exitCode(for: error).rawValue
    let text = GeoremindCommand.fullMessage(for: error)
    if code == 0 {
      do throws(Failure) {
        try context.output.line(FirstHelp.withShortUsage(text))
        try context.output.flush()
        return 0
      } catch {
        return report(error, in: context)
      }
    }
    try? context.notes.line("georemind: \(usageError(error, of: verb).printable)")
    try? context.notes.flush()
    return code
  }

  /// The parser's sentence with a pointer to the right help.
  private static func usageError(_ error: any Error, of verb: String?) -> String {
    var message = GeoremindCommand.message(for: error)
    if message.hasPrefix("Error: ") { message.removeFirst(7) }
    if let better = unknownOption(message, of: verb) { message = better }
    if let hint = message.firstRange(of: ". Did you mean ") {
      message.replaceSubrange(hint, with: "; did you mean ")
    }
    let help = verb.flatMap { verbs.contains($0) ? "\($0) --help" : nil } ?? "--help"
    guard !message.hasSuffix("?") else { return message.lowercasedFirst }
    if message.hasSuffix(".") { message.removeLast() }
    return "\(message.lowercasedFirst); see 'georemind \(help)'"
  }

  /// The sentence for an unknown option of `add` or `edit`, with the nearest of a reminder: the
  /// parser's own hint passes over the ones that begin with it.
  private static func unknownOption(_ message: String, of verb: String?) -> String? {
    let begin = "Unknown option '--"
    guard ["add", "edit"].contains(verb), message.hasPrefix(begin) else { return nil }
    let name = String(message.dropFirst(begin.count).prefix { $0 != "'" })
    let near =
      otherOptions[name]
      ?? NearestWord.find(name, in: ReminderField.all.compactMap { $0.option?.name })
    return near.map { "\(begin)\(name)'. Did you mean '--\($0)'?" }
  }

  /// Allows common options before the verb, and coordinates and times with a minus.
  static func prepared(_ arguments: [String]) -> [String] {
    var rest = arguments[...]
    var common: [String] = []
    while let first = rest.first {
      if first == "--json" || first.hasPrefix("--socket=") {
        common.append(first)
        rest = rest.dropFirst()
      } else if first == "--socket", rest.count > 1 {
        common += rest.prefix(2)
        rest = rest.dropFirst(2)
      } else {
        break
      }
    }
    var result = Array(rest)
    if let verb = result.first, ["convert", "distance", "place"].contains(verb) {
      result = result.map { isNegativeNumber($0) ? " " + $0 : $0 }
    }
    // After the verb and before literal arguments.
    let end = result.firstIndex(of: "--") ?? result.endIndex
    result.insert(contentsOf: common, at: end)
    return result
  }

  /// `-33.87,151.21` is a coordinate, not an option. A space before it, which value readers ignore,
  /// keeps the parser from reading an option.
  private static func isNegativeNumber(_ text: String) -> Bool {
    guard text.utf8.first == UInt8(ascii: "-"), let second = text.utf8.dropFirst().first else {
      return false
    }
    return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second) || second == UInt8(ascii: ".")
  }
}
