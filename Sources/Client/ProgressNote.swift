import LinuxRuntime

/// How much of a file has been read, on a terminal, once that takes longer than half a second.
struct ProgressNote {
  private let notes: Output
  private let input: InputFile
  private let isShown: Bool
  private var next = SystemClock.monotonic.microseconds + 500_000
  private var wasShown = false

  /// Silent where the output itself goes to the terminal.
  init(context: Context, input: InputFile) {
    notes = context.notes
    self.input = input
    isShown = notes.hasColor && !context.output.isTerminal && input.size ?? 0 > 0
  }

  mutating func update() throws(Failure) {
    guard isShown, let size = input.size, SystemClock.monotonic.microseconds >= next else { return }
    next = SystemClock.monotonic.microseconds + 200_000
    wasShown = true
    try notes.part("\r\(input.name.printable): \(min(100, input.bytesRead * 100 / size)) %\u{1B}[K")
  }

  /// Takes the line away again.
  mutating func finish() throws(Failure) {
    guard wasShown else { return }
    wasShown = false
    try notes.part("\r\u{1B}[K")
  }
}
