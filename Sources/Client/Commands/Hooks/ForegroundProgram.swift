import Glibc
import LinuxRuntime

/// A program that has the terminal until it ends.
enum ForegroundProgram {
  /// - Parameter words: the name of the program, searched in `PATH`, and its arguments.
  /// - Returns: the status of waitpid(2), 0 for a success.
  static func run(_ words: [String]) throws(SystemError) -> Int32 {
    // Ctrl-C is for the program.
    let handlers = [SIGINT, SIGQUIT].map { ($0, signal($0, SIG_IGN)) }
    defer { for (number, handler) in handlers { signal(number, handler) } }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    sigemptyset(&defaults)
    for number in [SIGINT, SIGQUIT, SIGPIPE] { sigaddset(&defaults, number) }
    posix_spawnattr_setsigdefault(&attributes, &defaults)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, words[0], nil, &attributes, &arguments, environ)
    guard code == 0 else { throw SystemError("start \(words[0])", code: code) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw SystemError("wait for \(words[0])", code: errno) }
    }
    return status
  }
}
