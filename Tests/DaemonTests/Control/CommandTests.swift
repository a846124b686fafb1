import CivilTime
import Control
import Geodesy
import Glibc
import JSONText
import LinuxRuntime
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// A command is one commit, and one that the store refuses has not happened.
@Suite(.serialized) struct CommandTests {
  private let rig: Rig
  private let start = Instant(microseconds: SystemClock.now())
  private var daemon: Daemon { rig.daemon }

  init() throws { rig = try Rig() }

  private func entry(_ id: String) throws -> ReminderStore.Entry {
    try #require(try daemon.store.reminders.reminder(id: id))
  }

  /// Reminders of each kind; `fired` has fired and waits for its user.
  private func addSome() throws -> [String] {
    let place = Reminder.Place(
      name: "Pier", position: try #require(Coordinate(latitude: 53.5461, longitude: 9.9661)))
    try daemon.addAll([
      dated("fired", in: .hours(1)),
      Reminder(
        id: "shop", kind: .location, title: "Shop", place: place, everyVisit: true),
      Reminder(
        id: "ferry", kind: .preemptive, title: "Ferry", place: place,
        due: .absolute(start + .hours(50))),
      dated("later", in: .hours(9)),
    ])
    daemon.host.advance(to: start + .hours(2))
    #expect(rig.journal.fired.count == 1)
    return ["fired", "shop", "ferry", "later"]
  }

  // MARK: - Bounded work

  /// Counting its occurrences from the year 1 takes the processor a tenth of a second.
  private static let slowRule =
    "FREQ=SECONDLY;INTERVAL=86399;BYHOUR=1;BYMINUTE=1;BYSECOND=1;COUNT=1000000"

  @Test func aRuleThatTakesTooLongToCountIsRefusedAndNothingIsStored() throws {
    let client = try rig.client()
    let slow = #"{"title":"S","due":"0001-01-01T00:00:00Z","repeat":"\#(Self.slowRule)"}"#
    for call in ["Add", "Import"] {
      let parameters =
        call == "Add"
        ? #"{"reminder":\#(slow)}"# : #"{"reminders":[{"title":"A","due":"2100-01-01"},\#(slow)]}"#
      let error = #expect(throws: VarlinkError.self) { try client.call(call, parameters) }
      #expect(error?.parameters["field"]?.string == "repeat")
    }
    #expect(try daemon.store.reminders.count() == 0)
  }

  /// Each of the rules alone is accepted.
  @Test func theRulesOfOneCallShareABudget() throws {
    let rule = "FREQ=DAILY;BYHOUR=1;COUNT=100000"
    func document(_ index: Int) throws -> Reminder {
      var reminder = Reminder(id: "\(index)", kind: .date, title: "T")
      reminder.due = .absolute(start - .hours(24 * 9_000))
      reminder.repeatRule = try RepeatRule(parsing: rule)
      return reminder
    }
    try daemon.add(document(0))
    #expect(throws: GeoremindError.self) { try daemon.addAll((1...300).map(document)) }
    #expect(try daemon.store.reminders.count() == 1)
  }

  // MARK: - One commit

  @Test func eachCommandIsOneCommit() throws {
    _ = try addSome()
    daemon.outbox.writeMarks()
    var before = try commits(rig.folder)
    func expectOne(_ command: () throws -> Void) throws {
      try command()
      let now = try commits(rig.folder)
      #expect(now == before + 1)
      before = now
    }
    try expectOne { try daemon.add(dated("new", in: .hours(3))) }
    try expectOne { try daemon.addAll((0..<50).map { try dated("n\($0)", in: .hours(3)) }) }
    try expectOne {
      var changed = try entry("later")
      changed.reminder.title = "Changed"
      try daemon.save(new: [], changed: [changed])
    }
    try expectOne { try daemon.snooze([entry("fired").reminder], until: "1h") }
    try expectOne { try daemon.complete([entry("fired")]) }
    try expectOne { try daemon.complete([entry("later")], isPop: true) }
    try expectOne { try daemon.remove(["ferry"]) }
  }

  /// The store has what the engine made of a new reminder, not what it began with.
  @Test func theStoreHasTheHistoryOfTheEngine() throws {
    for id in try addSome() {
      let stored = try entry(id)
      #expect(stored.history == daemon.host.engine.history(id))
      #expect(stored.standing == daemon.host.engine.standing(id))
    }
  }

  /// A place and the reminders that follow it change together.
  @Test func aPlaceMovesWithItsReminders() throws {
    let client = try rig.client()
    _ = try client.call("AddPlace", #"{"name":"Pier","latitude":53.5,"longitude":9.9}"#)
    _ = try client.call(
      "Add", #"{"reminder":{"id":"r","kind":"location","title":"R","place":"Pier"}}"#)
    let before = try commits(rig.folder)
    _ = try client.call("EditPlace", #"{"name":"Pier","latitude":54.5,"longitude":9.9}"#)
    #expect(try commits(rig.folder) == before + 1)
    #expect(try entry("r").reminder.place?.position.latitude == 54.5)
    try daemon.store.database.freeze()
    try client.send(
      "EditPlace", ["name": "Pier", "latitude": .double(55.5), "longitude": .double(9.9)])
    let refusal = try client.reply()
    guard case .failure(let error) = refusal else { throw Unexpected(what: "\(refusal)") }
    #expect(error.name.hasSuffix("StoreTrouble"))
    #expect(daemon.host.engine.reminder("r")?.place?.position.latitude == 54.5)
    try daemon.store.database.thaw()
    #expect(try daemon.store.places.place(named: "Pier")?.position.latitude == 54.5)
  }

  private struct Unexpected: Error { let what: String }

  /// A second press of the button below a firing completes nothing more.
  @Test func doneOfAFiringIsDoneOnce() throws {
    let client = try rig.client()
    var daily = try dated("pill", in: .hours(1))
    daily.repeatRule = try RepeatRule(parsing: "FREQ=DAILY")
    try daemon.addAll([daily])
    daemon.host.advance(to: start + .hours(2))
    _ = try client.call("Done", ["id": "pill", "rung": true])
    let next = try entry("pill").standing.due
    _ = try client.call("Done", ["id": "pill", "rung": true])
    #expect(try entry("pill").standing.due == next)
    // By hand the next one is meant.
    _ = try client.call("Done", ["id": "pill"])
    #expect(try entry("pill").standing.due != next)
  }

  /// As for a date, the span counts from the time at which one would leave.
  @Test func aTimeToLeaveIsPutOffFromItsOwnTime() throws {
    _ = try addSome()
    let ferry = try entry("ferry").reminder
    let leave = try #require(daemon.host.plan("ferry", at: start + .hours(2))?.rings)
    try daemon.snooze([ferry], until: "1h")
    #expect(try entry("ferry").history.silence == .until(leave + .hours(1)))
  }

  // MARK: - The store refuses

  @Test func aRefusedCommandLeavesTheEngineAsItWas() throws {
    let ids = try addSome()
    func standing() -> [Reminder?] {
      ids.map { id in
        var reminder = daemon.host.engine.reminder(id)
        reminder?.state = .armed
        return reminder
      }
    }
    func histories() -> [History?] { ids.map { daemon.host.engine.history($0) } }
    let (reminders, before) = (standing(), histories())
    let told = rig.journal.entries.count
    var changed = try entry("shop")
    changed.reminder.title = "Changed"
    let (fired, later) = (try entry("fired"), try entry("later"))
    let commands: [() throws -> Void] = [
      { try daemon.add(dated("new", in: .hours(-1))) },
      { try daemon.save(new: [], changed: [changed]) },
      { try daemon.complete([fired]) },
      { try daemon.complete([later], isPop: true) },
      { try daemon.snooze([fired.reminder], until: "1h") },
      { try daemon.snooze([changed.reminder], until: "next-visit") },
      { try daemon.remove(["ferry"]) },
    ]
    try daemon.store.database.freeze()
    for command in commands {
      #expect(throws: StoreError.self) { try command() }
      #expect(standing() == reminders)
      #expect(histories() == before)
      #expect(daemon.host.engine.history("new") == nil)
    }
    try daemon.store.database.thaw()
    daemon.retry()
    #expect(histories() == before)
    #expect(rig.journal.fired.count == 1)
    #expect(
      rig.journal.entries.dropFirst(told).allSatisfy {
        $0.message.contains("Store failure") || $0.message.contains("works again")
      })
    // It goes on as if nobody had asked: the same command succeeds, and what is due fires.
    for command in commands { try command() }
    daemon.host.advance(to: start + .hours(10))
    #expect(try daemon.store.reminders.reminder(id: "ferry") == nil)
    #expect(rig.journal.fired.contains { $0.hasPrefix("new") })
  }

  /// The moment of a refused command brings about the firing of another reminder: that one waits.
  @Test func effectsBesideARefusedCommandAreNotLost() throws {
    try daemon.add(dated("a", in: .hours(1)))
    let b = try dated("b", in: .minutes(30))
    try daemon.store.database.freeze()
    #expect(throws: StoreError.self) {
      try daemon.host.perform(
        Command(
          events: [.add(b, nil)], saved: [(b, History(), Standing(state: .armed))]),
        at: start + .hours(2))
    }
    #expect(rig.journal.fired == [])
    #expect(rig.journal.entries(.storeFailure).count == 1)
    try daemon.store.database.thaw()
    daemon.retry()
    #expect(rig.journal.firings.map { $0["GEOREMIND_REMINDER_ID"] } == ["a"])
    #expect(daemon.host.engine.history("b") == nil)
    #expect(try daemon.store.reminders.count() == 1)
  }

  /// A command that comes first when the store works again stores what waited before it.
  @Test func waitingChangesAreStoredBeforeALaterCommand() throws {
    try daemon.addAll([dated("a", in: .hours(1)), dated("b", in: .hours(2))])
    try daemon.store.database.freeze()
    daemon.host.advance(to: start + .hours(3))
    #expect(throws: StoreError.self) { try daemon.complete([entry("a")]) }
    #expect(daemon.host.engine.standing("a")?.state == .fired)
    try daemon.store.database.thaw()
    try daemon.complete([entry("a")])
    #expect(rig.journal.firings.map { $0["GEOREMIND_REMINDER_ID"] } == ["a", "b"])
    #expect(try entry("a").standing.state == .done)
    #expect(try entry("b").standing.state == .fired)
    #expect(daemon.host.storeFailureText == nil)
  }

  /// Somebody removes the database, or puts another one in its place, while the daemon runs.
  @Test(arguments: [true, false])
  func aDatabaseThatIsGoneTakesNoCommand(isReplaced: Bool) throws {
    try daemon.addAll([dated("a", in: .hours(1)), dated("b", in: .hours(2))])
    let path = daemon.store.database.path
    if isReplaced {
      try Backup.write(path, to: path + ".copy", at: start)
      try #require(rename(path + ".copy", path) == 0)
    } else {
      try #require(unlink(path) == 0)
    }
    #expect(throws: StoreError.self) { try daemon.add(dated("c", in: .hours(3))) }
    #expect(daemon.statusLine.contains("store failure"))
    let messages = rig.journal.entries(.storeFailure).map(\.message)
    #expect(messages.count == 2)
    #expect(messages.last?.contains("are in \(path).rescued-") == true)
    daemon.host.advance(to: start + .hours(1))
    #expect(rig.journal.fired == [])
    let copy = try #require(messages.last?.split(separator: " ").first { $0.contains("rescued") })
    let next = try Store(path: String(copy.dropLast()), now: start)
    #expect(try next.reminders.count() == 2)
  }
}
