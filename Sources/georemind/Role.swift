import Client
import Daemon
import Hooks
import Notifier

/// The program's role, by the name of its call.
///
/// The roles share most of their code, so one file is a quarter of the size of four. The other
/// names are links to it; `ROLES` in the Makefile lists them.
enum Role: String, CaseIterable {
  case client = "georemind"
  case daemon = "georemindd"
  case notifier = "georemind-notify"
  case hooks = "georemind-hook"

  /// The first argument that chooses the role where there is no link: `georemind daemon`.
  var word: String? {
    switch self {
    case .client: nil
    case .daemon: "daemon"
    case .notifier: "notify"
    // The client has a verb 'hook'.
    case .hooks: "run-hook"
    }
  }

  /// The role of a command line, and the remaining arguments.
  ///
  /// The program's name decides; for the client's and any unknown one, the first argument.
  /// - Parameter line: the words as the kernel passes them, the program's name first.
  static func choose(by line: [String]) -> (role: Role, arguments: [String]) {
    let name = line.first?.split(separator: "/").last.map(String.init) ?? ""
    let arguments = Array(line.dropFirst())
    if let role = Role(rawValue: name), role != .client { return (role, arguments) }
    if let word = arguments.first, let role = allCases.first(where: { $0.word == word }) {
      return (role, Array(arguments.dropFirst()))
    }
    return (.client, arguments)
  }

  /// Runs it to its end and returns the exit code.
  func run(_ arguments: [String]) -> Int32 {
    switch self {
    case .client:
      Program.run(arguments, isWrongConfiguration: DaemonCommand.refuses)
    case .daemon: DaemonCommand.run(arguments)
    case .notifier: NotifyCommand.run(arguments)
    case .hooks: HookCommand.run(arguments)
    }
  }
}
