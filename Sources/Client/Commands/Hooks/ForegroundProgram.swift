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
    let process = try ProgramStart(words).run()
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw SystemError("wait for \(words[0])", code: errno) }
    }
    return status
  }
}
