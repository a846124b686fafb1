import CivilTime
import JSONText
import Reminders
import TestSupport
import Testing

@testable import Storage

/// Rows that a hand put there with the rules of the schema switched off.
@Suite struct HostileRowTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let store = try Store(in: folder)
    for id in ["bad", "good"] {
      let entry = try Sample.placed(id)
      try store.reminders.replace(entry)
    }
    try store.ledger.record([Sample.firing("bad"), Sample.firing("good", second: 1)])
    let position = try #require(try Sample.placed("x").reminder.place?.position)
    try store.places.add(SavedPlace(name: "bad", position: position, radius: 1))
    try store.places.add(SavedPlace(name: "good", position: position, radius: 1))
    store.close()
  }

  private func edit(_ table: String, _ assignment: String, by key: String) throws {
    try withRawConnection(
      folder.database,
      """
      PRAGMA ignore_check_constraints = ON;
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = '\(table)';
      """)
    try withRawConnection(
      folder.database,
      """
      PRAGMA ignore_check_constraints = ON;
      UPDATE \(table) SET \(assignment) WHERE \(key) = 'bad';
      """)
  }

  @Test(arguments: [
    "state = 'flying'", "kind = 'odd'", "title = ''",
    "title = x'fffe'", "title = CAST(x'fffe' AS TEXT)", "id = 'white space'", "priority = 'high'",
    "priority = 10", "priority = -9223372036854775808", "priority = 1.5",
    "latitude = 91.0", "latitude = 9e999", "latitude = 'north'", "longitude = -9e999",
    "radius_m = -1", "radius_m = 9e999", "due = 'when it rains'", "due = 12",
    "document = 'no json'", "document = '[1]'", "document = '{\"a\":'", "document = x'7b7d'",
    "document = '{\"on\":7}'", "document = '{\"dwell_s\":1e400}'",
    "due_us = 'noon'", "history = 'no json'", "history = '[1]'", "history = x'7b7d'",
    "history = 12", "history = '{}'", "history = '{\"v\":2}'",
    "document = replace(hex(zeroblob(5000)), '00', '[')", "transport = 'flying'",
    "transport = 7",
  ]) func aReminderIsSkippedAndReported(assignment: String) throws {
    try edit("reminder", assignment, by: "id")
    let store = try Store(in: folder)
    #expect(store.report.action == .opened)
    let all = try store.reminders.all()
    #expect(all.values.map(\.reminder.id) == ["good"])
    #expect(all.problems.map(\.row) == [1])
    #expect(all.problems.map(\.table) == ["reminder"])
    #expect(try store.reminders.peek(kind: .location)?.reminder.id == "good")
    var each: [String] = []
    let problems = try store.reminders.forEach { each.append($0.reminder.id) }
    #expect(each == ["good"])
    #expect(problems == all.problems)
    try store.salvage(problems)
    // The text has every column, readable or not.
    try store.salvage(problems)
    let salvaged = try contents(store.salvagePath).split(separator: "\n").map(String.init)
    #expect(salvaged.count == 1)
    let row = try JSONParser.parse(try #require(salvaged.first))["row"]
    #expect(row?["seq"]?.int == 1 && row?["id"] != nil && row?["document"] != nil)
    #expect(try store.reminders.update("good", History(), Standing(state: .done)))
    #expect(try store.reminders.peek(kind: .location) == nil)
  }

  @Test(arguments: [
    #""used":"noon""#, #""used":"2026-11-21T09:00:00Z""#, #""leads":2"#,
    #""leads":{"noon":1}"#, #""leads":{"2026-11-21T09:00:00":-1}"#,
    #""leads":{"2026-11-21T09:00:00":65536}"#, #""stay":"above""#, #""stay":"inside""#,
    #""stay":"outside","since":0.5"#, #""stay":"inside","since":1,"places":[1,"x"]"#,
    #""stay":"inside","since":1,"places":[2,1]"#, #""silent":"later""#, #""rung":"noon""#,
    #""again":1"#, #""again":1,"repeated":"two""#,
  ]) func aReminderWithAnUnreadableHistoryIsSkippedAndReported(members: String) throws {
    try edit("reminder", "history = '{\"v\":1,\(members)}'", by: "id")
    let all = try Store(in: folder).reminders.all()
    #expect(all.values.map(\.reminder.id) == ["good"])
    #expect(all.problems.map(\.row) == [1])
    #expect(all.problems.first?.reason.contains("history") == true)
  }

  @Test(arguments: [
    "kind = 'odd'", "event = 'x'", "time_us = 'noon'", "latitude = 91.0", "distance_m = 9e999",
    "why = x'00'", "priority = 'high'",
  ]) func aFiringIsSkippedAndReported(assignment: String) throws {
    try edit("firing", assignment, by: "id")
    let store = try Store(in: folder)
    #expect(try store.ledger.undelivered().values.map(\.firing.id) == ["good"])
    #expect(try store.ledger.undelivered().problems.count == 1)
    #expect(try store.ledger.firings().values.map(\.id) == ["good"])
  }

  @Test func anIndexThatDoesNotMatchItsTableIsRebuilt() throws {
    try withRawConnection(
      folder.database,
      """
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'CREATE INDEX firing_time ON firing (reminder_id)'
        WHERE name = 'firing_time';
      """)
    let store = try Store(in: folder)
    #expect(store.report.action == .opened)
    let check = IntegrityCheck(store)
    let fault = try #require(try check.check("firing"))
    #expect(fault.isRepaired && fault.text.contains("firing_time"), "\(fault.text)")
    for table in IntegrityCheck.tables { #expect(try check.check(table) == nil, "\(table)") }
  }

  @Test func aValueThatTheSchemaForbidsIsNoDamage() throws {
    try edit("place", "radius_m = 0.0", by: "name")
    let check = IntegrityCheck(try Store(in: folder))
    #expect(try check.check("place") == nil)
  }

  @Test func theWholeStoreIsCheckedOnceAWeek() throws {
    let check = IntegrityCheck(try Store(in: folder))
    let now = Instant.start
    #expect(try check.isDue(at: now))
    try check.note(at: now)
    #expect(try !check.isDue(at: now + .hours(7 * 24 - 1)))
    #expect(try check.isDue(at: now + .hours(7 * 24)))
    // The clock was ahead then.
    #expect(try check.isDue(at: now - .hours(1)))
  }

  @Test(arguments: [
    "latitude = 91.0", "radius_m = 0.0", "radius_m = 0.5", "radius_m = 5000000.1",
    "radius_m = 'wide'", "notes = x'00'",
  ]) func aPlaceIsSkippedAndReported(assignment: String) throws {
    try edit("place", assignment, by: "name")
    let store = try Store(in: folder)
    #expect(try store.places.all().values.map(\.name) == ["good"])
    #expect(try store.places.all().problems.count == 1)
    #expect(try store.places.place(named: "bad") == nil)
  }

  @Test func aLastFixThatIsNotReadableIsNone() throws {
    let store = try Store(in: folder)
    for value in [
      "", "{}", "[]", "{\"arrival_us\":1,\"lat\":91,\"lon\":0,\"mode\":2,\"source\":0}",
    ] {
      try store.database.run(
        "INSERT OR REPLACE INTO state VALUES ('last_fix', ?)", [.text(value)])
      #expect(try store.state.lastFix() == nil)
    }
  }
}
