import Companion
import LinuxRuntime

/// Progress of reading a file, on a terminal, after half a second.
struct ProgressNote {
  private let notes: Output
  private let name: String
  private let size: Int?
  private let isShown: Bool
  private var next = SystemClock.monotonic.microseconds + 500_000
  private var wasShown = false

  /// Silent where the output itself goes to the terminal.
  init(context: Context, input: InputFile) {
    self.init(context: context, name: input.name, size: input.size)
  }

  /// - Parameter isOnlyOutput: nothing else is printed before the end.
  init(context: Context, name: String, size: Int?, isOnlyOutput: Bool = false) {
    notes = context.notes
    self.name = name
    self.size = size
    isShown =
      notes.hasColor && (isOnlyOutput || !context.output.isTerminal) && size ?? 0 > 0
  }

  /// - Parameter bytesRead: of `size`.
  mutating func update(_ bytesRead: Int) throws(Failure) {
    guard isShown, let size, SystemClock.monotonic.microseconds >= next else { return }
    next = SystemClock.monotonic.microseconds + 200_000
    wasShown = true
    try notes.part("\r\(name.printable): \(min(100, bytesRead * 100 / size)) %\u{1B}[K")
  }

  /// Takes the line away again.
  mutating func finish() throws(Failure) {
    guard wasShown else { return }
    wasShown = false
    try notes.part("\r\u{1B}[K")
  }
}
