import CivilTime
import Control
import JSONText
import LinuxRuntime
import Reminders
import TestSupport
import Testing

@testable import Daemon
@testable import Storage

/// A zone that another version of the tz database had, and this system does not know.
@Suite(.serialized) struct UnknownZoneTests {
  private static let reminders = """
    {"reminders":[
      {"id":"kept","kind":"date","title":"T","due":"2100-06-01T06:00:00Z","repeat":"FREQ=DAILY",
       "zone":"Europe/Kyiv"},
      {"id":"old","kind":"date","title":"T","due":"2100-06-01T06:00:00Z","repeat":"FREQ=DAILY",
       "zone":"Europe/Kyiv"},
      {"id":"other","kind":"date","title":"T","due":"2100-06-01T06:00:00Z","repeat":"FREQ=DAILY"}]}
    """

  /// A rig whose store names another zone, of which `old` has no offset.
  private func rig() throws -> Rig {
    let rig = try Rig()
    _ = try rig.client().call("Import", Self.reminders)
    try rig.daemon.store.database.run(
      "UPDATE reminder SET document = replace(document, 'Europe/Kyiv', 'Europe/Gone')")
    try rig.daemon.store.database.run(
      "UPDATE reminder SET document = json_remove(document, '$.zone_offset_s') WHERE id = 'old'")
    try RowChecksum.seal("reminder", of: rig.daemon.store.database)
    return try Rig(folder: rig.folder)
  }

  @Test(arguments: [("kept", 10_800), ("old", 0)])
  func aReminderFiresByItsLastKnownOffset(_ id: String, _ offset: Int) throws {
    let rig = try rig()
    let shown = try rig.client().call("Show", ["id": .string(id)])["reminder"]
    #expect(shown?["next_due"]?.string == "2100-06-01T06:00:00Z")
    #expect(shown?["zone"]?.string == "Europe/Gone" && shown?["zone_offset_s"]?.int == offset)
    // The clocks of winter are those of summer.
    let engine = rig.daemon.host.engine.reminder(id)
    let next = try #require(
      engine?.series(in: .utc)?.next(
        after: LocalDateTime(
          year: 2100, month: 12, day: 1, hour: 12, minute: 0, second: 0)))
    #expect(next.due.json == "2100-12-02T06:00:00Z")
  }

  @Test func itIsMarkedWhereverPeopleSeeIt() throws {
    let rig = try rig()
    let client = try rig.client()
    let status = try client.call("Status")["status"]
    #expect(
      status?["unknown_zones"]?.array == [
        """
        Europe/Gone, of 2 reminders, is not known here; its last known offset counts until the \
        package tzdata has it
        """
      ])
    #expect(rig.journal.troubles(.warning).count { $0.contains("Europe/Gone") } == 1)
    let gates = try client.call("Why", #"{"id":"kept"}"#)["why"]?["gates"]?.array ?? []
    #expect(gates.count { $0["says"]?.string?.contains("zone Europe/Gone") == true } == 1)
    #expect(try client.call("Why", #"{"id":"other"}"#)["why"]?["gates"]?.array?.count == 2)
    // It ends with them.
    _ = try client.call("Remove", #"{"id":"old","also":["kept"]}"#)
    #expect(try client.call("Status")["status"]?["unknown_zones"] == nil)
    _ = try client.call("Undo")
    #expect(try client.call("Status")["status"]?["unknown_zones"] != nil)
  }

  /// Once the system knows it again, its rules count.
  @Test func itsRulesCountAgain() throws {
    let rig = try rig()
    try rig.daemon.store.database.run(
      "UPDATE reminder SET document = replace(document, 'Europe/Gone', 'Europe/Kyiv')")
    try RowChecksum.seal("reminder", of: rig.daemon.store.database)
    let again = try Rig(folder: rig.folder)
    #expect(again.daemon.host.engine.reminder("kept")?.unknownZone == nil)
    #expect(try again.client().call("Status")["status"]?["unknown_zones"] == nil)
  }
}
