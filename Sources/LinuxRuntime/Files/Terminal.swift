import CSystemd
import Glibc

/// A terminal in full-screen use: the alternate screen without a cursor, keys at once and without
/// echo. `leave()` restores it.
///
/// Control sequences: ECMA-48 and xterm, as in every Linux terminal, tmux, screen and the console.
package final class Terminal {
  package struct Size: Equatable, Sendable {
    package var columns: Int
    package var rows: Int

    package init(columns: Int, rows: Int) {
      self.columns = columns
      self.rows = rows
    }
  }

  private let input: Int32
  private let output: Int32
  /// The terminal's former settings; nil outside full-screen use and without keys.
  private var saved: termios?
  private var isTaken = false

  package init(input: Int32 = 0, output: Int32 = 1) {
    self.input = input
    self.output = output
  }

  deinit { leave() }

  /// Whether keys can come.
  package var hasKeys: Bool { isatty(input) == 1 }

  /// The terminal's size within bounds; 80 by 24 if it is unknown.
  package var size: Size {
    var size = winsize()
    guard ioctl(output, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return Size(columns: 80, rows: 24)
    }
    return Size(columns: min(Int(size.ws_col), 1_000), rows: min(Int(size.ws_row), 1_000))
  }

  /// Takes the terminal over; harmless when repeated.
  package func enter() {
    guard !isTaken else { return }
    isTaken = true
    var settings = termios()
    if hasKeys, tcgetattr(input, &settings) == 0 {
      saved = settings
      settings.c_lflag &= ~tcflag_t(ICANON | ECHO)
      tcsetattr(input, TCSADRAIN, &settings)
    }
    // The other screen, no cursor, no line that runs over into the next.
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
  }

  /// Gives it back; harmless when repeated.
  package func leave() {
    guard isTaken else { return }
    isTaken = false
    write("\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l")
    if var settings = saved { tcsetattr(input, TCSADRAIN, &settings) }
    saved = nil
  }

  /// Writes all of it, at once where the terminal takes it.
  package func write(_ text: String) {
    // A lost terminal is noticed by its hang-up.
    try? Descriptors.write(text, to: output, "write to the terminal")
  }

  /// The keys that were pressed; nil where the terminal hung up.
  package func keys() -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(input, &bytes, bytes.count)
    if count > 0 { return Array(bytes[..<count]) }
    return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
  }

  /// Waits for keys.
  package func watch(
    on loop: EventLoop, handler: @escaping () -> Void
  ) throws(SystemError) -> IOSource {
    try loop.addIO(input, .readable) { _ in handler() }
  }
}
