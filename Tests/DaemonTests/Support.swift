import CivilTime
import Control
import Glibc
import JSONText
import LinuxRuntime
import Logging
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// A journal that a test can look into and make fail.
final class TestJournal: JournalSink {
  private(set) var entries: [JournalEntry.Contents] = []
  /// Called before an entry is taken; what it throws refuses the entry.
  var beforeEntry: (JournalEntry.Contents) throws(JournalError) -> Void = {
    _ throws(JournalError) in
  }
  /// Called once an entry is taken.
  var afterEntry: (JournalEntry.Contents) -> Void = { _ in }

  func write(_ entry: consuming JournalEntry) throws(JournalError) {
    let entry = entry.contents
    #expect(Set(entry.fields.map(\.name)).count == entry.fields.count, "a field stands twice")
    try beforeEntry(entry)
    entries.append(entry)
    afterEntry(entry)
  }

  /// Becomes writable when it is no longer busy.
  var room: Int32?

  func roomDescriptor() -> Descriptor? { room.map { Descriptor(dup($0)) } }

  func entries(_ id: MessageID) -> [JournalEntry.Contents] {
    entries.filter { $0[.messageID] == id.rawValue }
  }

  /// Firings in the order they came.
  var firings: [JournalEntry.Contents] { entries.filter(\.isFiring) }

  /// Reminders that fired, in order, each with its event: `milk arrive`.
  var fired: [String] {
    firings.map { "\($0["GEOREMIND_REMINDER_ID"] ?? "?") \($0["GEOREMIND_EVENT"] ?? "?")" }
  }

  /// Messages of that priority or a more urgent one, firings aside.
  func troubles(_ least: JournalPriority) -> [String] {
    entries.filter { !$0.isFiring && $0.priority <= least }.map(\.message)
  }
}

extension JournalEntry.Contents {
  var isFiring: Bool {
    [MessageID.firing, .lateFiring].map { Optional($0.rawValue) }.contains(self[.messageID])
  }
}

/// A daemon in this process with a folder, a journal and a configuration of its own.
final class Rig {
  let folder: TemporaryFolder
  let journal: TestJournal
  let daemon: Daemon
  /// What a reload finds changed beside the file.
  var changeAtReload: (inout DaemonSettings) -> Void {
    get { changes.atReload }
    set { changes.atReload = newValue }
  }
  private let changes: Changes

  private final class Changes { var atReload: (inout DaemonSettings) -> Void = { _ in } }

  /// - Parameters:
  ///   - folder: of an earlier daemon, to go on where it stopped.
  ///   - config: the configuration file; a test without a `Feed=` has none.
  ///   - beforeStart: what happens to the daemon once its store is open.
  init(
    _ config: String = "", folder: TemporaryFolder? = nil, journal: TestJournal = TestJournal(),
    lookUp: Outbox.LookUp? = nil, restoredFirings: Restoration.Journal? = nil,
    systemClock: @escaping () -> Int64 = SystemClock.now,
    change: (inout DaemonSettings) -> Void = { _ in },
    beforeStart: (Daemon) throws -> Void = { _ in }
  ) throws {
    let folder = try folder ?? TemporaryFolder()
    self.folder = folder
    self.journal = journal
    let file = try folder.file(
      "georemind.conf", config.contains("Feed=") ? config : "[Feed]\nFeed=\n" + config)
    var number = 0
    while access("\(folder.path)/socket-\(number)", F_OK) == 0 { number += 1 }
    let arguments = DaemonSettings.Arguments(
      configFile: file, stateDirectory: folder.path, socket: "\(folder.path)/socket-\(number)")
    // Other suites set TZ while this one runs, and a container may have no machine-id(5).
    func load() throws -> DaemonSettings {
      var settings = try DaemonSettings.load(arguments).settings
      settings.timeZoneName = "UTC"
      settings.machine = "this"
      return settings
    }
    var settings = try load()
    change(&settings)
    let changes = Changes()
    self.changes = changes
    let log = Logger(label: "test") { _ in JournalLogHandler(sink: journal, logLevel: .info) }
    daemon = try Daemon(
      settings: settings, sink: journal, services: ServiceManager(), log: log, lookUp: lookUp,
      restoredFirings: restoredFirings, systemClock: systemClock,
      reload: {
        var settings = try load()
        changes.atReload(&settings)
        return settings
      })
    try beforeStart(daemon)
    try daemon.start()
  }

  func configure(_ config: String) throws { try folder.file("georemind.conf", config) }

  /// Runs turns of the loop until the condition holds; fails the test where that takes very long.
  func run(until condition: () throws -> Bool) throws {
    let limit = SystemClock.monotonic.microseconds + 30_000_000
    while try !condition() {
      let left = limit - SystemClock.monotonic.microseconds
      try #require(left > 0, "it did not come about")
      try daemon.loop.runOnce(timeout: min(left, 100_000))
    }
  }

