import ArgumentParser

/// A verb that is handed what it works with.
protocol ClientCommand: ParsableCommand {
  func run(in context: Context) throws
}

/// Options that every verb takes.
struct CommonOptions: ParsableArguments {
  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The daemon's control socket.", valueName: "path"),
    completion: .file())
  var socket: String?
}
