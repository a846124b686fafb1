import CivilTime
import Control
import Glibc
import JSONText
import LinuxRuntime
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// `[Calendar] Folder=`: files that come, change and go, and what is written back into them.
@Suite(.serialized) struct CalendarFolderTests {
  private static func item(_ lines: String) -> String {
    let text = "BEGIN:VCALENDAR\nVERSION:2.0\n\(lines)\nEND:VCALENDAR\n"
    return text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
  }

  private static func task(_ uid: String, _ summary: String = "S", _ more: String = "") -> String {
    item(
      "BEGIN:VTODO\nUID:\(uid)\nSUMMARY:\(summary)\nX-OTHER;P=\"q\":kept\n\(more)"
        + "DUE:21000101T100000Z\nSTATUS:NEEDS-ACTION\nEND:VTODO")
  }

  private static func todo(_ uid: String) -> String {
    "BEGIN:VTODO\nUID:\(uid)\nSUMMARY:S\nDUE:21000101T100000Z\nEND:VTODO"
  }

  /// An alarm by place without a place.
  private static let nowhere = """
    BEGIN:VALARM
    TRIGGER;VALUE=DATE-TIME:19760401T005545Z
    X-APPLE-PROXIMITY:ARRIVE
    END:VALARM

    """

  private static let place = """
    BEGIN:VALARM
    UID:alarm
    TRIGGER;VALUE=DATE-TIME:19760401T005545Z
    X-APPLE-PROXIMITY:ARRIVE
    X-APPLE-STRUCTURED-LOCATION;X-APPLE-RADIUS=100:geo:53.5,10
    END:VALARM
    """