  /// Runs turns of the loop until nothing waits for it.
  func settle() throws { while try daemon.loop.runOnce(timeout: 0) {} }

  func client() throws -> Client { try Client(self) }
}

/// A client of the control socket, on the thread of the daemon: while it waits the daemon works.
final class Client {
  private unowned let rig: Rig
  private let socket: UnixClient
  private var session = VarlinkClientSession()
  private var replies: [VarlinkClientSession.Reply] = []

  init(_ rig: Rig) throws {
    self.rig = rig
    socket = try UnixClient(path: rig.daemon.settings.socketPath, timeout: 1_000_000)
  }

  func close() { socket.close() }

  /// Calls a method of `org.georemind`, or any method by its full name.
  /// - Parameter timeout: microseconds for the socket to take it.
  func send(
    _ method: String, _ parameters: JSONObject = JSONObject(), more: Bool = false,
    timeout: Int64 = 1_000_000
  ) throws {
    let name = method.contains(".") ? method : "org.georemind.\(method)"
    try socket.send(session.call(name, parameters, more: more).bytes, timeout: timeout)
    // A stream is open when this returns.
    if more { try rig.settle() }
  }

  /// The beginning of a call, whose end never comes.
  func sendHalfACall() throws { try sendRaw(Array(#"{"method":"org.geo"#.utf8)) }

  func sendRaw(_ bytes: [UInt8]) throws { try socket.send(bytes, timeout: 1_000_000) }

  /// The next reply to whatever was sent.
  func reply() throws -> Result<JSONObject, VarlinkError> {
    try rig.run { try !poll().isEmpty }
    return replies.removeFirst().result
  }

  func call(_ method: String, _ parameters: JSONObject = JSONObject()) throws -> JSONObject {
    try send(method, parameters)
    return try reply().get()
  }

  /// With the parameters as JSON.
  func call(_ method: String, _ parameters: String) throws -> JSONObject {
    try call(method, object(parameters))
  }

  /// The error that a call is answered with.
  func error(_ method: String, _ parameters: String = "{}") throws -> VarlinkError {
    try send(method, object(parameters))
    guard case .failure(let error) = try reply() else {
      throw Unexpected("\(method) was to be refused")
    }
    return error
  }

  /// What has come so far.
  @discardableResult
  func poll() throws -> [VarlinkClientSession.Reply] {
    do {
      guard let message = try socket.receive(timeout: 0) else {
        throw Unexpected("the daemon hung up")
      }
      replies += try session.receive(message + [0])
    } catch let error as SystemError where error.code == ETIMEDOUT {}
    return replies
  }
}

struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func object(_ text: String) throws -> JSONObject {
  var parser = JSONParser(Array(text.utf8))
  return try #require(try parser.next()?.object)
}

func reminder(_ text: String) throws -> Reminder {
  try Reminder(json: object(text), newID: "unnamed")
}

/// A date reminder of the absolute time `now + offset`.
func dated(_ id: String, in offset: TimeSpan, title: String? = nil) throws -> Reminder {
  let due = (Instant(microseconds: SystemClock.now()) + offset).json
  return try reminder(
    #"{"id":"\#(id)","kind":"date","title":"\#(title ?? id)","due":"\#(due)"}"#)
}

extension ReminderStore {
  /// All reminders in the order of insertion, and the unreadable rows.
  func all() throws(StoreError) -> (values: [Entry], problems: [RowProblem]) {
    var values: [Entry] = []
    let problems = try forEach { values.append($0) }
    return (values, problems)
  }
}

extension Database {
  /// Every write fails from now on, as on a file system that was remounted read-only.
  func freeze() throws { try execute("PRAGMA query_only = ON") }

  func thaw() throws { try execute("PRAGMA query_only = OFF") }
}

extension Daemon {
  func add(_ reminder: Reminder) throws { try addAll([reminder]) }

  func addAll(_ reminders: [Reminder]) throws { try save(new: reminders, changed: []) }
}

/// How many transactions the write-ahead log holds: frames that end one have the size of the
/// database in their header (https://sqlite.org/fileformat2.html#walformat).
func commits(_ folder: TemporaryFolder) throws -> Int {
  let log = try fileBytes("\(folder.path)/georemind.db-wal")
  func number(_ offset: Int) -> Int {
    log[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }
  guard log.count > 32 else { return 0 }
  let frame = 24 + number(8)
  return stride(from: 32, to: log.count - frame + 1, by: frame)
    .filter { number($0 + 4) != 0 }.count
}
