import Glibc
import LinuxRuntime

/// A message bus of its own, without any service but the bus itself. Nil where there is no
/// dbus-daemon.
package final class PrivateBus {
  package let address: String
  private var process: pid_t

  package init?(in folder: TemporaryFolder) throws {
    address = "unix:path=\(folder.path)/bus"
    let program = "/usr/bin/dbus-daemon"
    guard access(program, X_OK) == 0 else { return nil }
    let words: [String] = [
      program, "--session", "--nofork", "--nopidfile", "--nosyslog", "--address=\(address)",
    ]
    let arguments = words.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, program, nil, nil, arguments + [nil], [nil])
    guard code == 0 else { throw SystemError("start \(program)", code: code) }
    self.process = process
  }

  deinit { end() }

  package func end() {
    guard process > 0 else { return }
    // A test nearby may have blocked SIGTERM, and a child inherits that.
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
    process = 0
  }
}
