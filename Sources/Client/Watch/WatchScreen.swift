import CivilTime
import Companion
import Control
import Glibc
import JSONText
import LinuxRuntime

/// The live page: asks the daemon once a second, takes firings, draws changes, until `q` or Ctrl-C.
final class WatchScreen {
  private let loop: EventLoop
  private let terminal: Terminal
  private let session: DaemonSession
  private let display: Display
  private let hasColor: Bool
  private var state = WatchPage.State()
  /// The lines on the screen; only changed ones are sent.
  private var drawn: [String] = []
  private var size = Terminal.Size(columns: 0, rows: 0)
  private var sources: [SignalSource] = []
  private var keys: IOSource?
  private var ticks: TimerSource?
  /// Questions of this round that were not answered yet.
  private var pending = 0

  private static let interval: Int64 = 1_000_000
  private static let longestList = 100

  init(
    loop: EventLoop, terminal: Terminal, session: DaemonSession, display: Display,
    hasColor: Bool
  ) {
    self.loop = loop
    self.terminal = terminal
    self.session = session
    self.display = display
    self.hasColor = hasColor
  }

  /// Runs until the user has seen enough; the terminal is as it was then.
  func run() throws {
    let follower = try FiringFollower(
      session: session, loop: loop, name: nil, backlog: WatchPage.State.keptFirings)
    follower.onFiring = { [unowned self] firing, isMissed, done in
      state.add(firing.json)
      // Many of before are drawn together, with the answers to the next questions.
      if isMissed { ticks?.arm(in: 50_000) } else { draw() }
      done(.delivered)
    }
    session.onConnection = { [unowned self] in
      state.failure = nil
      ask()
    }
    session.onLoss = { [unowned self] reason in
      state.failure = reason
      pending = 0
      draw()
    }
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      sources.append(try loop.addSignal(signal) { [unowned self] _ in loop.exit(0) })
    }
    sources.append(try loop.addSignal(SIGWINCH) { [unowned self] _ in draw() })
    sources.append(try loop.addSignal(SIGTSTP) { [unowned self] _ in pause() })
    if terminal.hasKeys {
      keys = try terminal.watch(on: loop) { [unowned self] in readKeys() }
    }
    ticks = try loop.addTimer(.monotonic, accuracy: 50_000) { [unowned self] _ in ask() }
    terminal.enter()
    defer { terminal.leave() }
    draw()
    follower.start()
    session.start()
    _ = try loop.run()
    follower.stop()
    session.stop()
  }

  private func readKeys() {
    guard let pressed = terminal.keys() else { return loop.exit(0) }
    for key in pressed {
      switch key {
      case UInt8(ascii: "q"), UInt8(ascii: "Q"), 0x03, 0x04: loop.exit(0)
      case 0x0C:
        drawn = []
        draw()
      default: break
      }
    }
  }

  /// Ctrl-Z: the shell gets its screen back until `fg`.
  private func pause() {
    terminal.leave()
    kill(getpid(), SIGSTOP)
    terminal.enter()
    drawn = []
    draw()
  }

  // MARK: - Questions

  private func ask() {
    ticks?.arm(in: Self.interval)
    // A daemon that is busy is not asked again before it has answered.
    guard pending == 0, session.isConnected else { return }
    pending = 3
    session.call("Status") { [unowned self] in take($0, "status") { $0.status = $1 } }
    session.call("Where") { [unowned self] in take($0, nil) { $0.position = $1 } }
    session.call("Next", ["limit": .int(Self.longestList)]) { [unowned self] in
      take($0, nil) { $0.next = $1 }
    }
  }

  private func take(
    _ answer: Result<JSONObject, VarlinkError>?, _ member: String?,
    _ keep: (inout WatchPage.State, JSONObject) -> Void
  ) {
    pending = max(0, pending - 1)
    if case .success(let object)? = answer {
      keep(&state, member.flatMap { object[$0]?.object } ?? object)
    }
    if pending == 0, answer != nil { draw() }
  }

  // MARK: - Drawing

  private func draw() {
    let now = terminal.size
    var output = ""
    if now != size || drawn.isEmpty {
      size = now
      drawn = []
      output = "\u{1B}[0m\u{1B}[2J"
    }
    let lines = WatchPage(state: state, display: display).lines(
      columns: size.columns, rows: size.rows
    )
    .map { line in
      // After a full line the cursor is on its last character, which must not be erased.
      line.rendered(color: hasColor) + (line.columns < size.columns ? "\u{1B}[K" : "")
    }
    for (index, line) in lines.enumerated() where drawn.count <= index || drawn[index] != line {
      output += "\u{1B}[\(index + 1);1H\(line)"
    }
    drawn = lines
    // One write: a terminal shows it as a whole.
    if !output.isEmpty { terminal.write(output) }
  }
}
