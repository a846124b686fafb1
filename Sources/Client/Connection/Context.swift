package import CivilTime
import Companion
import Configuration
import Glibc

/// The surroundings of a command: streams, clock and environment.
package struct Context {
  package var output: Output
  package var notes: Output
  /// The variables that matter, by name.
  package var environment: [String: String]
  /// The present of this machine.
  private let machineTime: Instant
  /// The daemon's clock, for a verb that talks to the daemon.
  var daemonClock: DaemonClock?
  /// The present, by the clock of the daemon that the verb talks to.
  package var now: Instant { daemonClock?.recorded(self) ?? machineTime }
  /// Files that say how values are shown; later files override earlier ones.
  package var configurationFiles: [String]
  /// Whether the daemon refuses to start with a configuration file and those beside it.
  package var isWrongConfiguration: (String) -> Bool = { _ in false }
  /// Asks the person at the terminal and gives the answer; nil without a terminal.
  package var ask: (_ question: String) throws -> String? = { _ in nil }
  /// Microseconds until a call that no daemon has read is sent again; nil sends it once only.
  var retryDelay: UInt32? = 1_000_000

  package init(
    output: Output, notes: Output, environment: [String: String] = [:], now: Instant,
    configurationFiles: [String] = []
  ) {
    self.output = output
    self.notes = notes
    self.environment = environment
    machineTime = now
    self.configurationFiles = configurationFiles
  }

  private static let variables = [
    "GEOREMIND_SOCKET", "XDG_RUNTIME_DIR", "TZ", "TZDIR", "NO_COLOR", "TERM", "VISUAL", "EDITOR",
    "TMPDIR",
  ]

  /// The context of this process.
  package static func process() -> Context {
    var environment: [String: String] = [:]
    for name in variables {
      if let value = getenv(name) { environment[name] = String(cString: value) }
    }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let notes = Output(descriptor: 2, noColor: environment["NO_COLOR"])
    var context = Context(
      output: Output(descriptor: 1, noColor: environment["NO_COLOR"]), notes: notes,
      environment: environment,
      now: Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000),
      configurationFiles: [
        ServiceFolders.systemConfiguration, ServiceFolders().configurationFile,
      ])
    context.ask = { question in
      guard isatty(0) == 1 else { return nil }
      try notes.part(question)
      return readLine()
    }
    return context
  }

  /// Whether a page can be drawn on the output.
  var isInteractive: Bool {
    output.isTerminal && !["", "dumb"].contains(environment["TERM"] ?? "")
  }

  var zoneDirectory: String {
    let directory = environment["TZDIR"] ?? ""
    return directory.isEmpty ? TimeZoneRules.defaultDirectory : directory
  }

  /// The zone of the system's clocks.
  func zone() throws(Failure) -> TimeZoneRules {
    do throws(TimeZoneError) {
      return try TimeZoneRules.system(tz: environment["TZ"], directory: zoneDirectory)
    } catch {
      throw Failure(.badConfiguration, error.description)
    }
  }

  /// How values are shown on this output.
  func display() throws(Failure) -> Display {
    Display(
      time: HumanTime(now: now, zone: try zone()),
      units: DisplaySettings(files: configurationFiles).units, isForPeople: output.isTerminal)
  }

  /// A zone by name.
  func zone(named name: String) throws(Failure) -> TimeZoneRules {
    do throws(TimeZoneError) {
      return try TimeZoneRules(named: name, directory: zoneDirectory)
    } catch {
      throw Failure(.badData, error.description)
    }
  }

  /// A time as people type it, in a zone; nil is the system's. A note of how it was read goes to
  /// the error stream.
  /// - Parameters:
  ///   - dayAlone: what a day without a time of day means; nil is `DefaultTime=`.
  ///   - direction: whether a bare time is the next or the last one.
  func time(
    _ text: String, option: String, in zone: TimeZoneRules? = nil, dayAlone: DayAlone? = nil,
    direction: TimeDirection = .ahead
  ) throws(Failure) -> TypedTime {
    let zone = if let zone { zone } else { try self.zone() }
    let time: TypedTime
    do throws(TimeStampError) {
      time = try typedTime(text, in: zone, dayAlone: dayAlone, direction: direction)
    } catch {
      throw Failure(.badData, "\(option): \(error)")
    }
    if let words = time.note { try note("note: \(words)") }
    return time
  }

  /// A time that has passed, as RFC 3339: a bare time is the last one, a day alone its beginning.
  func past(_ text: String?, option: String) throws(Failure) -> String? {
    guard let text else { return nil }
    let time = try time(text, option: option, dayAlone: .start, direction: .back)
    return time.stamp.instant(in: try zone()).json
  }

  /// A time as people type it, with the note of how it was read.
  func typedTime(
    _ text: String, in zone: TimeZoneRules, dayAlone: DayAlone? = nil,
    direction: TimeDirection = .ahead
  ) throws(TimeStampError) -> TypedTime {
    let directory = zoneDirectory
    let usual = DisplaySettings(files: configurationFiles).defaultTime
    return try TypedTime(
      text, now: now, zone: zone, dayAlone: dayAlone ?? .at(usual), direction: direction
    ) { name throws(TimeZoneError) in
      try TimeZoneRules(named: name, directory: directory)
    }
  }

  /// The time at the end of a title's words; nil without one.
  func titleTime(_ words: [String]) -> TitleTime? {
    guard let zone = try? zone() else { return nil }
    return TitleTime(words, isTime: { (try? typedTime($0, in: zone)) != nil })
  }

  /// The same without notes.
  var silent: Context {
    var silent = self
    silent.notes = Output()
    return silent
  }

  /// A note for people, on the error stream.
  func note(_ text: String) throws(Failure) {
    try output.flush()
    try notes.line("georemind: \(text.printable)")
    try notes.flush()
  }
}
