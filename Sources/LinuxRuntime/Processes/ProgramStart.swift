package import Glibc

/// A program to be started as a child without a shell (posix_spawn(3)). The loop has signals
/// blocked and ignores some, which a program would inherit: it gets none blocked, and the defaults.
package struct ProgramStart {
  /// The program, searched in `PATH` unless it has a slash, and its arguments.
  package var words: [String]
  /// NAME=VALUE; nil for the environment of this process.
  package var environment: [String]?
  /// Descriptors that become its standard input, output and error, in this order; the others
  /// stay as in this process.
  package var streams: [Int32] = []
  /// Whether it leads a session of its own.
  package var isSession = false

  /// POSIX_SPAWN_SETSID, which the C library declares for GNU programs alone.
  private static let newSession: Int16 = 0x80
  private static let ignored = [SIGINT, SIGQUIT, SIGPIPE]

  package init(_ words: [String]) { self.words = words }

  /// - Parameter remedy: what helps against a number of errno(3).
  /// - Returns: the process, to be waited for by the caller.
  package func run(remedy: (Int32) -> String? = { _ in nil }) throws(SystemError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in streams.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in Self.ignored { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    posix_spawnattr_setflags(&attributes, isSession ? flags | Self.newSession : flags)
    let arguments = words.map { strdup($0) } + [nil]
    let variables = environment.map { $0.map { strdup($0) } + [nil] }
    defer { for text in arguments + (variables ?? []) { free(text) } }
    var process: pid_t = 0
    let code =
      if let variables {
        posix_spawnp(&process, words[0], &actions, &attributes, arguments, variables)
      } else { posix_spawnp(&process, words[0], &actions, &attributes, arguments, environ) }
    guard code == 0 else { throw SystemError("run \(words[0])", code: code, remedy: remedy(code)) }
    return process
  }
}
