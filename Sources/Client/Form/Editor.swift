import Companion
import Glibc
import LinuxRuntime

/// The user's editor: `$VISUAL`, else `$EDITOR`, else the system's.
struct Editor {
  /// A line for the shell, as git reads it: `code --wait` is as good as `vi`.
  let command: String

  /// Nil where none is named and nobody sits at a terminal to use one.
  init?(_ context: Context) {
    let named = ["VISUAL", "EDITOR"].compactMap { context.environment[$0] }.first { !$0.isEmpty }
    if let named {
      command = named
    } else if context.isInteractive, isatty(0) == 1 {
      // Debian's alternative; nano and vi are nearly everywhere.
      command = "$(command -v editor || command -v nano || command -v vi)"
    } else {
      return nil
    }
  }

  /// Opens a file and waits until it is closed.
  func open(_ path: String) throws {
    // Ctrl-C is for the editor.
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
    let words = ["sh", "-c", "\(command) \"$@\"", "sh", path]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, "/bin/sh", nil, &attributes, &arguments, environ)
    guard code == 0 else { throw SystemError("start the editor \(command)", code: code) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { throw SystemError("wait for the editor", code: errno) }
    }
    guard status == 0 else {
      throw Failure(
        .unavailable,
        "the editor '\(command)' failed; nothing was changed. Name another one in EDITOR")
    }
  }
}
