import CivilTime
import Control
import Geodesy
import Geofencing
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// Taking commands back, and arming reminders again.
@Suite(.serialized) struct UndoTests {
  private let rig: Rig
  private let anna = Caller(user: 1000, process: 7, daemon: 61_184)
  private let ben = Caller(user: 1001, process: 8, daemon: 61_184)
  private let future = #""kind":"date","due":"2100-01-01T00:00:00Z""#

  init() throws { rig = try Rig() }

  // MARK: - Calls

  private func answer(
    _ method: String, _ parameters: String = "{}", by caller: Caller? = nil
  ) throws -> VarlinkAnswer {
    ControlService(daemon: rig.daemon, caller: caller ?? anna).answer(
      VarlinkCall(method: "org.georemind.\(method)", parameters: try object(parameters)))
  }

  @discardableResult
  private func call(
    _ method: String, _ parameters: String = "{}", by caller: Caller? = nil
  ) throws -> JSONObject {
    switch try answer(method, parameters, by: caller) {
    case .reply(let reply): return reply
    case .error(let error): throw error
    default: throw Unexpected("\(method) is no stream")
    }
  }

  private func error(
    _ method: String, _ parameters: String = "{}", by caller: Caller? = nil
  ) throws -> GeoremindError? {
    guard case .error(let error) = try answer(method, parameters, by: caller) else { return nil }
    return GeoremindError(error)
  }

