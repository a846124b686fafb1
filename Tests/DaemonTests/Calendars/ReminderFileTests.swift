import JSONText
import LinuxRuntime
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// `[Reminders] File=`: reminders that come with the configuration.
@Suite(.serialized) struct ReminderFileTests {
  private static func dated(_ id: String, _ title: String, year: Int = 2100) -> String {
    #"{"id":"\#(id)","kind":"date","title":"\#(title)","due":"\#(year)-01-01T00:00:00Z"}"#
  }

  private func config(_ paths: String...) -> String {
    "[Feed]\nFeed=\n[Reminders]\n" + paths.map { "File=\($0)\n" }.joined()
  }

  private func titles(_ rig: Rig) throws -> [String] {
    try rig.daemon.store.reminders.all().values.map(\.reminder.title)
  }

  @Test func areMergedByIdAtTheStart() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("r.json", "[\(Self.dated("a", "A")),\(Self.dated("b", "B"))]")
    do {
      let rig = try Rig(config(path), folder: folder)
      #expect(try titles(rig) == ["A", "B"])
      #expect(rig.daemon.host.engine.armedCount == 2)
    }
    try folder.file("r.json", "[\(Self.dated("b", "New B")),\(Self.dated("c", "C"))]")
    let rig = try Rig(config(path), folder: folder)
    #expect(try titles(rig) == ["A", "New B", "C"])
    #expect(rig.daemon.host.engine.reminder("b")?.title == "New B")
  }

  @Test func areMergedByIdOnReload() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("r.json", Self.dated("a", "A"))
    let rig = try Rig(config(path), folder: folder)
    let other = try folder.file("s.json", Self.dated("b", "B") + "\n" + Self.dated("c", "C"))
    try folder.file("r.json", Self.dated("a", "New A"))
    try rig.configure(config(path, other))
    rig.daemon.reloadSettings()
    #expect(try titles(rig) == ["New A", "B", "C"])
    #expect(rig.daemon.host.engine.reminder("a")?.title == "New A")
    #expect(rig.daemon.host.engine.reminder("c")?.title == "C")
    #expect(rig.journal.entries(.reloaded).count == 1)
    #expect(rig.journal.troubles(.warning) == [])
  }

  @Test func changesByTheUserAreKept() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file(
      "r.json", "[\(Self.dated("a", "A")),\(Self.dated("b", "B")),\(Self.dated("c", "C"))]")
    let rig = try Rig(config(path), folder: folder)
    let client = try rig.client()
    _ = try client.call("Done", #"{"id":"a"}"#)
    _ = try client.call("Snooze", #"{"id":"b","until":"1h"}"#)
    let until = rig.daemon.host.engine.history("b")?.silence
    rig.daemon.reloadSettings()
    #expect(rig.daemon.host.engine.standing("a")?.state == .done)
    #expect(rig.daemon.host.engine.history("b")?.silence == until)
    #expect(until != nil)
    #expect(!rig.journal.entries.contains { $0.message.contains("0 reminders added") })
    let next = try Rig(config(path), folder: folder)
    #expect(next.daemon.host.engine.standing("a")?.state == .done)
    #expect(!next.journal.entries.contains { $0.message.contains("added or changed") })
  }

  /// The bundled reminders, of every kind, come back from the store as they were read.
  @Test func unchangedRemindersAreNotTouched() throws {
    let folder = try TemporaryFolder()
    let rig = try Rig(config("\(packageRoot)/examples/reminders.json"), folder: folder)
    // What was due when it started has fired.
    rig.daemon.outbox.writeMarks()
    let before = try commits(folder)
    rig.daemon.reloadSettings()
    #expect(
      rig.journal.entries.filter { $0.message.contains("added or changed") }.count == 1)
    #expect(try commits(folder) == before)
  }

  @Test(arguments: [false, true])
  func manyAreOneTransaction(_ onReload: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("r.json", "[]")
    let many = (0..<50).map { Self.dated("r\($0)", "R") }.joined(separator: "\n")
    if !onReload { try folder.file("r.json", many) }
    let empty = try Rig(folder: folder)
    let before = try commits(folder)
    let rig: Rig
    if onReload {
      rig = try Rig(config(path), folder: folder)
      try folder.file("r.json", many)
      rig.daemon.reloadSettings()
    } else {
      rig = try Rig(config(path), folder: folder)
    }
    #expect(try rig.daemon.store.reminders.count() == 50)
    #expect(rig.daemon.host.engine.armedCount == 50)
    // One for the reminders and what the engine makes of them, and what a start itself takes.
    #expect(try commits(folder) - before <= 3)
    withExtendedLifetime(empty) {}
  }

  @Test(
    arguments: [
      ("not JSON", "{\"id\":\"b\",", []),
      ("a wrong reminder", #"{"id":"b","kind":"date","title":"B"}"# + dated("c", "C"), ["C"]),
      ("an id twice", dated("b", "B") + dated("b", "C"), ["B"]),
    ])
  func aWrongReminderCostsItselfAndIsNamed(
    _ what: String, _ text: String, _ left: [String]
  ) throws {
    let folder = try TemporaryFolder()
    let good = try folder.file("good.json", Self.dated("a", "A"))
    let bad = try folder.file("bad.json", "\n" + text)
    let rig = try Rig(config(bad, good), folder: folder)
    #expect(rig.journal.troubles(.error).count == 1)
    #expect(rig.journal.troubles(.error).first?.hasPrefix("\(bad):") == true)
    #expect(try titles(rig) == left + ["A"])
    let problems = try rig.client().call("Next")["problems"]?.array ?? []
    #expect(problems.count == 1 && problems.first?.string?.hasPrefix("\(bad):") == true)
  }

  /// A calendar has years of old dates.
  @Test func anOldDateOfACalendarHasFired() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file(
      "r.ics",
      "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:old\nSUMMARY:O\nDUE:20200825T090000Z\nEND:VTODO\n"
        + "END:VCALENDAR\n")
    let rig = try Rig(config(path), folder: folder)
    #expect(rig.daemon.host.standing("old")?.state == .fired)
    #expect(rig.journal.entries(.firing).isEmpty)
  }

  @Test func aMissingFileIsOneErrorLine() throws {
    let rig = try Rig(config("/nonexistent/r.json"))
    #expect(rig.journal.troubles(.error).count == 1)
    #expect(rig.journal.entries(.started).count == 1)
  }
}
