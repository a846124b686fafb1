import ArgumentParser

/// A verb that is handed what it works with.
protocol ClientCommand: ParsableCommand {
  var options: CommonOptions { get }
  func run(in context: Context) throws
}

extension Option where Value == String? {
  /// An option that takes any text, even with a leading dash.
  init(_ help: String, _ valueName: String? = nil, completion: CompletionKind? = nil) {
    self.init(
      parsing: .unconditional, help: ArgumentHelp(help, valueName: valueName),
      completion: completion)
  }
}

/// Options that every verb takes.
struct CommonOptions: ParsableArguments {
  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @Option("The daemon's control socket.", "path", completion: .file()) var socket: String?
}