  /// A folder `calendar/tasks` in the rig's own.
  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    mkdir("\(folder.path)/calendar", 0o700)
    mkdir("\(folder.path)/calendar/tasks", 0o700)
    return folder
  }

  private func rig(_ folder: TemporaryFolder) throws -> Rig {
    try Rig("[Calendar]\nFolder=\(folder.path)/calendar/\n", folder: folder)
  }

  private func put(_ folder: TemporaryFolder, _ name: String, _ text: String) throws {
    try folder.file("calendar/tasks/new.tmp", text)
    rename("\(folder.path)/calendar/tasks/new.tmp", "\(folder.path)/calendar/tasks/\(name)")
  }

  private func text(_ folder: TemporaryFolder, _ name: String) throws -> String {
    String(decoding: try fileBytes("\(folder.path)/calendar/tasks/\(name)"), as: UTF8.self)
  }

  private func ids(_ rig: Rig) throws -> [String] {
    try rig.daemon.store.reminders.all().values.map(\.reminder.id).sorted()
  }

  @Test func filesAreRemindersFromTheStartOn() throws {
    let folder = try folder()
    try put(folder, "a.ics", Self.task("a"))
    try folder.file("calendar/b.ics", Self.task("b"))
    try folder.file("calendar/tasks/displayname", "Tasks")
    try folder.file("calendar/tasks/.c.ics", Self.task("c"))
    try folder.file("calendar/tasks/d.ics.tmp", Self.task("d"))
    let rig = try rig(folder)
    #expect(try ids(rig) == ["a", "b"])
    #expect(rig.daemon.host.engine.armedCount == 2)
    let shown = try rig.client().call("Show", #"{"id":"a"}"#)["reminder"]
    #expect(
      shown?["source"]?["file"]?.string == "\(folder.path)/calendar/tasks/a.ics")
    #expect(rig.journal.troubles(.warning) == [])
  }

  @Test func anEventThatTakesTooLongToCountIsLeftOut() throws {
    let folder = try folder()
    let rule = "FREQ=SECONDLY;INTERVAL=86399;BYHOUR=1;BYMINUTE=1;BYSECOND=1;COUNT=1000000"
    let slow = (0..<3).map {
      "BEGIN:VTODO\nUID:slow\($0)\nSUMMARY:S\nDUE:00010101T000000Z\nRRULE:\(rule)\nEND:VTODO"
    }
    try put(folder, "a.ics", Self.item((slow + [Self.todo("good")]).joined(separator: "\n")))
    let rig = try rig(folder)
    #expect(try ids(rig) == ["good"])
    let warnings = rig.journal.troubles(.warning)
    #expect(warnings.count == 3)
    #expect(warnings.allSatisfy { $0.contains("a.ics: left out: S: ") })
  }

  @Test func filesThatComeChangeAndGo() throws {
    let folder = try folder()
    let rig = try rig(folder)
    try put(folder, "a.ics", Self.task("a", "First"))
    try rig.run { rig.daemon.host.engine.reminder("a")?.title == "First" }
    try put(folder, "a.ics", Self.task("a", "Second"))
    try rig.run { rig.daemon.host.engine.reminder("a")?.title == "Second" }
    #expect(try rig.daemon.store.reminders.reminder(id: "a")?.reminder.title == "Second")
    // Renamed, and in a collection that is new.
    mkdir("\(folder.path)/calendar/more", 0o700)
    rename("\(folder.path)/calendar/tasks/a.ics", "\(folder.path)/calendar/more/b.ics")
    try rig.run {
      try rig.daemon.store.reminders.reminder(id: "a")?.reminder.source?.file.hasSuffix(
        "more/b.ics")
        == true
    }
    unlink("\(folder.path)/calendar/more/b.ics")
    try rig.run { rig.daemon.host.engine.reminder("a") == nil }
    #expect(try ids(rig) == [])
  }

  /// Syncthing makes such copies.
  @Test func aTaskInTwoFilesStaysUntilBothAreRemoved() throws {
    let folder = try folder()
    let path = "\(folder.path)/calendar/tasks"
    let rig = try rig(folder)
    func source() throws -> String? {
      try rig.daemon.store.reminders.reminder(id: "a")?.reminder.source?.file
    }
    try put(folder, "a.ics", Self.task("a", "First"))
    try rig.run { rig.daemon.host.engine.reminder("a")?.title == "First" }
    try put(folder, "copy.ics", Self.task("a", "Copy"))
    try rig.run { rig.daemon.host.engine.reminder("a")?.title == "Copy" }
    #expect(try source() == "\(path)/copy.ics")
    unlink("\(path)/copy.ics")
    try rig.run { rig.daemon.host.engine.reminder("a")?.title == "First" }
    #expect(try source() == "\(path)/a.ics")
    // A file that goes on without it loses it as well.
    try put(folder, "copy.ics", Self.task("a", "Copy"))
    try rig.run { rig.daemon.host.engine.reminder("a")?.title == "Copy" }
    try put(folder, "copy.ics", Self.task("b", "Other"))
    try rig.run { rig.daemon.host.engine.reminder("a")?.title == "First" }
    unlink("\(path)/a.ics")
    unlink("\(path)/copy.ics")
    try rig.run { try ids(rig).isEmpty }
  }

  /// Both files of one task at once: neither inherits it, whichever has it.
  @Test(arguments: [["a.ics", "copy.ics"], ["copy.ics", "a.ics"]])
  func bothFilesOfATaskRemovedAtOnceRemoveIt(names: [String]) throws {
    let folder = try folder()
    let rig = try rig(folder)
    for name in names {
      try put(folder, name, Self.task("a", name))
      try rig.run { rig.daemon.host.engine.reminder("a")?.title == name }
    }
    for name in names { unlink("\(folder.path)/calendar/tasks/\(name)") }
    try rig.run { try ids(rig).isEmpty }
  }

  @Test func aTaskWithoutAUIDKeepsItsIdWhenItIsDone() throws {
    let folder = try folder()
    try put(
      folder, "a.ics",
      Self.item(
        "BEGIN:VTODO\nSUMMARY:Pills\nDUE:20980101T100000Z\nRRULE:FREQ=DAILY\nEND:VTODO"))
    let rig = try rig(folder)
    let id = try #require(try ids(rig).first)
    let client = try rig.client()
    for day in ["02", "03"] {
      _ = try client.call("Done", #"{"id":"\#(id)"}"#)
      let text = try text(folder, "a.ics")
      #expect(text.contains("DUE:209801\(day)T100000Z"))
      #expect(text.contains("UID:\(id)\r\n"))
      #expect(try ids(rig) == [id])
    }
  }

  /// Dismissed on a telephone while the daemon was off.
  @Test func anAcknowledgedOccurrenceDoesNotRingLate() throws {
    let folder = try folder()
    func event(_ more: String = "") -> String {
      Self.item(
        "BEGIN:VEVENT\nUID:e\nSUMMARY:E\nDTSTART:21000101T100000Z\nRRULE:FREQ=DAILY\n"
          + "BEGIN:VALARM\nTRIGGER:PT0S\n\(more)END:VALARM\nEND:VEVENT")
    }
    try put(folder, "e.ics", event())
    let rig = try rig(folder)
    let client = try rig.client()
    func next() throws -> String? {
      try client.call("Show", #"{"id":"e"}"#)["reminder"]?["next_due"]?.string
    }
    #expect(try next() == "2100-01-01T10:00:00Z")
    try put(folder, "e.ics", event("ACKNOWLEDGED:21000102T100001Z\n"))
    try rig.run { try next() == "2100-01-03T10:00:00Z" }
  }

  /// A repeating task with an alarm that was acknowledged once is completed and opened again.
  @Test func aTaskThatIsOpenedAgainElsewhereIsArmed() throws {
    let folder = try folder()
    func task(_ status: String) -> String {
      Self.item(
        "BEGIN:VTODO\nUID:t\nSUMMARY:T\nDUE:21000101T100000Z\nRRULE:FREQ=DAILY\n"
          + "STATUS:\(status)\nBEGIN:VALARM\nTRIGGER;RELATED=END:PT0S\n"
          + "ACKNOWLEDGED:20260101T100001Z\nEND:VALARM\nEND:VTODO")
    }
    try put(folder, "t.ics", task("NEEDS-ACTION"))
    let rig = try rig(folder)
    #expect(rig.daemon.host.standing("t")?.state == .armed)
    try put(folder, "t.ics", task("COMPLETED"))
    try rig.run { rig.daemon.host.standing("t")?.state == .done }
    try put(folder, "t.ics", task("NEEDS-ACTION"))
    try rig.run { rig.daemon.host.standing("t")?.state == .armed }
  }

  @Test func aFileRemovedWhileTheDaemonWasOffRemovesItsReminder() throws {
    let folder = try folder()
    try put(folder, "a.ics", Self.task("a"))
    try put(folder, "b.ics", Self.task("b"))
    do { _ = try rig(folder) }
    unlink("\(folder.path)/calendar/tasks/a.ics")
    #expect(try ids(rig(folder)) == ["b"])
  }

  @Test func theFolderMayComeLater() throws {
    let folder = try TemporaryFolder()
    let rig = try rig(folder)
    #expect(rig.journal.troubles(.warning).count == 1)
    mkdir("\(folder.path)/calendar", 0o700)
    mkdir("\(folder.path)/calendar/tasks", 0o700)
    try put(folder, "a.ics", Self.task("a"))
    try rig.run { rig.daemon.host.engine.reminder("a") != nil }
    // Away again, as with a disk that is not mounted: what was read stays.
    rename("\(folder.path)/calendar", "\(folder.path)/elsewhere")
    try rig.run { rig.journal.troubles(.warning).count == 2 }
    #expect(try ids(rig) == ["a"])
  }

  @Test func aBadItemCostsThatItemAndIsNamedUntilItIsMended() throws {
    let folder = try folder()
    let both = Self.item("\(Self.todo("a"))\n\(Self.todo("b"))")
    try put(folder, "a.ics", both)
    let rig = try rig(folder)
    let bad = both.replacing(
      "UID:a\r\nSUMMARY:S\r\nDUE:21000101T100000Z", with: "UID:a\r\nDUE:soon"
    )
    .replacing("UID:b\r\nSUMMARY:S", with: "UID:b\r\nSUMMARY:T")
    try put(folder, "a.ics", bad)
    try rig.run { rig.daemon.host.engine.reminder("b")?.title == "T" }
    let problem = "tasks/a.ics:5: left out: the task 'without a title': DUE 'soon' is no date"
    try #require(rig.journal.troubles(.warning).count == 1)
    #expect(rig.journal.troubles(.warning)[0].contains(problem))
    #expect(rig.daemon.host.engine.reminder("a") != nil)
    rig.daemon.reloadSettings()
    #expect(rig.journal.troubles(.warning).count == 1)
    let status = try rig.client().call("Status")["status"]?["calendars"]?.array?.first
    let shown = [status?["problems"], try rig.client().call("Next")["problems"]]
    for problems in shown {
      #expect(problems?.array?.count == 1)
      #expect(problems?.array?.first?.string?.contains(problem) == true)
    }
    try put(folder, "a.ics", both.replacing("SUMMARY:S", with: "SUMMARY:Repaired"))
    try rig.run { rig.daemon.host.engine.reminder("a")?.title == "Repaired" }
    #expect(try rig.client().call("Next")["problems"] == nil)
    // An item that is removed while another is bad is removed.
    try put(folder, "a.ics", Self.item(Self.todo("a").replacing("21000101T100000Z", with: "soon")))
    try rig.run { rig.daemon.host.engine.reminder("b") == nil }
    #expect(rig.daemon.host.engine.reminder("a") != nil)
  }

  /// As while another program writes it: a file that stays cut is read as far as it goes.
  @Test func aCutFileKeepsItsReminders() throws {
    let folder = try folder()
    let both = Self.item("\(Self.todo("a"))\n\(Self.todo("b"))")
    try put(folder, "a.ics", both)
    let rig = try rig(folder)
    try put(folder, "a.ics", String(both.replacing("SUMMARY:S", with: "SUMMARY:T").dropLast(40)))
    try rig.run { rig.daemon.host.engine.reminder("a")?.title == "T" }
    #expect(rig.daemon.host.engine.reminder("b")?.title == "S")
    #expect(
      rig.journal.troubles(.warning).contains { $0.contains("a.ics:8: left out: BEGIN:VTODO") })
  }

  @Test func doneIsWrittenBackAndNothingElse() throws {
    let folder = try folder()
    let before = Self.task("a", "S", Self.place + "\n")
    try put(folder, "a.ics", before)
    chmod("\(folder.path)/calendar/tasks/a.ics", 0o640)
    let rig = try rig(folder)
    let id = try #require(try ids(rig).first)
    _ = try rig.client().call("Done", ["id": .string(id)])
    let after = try text(folder, "a.ics")
    let lines = after.split(separator: "\r\n").map(String.init)
    let added = lines.filter { !before.contains($0) }
    #expect(added.contains("STATUS:COMPLETED") && added.contains("PERCENT-COMPLETE:100"))
    #expect(
      Set(added.map { $0.prefix { $0 != ":" } }) == [
        "STATUS", "COMPLETED", "PERCENT-COMPLETE", "LAST-MODIFIED", "DTSTAMP", "SEQUENCE",
      ])
    #expect(lines.contains("X-OTHER;P=\"q\":kept"))
    #expect(folder.calendarNames == ["a.ics"])
    var status = stat()
    stat("\(folder.path)/calendar/tasks/a.ics", &status)
    #expect(status.st_mode & 0o777 == 0o640)
    #expect(rig.daemon.host.engine.standing(id)?.state == .done)
    // Opened again on the phone.
    try put(folder, "a.ics", before)
    try rig.run { rig.daemon.host.engine.standing(id)?.state == .armed }
  }

  @Test func aTaskCompletedElsewhereIsDone() throws {
    let folder = try folder()
    try put(folder, "a.ics", Self.task("a"))
    let rig = try rig(folder)
    try put(folder, "a.ics", Self.task("a").replacing("NEEDS-ACTION", with: "COMPLETED"))
    try rig.run { rig.daemon.host.engine.standing("a")?.state == .done }
    #expect(rig.daemon.host.engine.armedCount == 0)
    #expect(try rig.daemon.store.reminders.reminder(id: "a")?.standing.state == .done)
  }

  @Test func aRepeatingTaskGoesOn() throws {
    let folder = try folder()
    try put(folder, "a.ics", Self.task("a", "S", "RRULE:FREQ=DAILY\n"))
    let rig = try rig(folder)
    let answer = try rig.client().call("Done", #"{"id":"a"}"#)
    #expect(answer["reminder"]?["state"]?.string == "armed")
    #expect(try text(folder, "a.ics").contains("DUE:21000102T100000Z\r\n"))
    #expect(try text(folder, "a.ics").contains("STATUS:NEEDS-ACTION\r\n"))
    try rig.settle()
    #expect(rig.daemon.host.engine.standing("a")?.due?.json == "2100-01-02T10:00:00Z")
  }

  /// A whole day keeps its weekday, a floating time its reading, and a start goes with its due time.
  @Test(arguments: [
    (
      "DUE;VALUE=DATE:21000101\nRRULE:FREQ=WEEKLY",
      ["DUE;VALUE=DATE:21000108", "DUE;VALUE=DATE:21000115", "DUE;VALUE=DATE:21000122"]
    ),
    (
      "DUE:21000101T170000\nRRULE:FREQ=DAILY",
      ["DUE:21000102T170000", "DUE:21000103T170000", "DUE:21000104T170000"]
    ),
    (
      "DTSTART;TZID=Asia/Tokyo:21000101T220000\nDUE;TZID=Asia/Tokyo:21000102T060000\n"
        + "RRULE:FREQ=WEEKLY;COUNT=3",
      [
        "DUE;TZID=Asia/Tokyo:21000109T060000", "DUE;TZID=Asia/Tokyo:21000116T060000",
        "STATUS:COMPLETED",
      ]
    ),
  ]) func aRepeatingTaskDoesNotDrift(lines: String, expected: [String]) throws {
    let folder = try folder()
    try put(folder, "a.ics", Self.item("BEGIN:VTODO\nUID:a\nSUMMARY:S\n\(lines)\nEND:VTODO"))
    let rig = try rig(folder)
    let client = try rig.client()
    for line in expected {
      _ = try client.call("Done", #"{"id":"a"}"#)
      #expect(try text(folder, "a.ics").contains("\(line)\r\n"))
      rig.daemon.reloadSettings()
    }
  }

  /// The item is as before, with a later revision.
  @Test(arguments: [Self.place + "\n", "RRULE:FREQ=DAILY;COUNT=5\n"])
  func whatWasWrittenIsTakenBack(more: String) throws {
    let folder = try folder()
    let before = Self.task("a", "S", more)
    try put(folder, "a.ics", before)
    let rig = try rig(folder)
    let client = try rig.client()
    let id = try #require(try ids(rig).first)
    let first = try rig.daemon.store.reminders.reminder(id: id)
    for command in ["Done", "Snooze"] {
      _ = try client.call(command, ["id": .string(id), "until": command == "Done" ? nil : "1h"])
      #expect(try text(folder, "a.ics") != before)
      _ = try client.call("Undo")
      let now = try rig.daemon.store.reminders.reminder(id: id)
      #expect(now?.reminder == first?.reminder && now?.history == first?.history)
      let added = try text(folder, "a.ics").split(separator: "\r\n").map(String.init)
        .filter { !before.contains($0) }
      #expect(
        Set(added.map { $0.prefix { $0 != ":" } }).isSubset(
          of: ["LAST-MODIFIED", "DTSTAMP", "SEQUENCE"]))
      rig.daemon.reloadSettings()
      #expect(rig.daemon.host.engine.standing(id)?.state == .armed)
    }
    #expect(try text(folder, "a.ics").contains("SEQUENCE:2\r\n"))
    #expect(try client.call("Undo").members.isEmpty)
  }

  @Test func aFileThatWasChangedSinceIsLeftAlone() throws {
    let folder = try folder()
    try put(folder, "a.ics", Self.task("a"))
    let rig = try rig(folder)
    let client = try rig.client()
    _ = try client.call("Done", #"{"id":"a"}"#)
    let edited = try text(folder, "a.ics").replacing("X-OTHER;P=\"q\":kept", with: "X-OTHER:new")
    try put(folder, "a.ics", edited)
    let error = try client.error("Undo")
    #expect(
      GeoremindError(error)
        == .changedSince(id: "a", title: "S", how: "was changed in its calendar"))
    #expect(try text(folder, "a.ics") == edited)
  }

  @Test func aTaskIsOpenedAgain() throws {
    let folder = try folder()
    try put(folder, "a.ics", Self.task("a"))
    let rig = try rig(folder)
    let client = try rig.client()
    _ = try client.call("Done", #"{"id":"a"}"#)
    _ = try client.call("Reopen", #"{"id":"a"}"#)
    let text = try text(folder, "a.ics")
    #expect(text.contains("STATUS:NEEDS-ACTION\r\n") && !text.contains("COMPLETED"))
    rig.daemon.reloadSettings()
    #expect(rig.daemon.host.engine.standing("a")?.state == .armed)
  }

  @Test func aSnoozeGoesBothWays() throws {
    let folder = try folder()
    try put(folder, "a.ics", Self.task("a", "S", Self.place + "\n"))
    let rig = try rig(folder)
    let id = try #require(try ids(rig).first)
    _ = try rig.client().call("Snooze", ["id": .string(id), "until": "1h"])
    let until = try #require(rig.daemon.host.engine.history(id)?.silence)
    let snoozed = try text(folder, "a.ics")
    #expect(snoozed.contains("RELATED-TO;RELTYPE=SNOOZE:alarm\r\n"))
    #expect(snoozed.contains("ACKNOWLEDGED:"))
    // Our own change is no news.
    rig.daemon.reloadSettings()
    #expect(rig.daemon.host.engine.history(id)?.silence == until)
    // Put off further on the phone.
    let line = try #require(
      snoozed.split(separator: "\r\n").last { $0.hasPrefix("TRIGGER;VALUE=DATE-TIME:2") })
    try put(
      folder, "a.ics", snoozed.replacing(line, with: "TRIGGER;VALUE=DATE-TIME:21000101T000000Z"))
    try rig.run {
      rig.daemon.host.engine.history(id)?.silence == .until(Instant(seconds: 4_102_444_800))
    }
  }

  /// A file that was replaced after it was read is read again, and the change made there.
  @Test func aReplacedFileIsReadAgainBeforeAChange() throws {
    let folder = try folder()
    try put(folder, "a.ics", Self.task("a", "Old"))
    let rig = try rig(folder)
    try put(folder, "a.ics", Self.task("a", "New"))
    _ = try rig.client().call("Done", #"{"id":"a"}"#)
    let text = try text(folder, "a.ics")
    #expect(text.contains("SUMMARY:New\r\n") && text.contains("STATUS:COMPLETED\r\n"))
    #expect(rig.daemon.host.engine.reminder("a")?.title == "New")
  }

  @Test func remindersOfAFileCannotBeEdited() throws {
    let folder = try folder()
    try put(folder, "a.ics", Self.task("a"))
    let rig = try rig(folder)
    let client = try rig.client()
    for (method, parameters) in [
      ("Remove", #"{"id":"a"}"#), ("Edit", #"{"id":"a","changes":{"title":"T"}}"#),
    ] {
      let error = try client.error(method, parameters)
      #expect(error.name == "org.georemind.RefusedByPolicy")
      #expect(error.parameters["reason"]?.string?.contains("tasks/a.ics") == true)
    }
    // Without the folder it is the user's own.
    try rig.configure("[Feed]\nFeed=\n")
    rig.daemon.reloadSettings()
    _ = try client.call("Remove", #"{"id":"a"}"#)
    #expect(try ids(rig) == [])
  }

  @Test func anUnwritableFolderIsReportedOnce() throws {
    // Root may write anywhere; a file of somebody else stands for one that may not be written.
    guard geteuid() == 0 else { return }
    let folder = try folder()
    for name in ["a", "b"] {
      try put(folder, "\(name).ics", Self.task(name))
      chown("\(folder.path)/calendar/tasks/\(name).ics", 12_345, 12_345)
    }
    let rig = try rig(folder)
    let client = try rig.client()
    for name in ["a", "b"] { _ = try client.call("Done", ["id": .string(name)]) }
    #expect(rig.journal.troubles(.warning).count == 1)
    #expect(try text(folder, "a.ics") == Self.task("a"))
    // Another title does not bring it back.
    try folder.file("calendar/tasks/a.ics", Self.task("a", "Other"))
    try rig.run { rig.daemon.host.engine.reminder("a")?.title == "Other" }
    #expect(rig.daemon.host.engine.standing("a")?.state == .done)
  }

  /// Whatever somebody puts there, the others are read and nothing waits.
  @Test func aHostileFolderIsReadSafely() throws {
    let folder = try folder()
    try folder.file("elsewhere.ics", Self.task("elsewhere"))
    symlink("../../elsewhere.ics", "\(folder.path)/calendar/tasks/link.ics")
    mkfifo("\(folder.path)/calendar/tasks/pipe.ics", 0o600)
    mkdir("\(folder.path)/calendar/tasks/folder.ics", 0o700)
    try put(folder, "lines.ics", String(repeating: "\r\n", count: 60_000))
    try put(folder, "large.ics", Self.task("large", String(repeating: "x", count: 5 << 20)))
    try put(
      folder, "many.ics", Self.item((0..<600).map { Self.todo("m\($0)") }.joined(separator: "\n")))
    try put(
      folder, "alarms.ics", Self.task("alarms", "S", String(repeating: Self.nowhere, count: 100)))
    try put(folder, "z.ics", Self.task("z"))
    let rig = try rig(folder)
    try rig.run { rig.daemon.host.engine.reminder("z") != nil }
    let found = try ids(rig)
    #expect(found == ["z"])
    try rig.run { rig.journal.troubles(.error).count == 3 }
    let troubles = rig.journal.troubles(.warning)
    for word in ["symbolic link", "larger than 4096 KiB", "too many lines", "too many reminders"] {
      #expect(troubles.count { $0.contains(word) } == 1, "\(word)")
    }
    #expect(troubles.count { $0.contains("left out") } == 6)
    // What one user's folder holds is no way to what others have.
    rename("\(folder.path)/calendar/tasks", "\(folder.path)/moved")
    symlink("../moved", "\(folder.path)/calendar/tasks")
    try rig.run { rig.daemon.host.engine.reminder("z") == nil }
  }

  @Test func manyFilesAreReadInTurns() throws {
    let folder = try folder()
    for number in 0..<700 {
      try folder.file("calendar/tasks/\(number).ics", Self.task("r\(number)"))
    }
    do {
      let rig = try rig(folder)
      // Not all at once: a fix and a deadline come in between.
      let count = rig.daemon.host.engine.count
      #expect((1..<700).contains(count))
      // Nor does a client wait for all of them.
      _ = try rig.client().call("ListCategories")
      #expect(rig.daemon.host.engine.count < 700)
      try rig.run { rig.daemon.host.engine.count == 700 }
    }
    // One that was renamed meanwhile is the same one, however late its new name is read.
    let rig = try rig(folder)
    _ = try rig.client().call("Snooze", #"{"id":"r0","until":"2101-01-01T00:00:00Z"}"#)
    for number in 1..<700 {
      try folder.file("calendar/tasks/\(number).ics", Self.task("r\(number)", "Changed"))
    }
    rename("\(folder.path)/calendar/tasks/0.ics", "\(folder.path)/calendar/tasks/zzz.ics")
    try rig.run {
      try rig.daemon.store.reminders.reminder(id: "r0")?.reminder.source?.file.hasSuffix("zzz.ics")
        == true
    }
    #expect(rig.daemon.host.engine.standing("r0")?.state == .snoozed)
    #expect(rig.daemon.host.engine.count == 700)
  }

  /// Two machines with the same reminders show it, whatever their files are called.
  @Test func theDigestIsOfTheRemindersAlone() throws {
    func digest(_ rig: Rig) throws -> String? {
      try rig.client().call("Status")["status"]?["calendar_digest"]?.string
    }
    #expect(try digest(Rig("")) == nil)
    let (folder, other) = (try folder(), try folder())
    try put(folder, "a.ics", Self.task("a"))
    try put(folder, "b.ics", Self.item(Self.todo("b")))
    try put(other, "all.ics", Self.item(Self.todo("b") + "\n" + Self.todo("a")))
    let (one, two) = (try rig(folder), try rig(other))
    let both = try #require(try digest(one))
    #expect(try both.utf8.count == 64 && digest(two) == both)
    // What was done or put off on one machine is no other set.
    _ = try two.client().call("Done", #"{"id":"a"}"#)
    _ = try two.client().call("Snooze", #"{"id":"b","until":"2099-01-01T00:00:00Z"}"#)
    try two.run { try text(other, "all.ics").contains("COMPLETED") }
    two.daemon.readCalendars()
    #expect(try digest(two) == both)
    unlink("\(folder.path)/calendar/tasks/b.ics")
    try one.run { one.daemon.host.engine.reminder("b") == nil }
    let rest = try #require(try digest(one))
    #expect(rest != both)
    try put(folder, "a.ics", Self.task("a", "Changed"))
    try one.run { one.daemon.host.engine.reminder("a")?.title == "Changed" }
    #expect(try ![rest, both].contains(digest(one)))
    // Each firing that a destination reads has it.
    one.daemon.host.advance(to: try Instant(rfc3339: "2100-01-01T10:00:01Z"))
    let row = try one.client().call("ReadLedger", #"{"after":0}"#)["rows"]?.array?.first
    #expect(try row?["calendar_digest"]?.string == digest(one))
  }

  @Test(arguments: ["relative/path", "~user/x"]) func aFolderHasAnAbsolutePath(
    _ path: String
  ) throws {
    let folder = try TemporaryFolder()
    let rig = try Rig("[Calendar]\nFolder=\(path)\n", folder: folder)
    #expect(rig.daemon.calendars.isEmpty)
    #expect(rig.daemon.wrongLines.count == 1)
  }
}

extension TemporaryFolder {
  fileprivate var calendarNames: [String] {
    FolderFiles("\(path)/calendar").list(ending: "")?.files.map {
      String($0.split(separator: "/").last ?? "")
    } ?? []
  }
}
