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
    let status = try ForegroundProgram.run(["sh", "-c", "\(command) \"$@\"", "sh", path])
    guard status == 0 else {
      throw Failure(
        .unavailable,
        "the editor '\(command)' failed; nothing was changed. Name another one in EDITOR")
    }
  }
}