  private func add(_ id: String, _ members: String = "", by caller: Caller? = nil) throws {
    try call(
      "Add", #"{"reminder":{"id":"\#(id)","title":"T \#(id)",\#(future)\#(members)}}"#, by: caller)
  }

  private func entry(_ id: String) throws -> ReminderStore.Entry? {
    try rig.daemon.store.reminders.reminder(id: id)
  }

  private func changes(by caller: Caller? = nil) throws -> [String] {
    (try call("ListUndo", by: caller)["changes"]?.array ?? []).map {
      "\($0["method"]?.string ?? "") \($0["count"]?.int ?? 0) \($0["title"]?.string ?? "")"
    }
  }

  // MARK: - What is taken back

  @Test func eachCommandIsTakenBackNewestFirst() throws {
    try add("a")
    let added = try entry("a")
    try call("Edit", #"{"id":"a","changes":{"title":"Other","due":"2101-01-01T00:00:00Z"}}"#)
    try call("Snooze", #"{"id":"a","until":"2102-01-01T00:00:00Z"}"#)
    try call("Done", #"{"id":"a"}"#)
    try call("Remove", #"{"id":"a"}"#)
    #expect(
      try changes() == [
        "Remove 1 Other", "Done 1 Other", "Snooze 1 Other", "Edit 1 T a",
        "Add 1 T a",
      ])
    #expect(try call("Undo")["change"]?["method"] == "Remove")
    #expect(try entry("a")?.standing.state == .done)
    #expect(try call("Undo")["change"]?["method"] == "Done")
    #expect(try entry("a")?.standing.state == .snoozed)
    try call("Undo")
    #expect(try entry("a")?.standing.state == .armed)
    try call("Undo")
    #expect(try entry("a")?.reminder == added?.reminder)
    #expect(try entry("a")?.history == added?.history)
    #expect(rig.daemon.host.engine.reminder("a")?.title == "T a")
    try call("Undo")
    #expect(try entry("a") == nil && rig.daemon.host.engine.count == 0)
    #expect(try call("Undo").members.isEmpty)
  }

  @Test(arguments: ["Done", "Remove"]) func severalRemindersAreOneChange(method: String) throws {
    for id in ["one", "two", "three"] { try add(id) }
    let before = try ["one", "two", "three"].map { try entry($0)?.reminder }
    let answer = try call(method, #"{"id":"one","also":["two","three","two"]}"#)
    #expect(answer["reminder"]?["id"] == "one")
    #expect((answer["also"]?.array ?? []).map { $0["id"] } == ["two", "three"])
    #expect(try changes().first == "\(method) 3 T one")
    try call("Undo")
    #expect(try ["one", "two", "three"].map { try entry($0)?.reminder } == before)
    #expect(rig.daemon.host.engine.count == 3)
  }

  @Test(arguments: ["Done", "Remove"]) func ofSeveralAllAreChangedOrNone(method: String) throws {
    for id in ["one", "two"] { try add(id) }
    try add("ours", by: ben)
    #expect(
      try error(method, #"{"id":"one","also":["none"]}"#) == .notFound(id: "none"))
    #expect(try error(method, #"{"id":"two","also":["ours"]}"#) != nil)
    for id in ["one", "two", "ours"] { #expect(try entry(id)?.standing.state == .armed) }
  }

  @Test func severalAreSnoozedOrEditedAsOneChange() throws {
    for id in ["one", "two"] { try add(id) }
    try call("Snooze", #"{"id":"one","also":["two"],"until":"1h"}"#)
    #expect(try entry("two")?.standing.state == .snoozed)
    #expect(try changes().first == "Snooze 2 T one")
    try call("Undo")
    #expect(try entry("one")?.standing.state == .armed)
    try call(
      "Edit",
      #"{"id":"one","changes":{"priority":1},"also":[{"id":"two","changes":{"priority":2}}]}"#)
    #expect(try entry("one")?.reminder.priority == 1 && entry("two")?.reminder.priority == 2)
    #expect(try changes().first == "Edit 2 T one")
    try call("Undo")
    #expect(try entry("one")?.reminder.priority == 0 && entry("two")?.reminder.priority == 0)
    #expect(
      try error(
        "Edit", #"{"id":"one","changes":{"priority":1},"also":[{"id":"one","changes":{}}]}"#) != nil
    )
    #expect(try entry("one")?.reminder.priority == 0)
  }

  @Test func popAndImportAreTakenBack() throws {
    try add("a")
    try call("Pop", #"{"kind":"date"}"#)
    #expect(try entry("a")?.standing.state == .done)
    try call("Undo")
    #expect(try entry("a")?.standing.state == .armed)
    let documents = (0..<300).map { #"{"id":"n\#($0)","title":"N","due":"2100-01-01"}"# }
    try call("Import", #"{"reminders":[\#(documents.joined(separator: ","))]}"#)
    #expect(try changes().first == "Import 300 N")
    try call("Undo")
    #expect(try rig.daemon.store.reminders.count() == 1)
    #expect(rig.daemon.host.engine.count == 1)
  }

  @Test func anImportOfSeveralCallsIsTakenBackAtOnce() throws {
    func imports(_ ids: String..., continues: Bool = true) throws {
      let documents = ids.map { #"{"id":"\#($0)","title":"\#($0)","due":"2100-01-01"}"# }
      try call(
        "Import", #"{"reminders":[\#(documents.joined(separator: ","))],"continues":\#(continues)}"#
      )
    }
    try add("a")
    try imports("b", "c")
    try imports("d")
    #expect(try changes() == ["Import 3 b", "Add 1 T a"])
    try imports("e", continues: false)
    try imports("f", "g")
    #expect(try changes() == ["Import 3 e", "Import 3 b", "Add 1 T a"])
    try call("Undo")
    try call("Undo")
    #expect(try rig.daemon.store.reminders.all().values.map(\.reminder.id) == ["a"])
    #expect(rig.daemon.host.engine.count == 1)
  }

  /// Promise: undo-10000.
  @Test func anImportOfMoreThanTenThousandIsNotStored() throws {
    try add("a")
    func entries(_ count: Int, _ prefix: String) throws -> [ReminderStore.Entry] {
      let sample = try reminder(#"{"id":"x","title":"X","due":"2100-01-01T00:00:00Z"}"#)
      return (0..<count).map {
        var reminder = sample
        reminder.id = "\(prefix)\($0)"
        return (reminder, History(), Standing(state: .armed))
      }
    }
    let service = ControlService(daemon: rig.daemon, caller: anna)
    let limit = 10_000
    try rig.daemon.addAll(entries(limit + 1, "m"), by: service.origin(.importReminders))
    #expect(try changes() == ["Add 1 T a"])
    try rig.daemon.addAll(entries(limit, "n"), by: service.origin(.importReminders))
    var rest = service.origin(.importReminders)
    rest?.continues = true
    try rig.daemon.addAll(entries(1, "o"), by: rest)
    #expect(try changes() == ["Import 1 X", "Import \(limit) X", "Add 1 T a"])
    try call("Undo")
    try call("Undo")
    #expect(try rig.daemon.store.reminders.count() == limit + 2)
  }

  @Test func aRemovedReminderReturnsToItsPosition() throws {
    for id in ["a", "b", "c"] { try add(id) }
    try call("Remove", #"{"id":"b"}"#)
    try call("Undo")
    #expect(try rig.daemon.store.reminders.all().values.map(\.reminder.id) == ["a", "b", "c"])
  }

  /// Promise: undo-20.
  @Test func twentyCommandsOfAUserAreStored() throws {
    try add("b", by: ben)
    for number in 0..<25 { try add("n\(number)") }
    #expect(try changes().count == 20)
    #expect(try changes(by: ben) == ["Add 1 T b"])
    for _ in 0..<20 { try call("Undo") }
    #expect(try call("Undo").members.isEmpty)
    #expect(try rig.daemon.store.reminders.count() == 6)
    #expect(try rig.daemon.store.database.integer("SELECT count(*) FROM undo_reminder") == 1)
  }

  @Test func theWayBackSurvivesARestart() throws {
    try add("a")
    try call("Done", #"{"id":"a"}"#)
    rig.daemon.stop()
    let next = try Rig(folder: rig.folder)
    let service = ControlService(daemon: next.daemon, caller: anna)
    #expect(try service.undo(1)["change"]?["method"] == "Done")
    #expect(next.daemon.host.engine.standing("a")?.state == .armed)
  }

  // MARK: - What is refused

  @Test func aReminderThatWasChangedSinceIsNamed() throws {
    try add("a")
    try add("b")
    try call("Edit", #"{"id":"a","changes":{"notes":"N"}}"#)
    #expect(
      try error("Undo", #"{"number":3}"#)
        == .changedSince(id: "a", title: "T a", how: "was changed"))
    try call("Remove", #"{"id":"a"}"#)
    #expect(
      try error("Undo", #"{"number":4}"#)
        == .changedSince(id: "a", title: "T a", how: "was removed"))
    // An earlier command of another reminder can be taken back alone.
    #expect(try call("Undo", #"{"number":3}"#)["change"]?["id"] == "b")
    #expect(try entry("b") == nil)
  }

  @Test func aReminderThatHasFiredSinceIsNamed() throws {
    let now = try #require(rig.daemon.clock.now)
    try call(
      "Add",
      #"{"reminder":{"id":"a","title":"Tea","due":"\#((now + .hours(1)).json)","nag_s":600}}"#)
    rig.daemon.host.advance(to: now + .hours(2))
    #expect(rig.journal.fired == ["a late"])
    #expect(try error("Undo") == .changedSince(id: "a", title: "Tea", how: "has fired"))
    #expect(try entry("a")?.standing.state == .fired)
  }

  @Test func aFiringIsNoReasonForLaterCommands() throws {
    let now = try #require(rig.daemon.clock.now)
    try call("Add", #"{"reminder":{"id":"a","title":"Tea","due":"\#((now + .hours(1)).json)"}}"#)
    rig.daemon.host.advance(to: now + .hours(2))
    let fired = try entry("a")
    try call("Done", #"{"id":"a"}"#)
    try call("Undo")
    #expect(try entry("a")?.history == fired?.history)
    #expect(rig.journal.fired.count == 1)
  }

  /// Another one may have changed the reminder in between.
  @Test func usersTakeBackTheirOwnChangesOnly() throws {
    try add("a")
    #expect(try changes(by: ben) == [])
    #expect(try call("Undo", by: ben).members.isEmpty)
    #expect(try entry("a") != nil)
    // Users without an id of their own share no list.
    let nobody = Caller(user: Caller.unmapped, process: 9, daemon: 61_184)
    try add("n", by: nobody)
    #expect(try changes(by: nobody) == [])
  }

  @Test func whatTheUserMayNotChangeAnyMoreIsNotTakenBack() throws {
    try rig.configure("[Feed]\nFeed=\n[Control]\nSharedChanges=yes\n")
    rig.daemon.reloadSettings()
    try add("a")
    try call("Remove", #"{"id":"a"}"#, by: ben)
    try rig.configure("[Feed]\nFeed=\n")
    rig.daemon.reloadSettings()
    guard case .refusedByPolicy? = try error("Undo", by: ben) else {
      throw Unexpected("it was taken back")
    }
    #expect(try entry("a") == nil)
  }

  @Test func aFailingStoreChangesNothing() throws {
    try add("a")
    try call("Done", #"{"id":"a"}"#)
    try rig.daemon.store.database.freeze()
    guard case .storeFailure? = try error("Undo") else { throw Unexpected("it was taken back") }
    try rig.daemon.store.database.thaw()
    rig.daemon.host.retry()
    #expect(rig.daemon.host.engine.standing("a")?.state == .done)
    #expect(try changes() == ["Done 1 T a", "Add 1 T a"])
    try call("Undo")
    #expect(rig.daemon.host.engine.standing("a")?.state == .armed)
  }

  // MARK: - Presence

  /// nil while that is unknown.
  private func isInside(_ id: String) throws -> Bool? {
    switch try entry(id)?.history.stay {
    case .inside: true
    case .outside: false
    case .unknown, nil: nil
    }
  }

  @Test func theDepartureOfARestoredReminderIsFound() throws {
    try rig.see(latitude: 1, longitude: 2)
    let place = #""kind":"location","place":{"lat":1,"lon":2},"on":"depart""#
    try call("Add", #"{"reminder":{"id":"a","title":"A",\#(place)}}"#)
    #expect(try isInside("a") == true)
    try call("Remove", #"{"id":"a"}"#)
    try call("Undo")
    #expect(try isInside("a") == true)
    // Away while it was removed: nobody has seen a departure.
    try call("Remove", #"{"id":"a"}"#)
    let now = Instant(microseconds: SystemClock.now())
    for second in 1...60 {
      try rig.see(
        latitude: 1 + Double(second) * 2e-4, longitude: 2, at: now + .seconds(Double(second)))
    }
    try call("Undo")
    #expect(try isInside("a") == false)
    #expect(rig.journal.fired == [])
  }

  // MARK: - Reopening

  @Test func aDoneReminderIsArmedAgain() throws {
    try add("a")
    #expect(try error("Reopen", #"{"id":"a"}"#) == .wrongState(id: "a", state: "armed"))
    try call("Done", #"{"id":"a"}"#)
    #expect(try call("Reopen", #"{"id":"a"}"#)["reminder"]?["state"] == "armed")
    #expect(rig.daemon.host.engine.nextDeadline?.json == "2100-01-01T00:00:00Z")
    guard case .refusedByPolicy? = try error("Reopen", #"{"id":"a"}"#, by: ben) else {
      throw Unexpected("another user may reopen it")
    }
    try call("Undo")
    #expect(try entry("a")?.standing.state == .done)
  }

  @Test func aFiredPlaceIsArmedAgain() throws {
    try call(
      "Add",
      #"{"reminder":{"id":"a","title":"A","kind":"location","place":{"lat":1,"lon":2},"state":"fired"}}"#
    )
    #expect(rig.daemon.host.engine.armedCount == 0)
    try call("Reopen", #"{"id":"a"}"#)
    #expect(rig.daemon.host.engine.armedCount == 1)
  }
}

extension Rig {
  fileprivate func see(latitude: Double, longitude: Double, at time: Instant) throws {
    let position = try #require(Coordinate(latitude: latitude, longitude: longitude))
    daemon.host.handle(.fix(Fix(time: time, position: position)), at: time)
  }
}
