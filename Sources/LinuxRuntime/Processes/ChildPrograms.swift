import CSystemd
import Glibc

/// Programs that run as children of this process, each in a session of its own. That is killed when
/// the program ends.
///
/// With `adopts`, a process that left its session becomes a child of this process (prctl(2),
/// PR_SET_CHILD_SUBREAPER), and is killed once no program runs: nothing outlives the programs.
package final class ChildPrograms {
  package enum Ending: Equatable, Sendable {
    case ended(ChildEnd)
    case tookTooLong
  }

  private struct Running {
    let onEnd: (Ending) -> Void
    var source: ChildSource?
    var timer: TimerSource?
    var isLate = false
  }

  /// A program that took too long gets SIGTERM, and SIGKILL after this time. Microseconds.
  private static let grace: Int64 = 5_000_000
  /// Between two searches for adopted processes that have yet to die.
  private static let pause: Int64 = 100_000

  private let loop: EventLoop
  private var cleaning: TimerSource?
  /// By process, which is the session as well.
  private var running: [pid_t: Running] = [:]

  package var count: Int { running.count }

  /// - Parameter adopts: all children of this thread are programs or what they left behind.
  package init(loop: EventLoop, adopts: Bool) throws(SystemError) {
    self.loop = loop
    guard adopts else { return }
    guard georemind_adopt_orphans() == 0 else {
      throw .last("adopt the processes of programs")
    }
    cleaning = try loop.addTimer(.monotonic, accuracy: Self.pause) { [unowned self] _ in
      killAdopted()
    }
  }

  /// Starts a program without a shell. It shares standard output and standard error.
  /// - Parameters:
  ///   - environment: NAME=VALUE, in place of this process's environment.
  ///   - input: its standard input.
  ///   - limit: microseconds that it may take.
  package func start(
    _ path: String, environment: [String], input: [UInt8], limit: Int64,
    onEnd: @escaping (Ending) -> Void
  ) throws(SystemError) {
    Self.blockEnds()
    var program = ProgramStart([path])
    program.environment = environment
    program.isSession = true
    let file = try Self.memory(of: input)
    program.streams = [file.raw]
    let process = try program.run { $0 == EACCES ? "make it executable with chmod +x" : nil }
    file.close()
    do throws(SystemError) {
      let source = try loop.addChild(process) { [unowned self] in ended(process, $0) }
      let timer = try loop.addTimer(.monotonic, accuracy: 100_000) { [unowned self] _ in
        end(process)
      }
      timer.arm(in: limit)
      running[process] = Running(onEnd: onEnd, source: source, timer: timer)
    } catch {
      kill(-process, SIGKILL)
      waitpid(process, nil, 0)
      throw error
    }
  }

  /// As sd_event_add_child(3) wants it.
  private static func blockEnds() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGCHLD)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Kills all programs, without a report.
  package func stop() {
    for process in running.keys {
      kill(-process, SIGKILL)
      waitpid(process, nil, 0)
    }
    running = [:]
    cleaning = nil
  }

  private func end(_ process: pid_t) {
    guard let program = running[process] else { return }
    kill(-process, program.isLate ? SIGKILL : SIGTERM)
    running[process]?.isLate = true
    program.timer?.arm(in: Self.grace)
  }

  /// The process is a zombie, so its number names this session and no other.
  private func ended(_ process: pid_t, _ end: ChildEnd) {
    kill(-process, SIGKILL)
    guard let program = running.removeValue(forKey: process) else { return }
    program.timer?.close()
    cleaning?.arm(in: 0)
    program.onEnd(program.isLate ? .tookTooLong : .ended(end))
  }

  private func killAdopted() {
    guard running.isEmpty else { return }
    let children = Self.children()
    for child in children {
      kill(child, SIGKILL)
      waitpid(child, nil, WNOHANG)
    }
    if !children.isEmpty { cleaning?.arm(in: Self.pause) }
  }

  /// The children of this thread (proc(5)).
  private static func children() -> [pid_t] {
    let file = Descriptor(open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC))
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let count = read(file.raw, &bytes, bytes.count)
    guard count > 0 else { return [] }
    return bytes.prefix(count).split(separator: 0x20).compactMap {
      pid_t(String(decoding: $0, as: UTF8.self))
    }
  }

  /// MFD_CLOEXEC, which the C library declares for GNU programs alone.
  private static let closeOnExec: UInt32 = 1

  /// A file without a name, at its beginning.
  private static func memory(of bytes: [UInt8]) throws(SystemError) -> Descriptor {
    let file = Descriptor(memfd_create("input", Self.closeOnExec))
    guard write(file.raw, bytes, bytes.count) == bytes.count, lseek(file.raw, 0, SEEK_SET) == 0
    else { throw .last("prepare the input of a program") }
    return file
  }
}
