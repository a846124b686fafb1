import Control
import JSONText
import Reminders
import Storage
import Testing

@testable import Daemon

/// Whoever may call may not make the daemon hold more than it has.
@Suite(.serialized) struct BoundedAnswerTests {
  private let rig: Rig
  private let client: Client

  init() throws {
    rig = try Rig()
    client = try rig.client()
  }

  private func add(_ count: Int, bytes: Int = 0) throws {
    try rig.daemon.addAll(
      (0..<count).map { number in
        let filler = JSONValue.string(String(repeating: "x", count: bytes))
        return try Reminder(json: [
          "id": .string("id\(number)"), "kind": "date", "title": "T",
          "due": "2100-01-01T00:00:00Z", "x_filler": filler,
        ])
      })
  }

  private func pages(_ limit: Int? = nil) throws -> [[String]] {
    var pages: [[String]] = []
    var next: JSONValue?
    repeat {
      let page = try client.call("PageReminders", ["after": next, "limit": limit.map { .int($0) }])
      pages.append((page["reminders"]?.array ?? []).compactMap { $0["id"]?.string })
      next = page["next"]
    } while next?.int != nil && pages.count < 100
    return pages
  }

  @Test func pagesGiveEachReminderOnceInOrder() throws {
    #expect(try pages() == [[]])
    try add(5)
    let all = (0..<5).map { "id\($0)" }
    #expect(try pages() == [all])
    #expect(try pages(2) == [["id0", "id1"], ["id2", "id3"], ["id4"]])
    #expect(try pages(5) == [all, []])
    // One that goes meanwhile takes no other one with it.
    let next = try client.call("PageReminders", #"{"limit":2}"#)["next"]
    try rig.daemon.remove(["id1"])
    let page = try client.call("PageReminders", ["after": next, "limit": 1])
    #expect(page["reminders"]?.array?.first?["id"]?.string == "id2")
  }

  @Test func largeRemindersMakeSmallPages() throws {
    try add(12, bytes: 300_000)
    #expect(try pages().map(\.count) == [4, 4, 4])
    #expect(try pages().flatMap { $0 }.count == 12)
  }

  @Test func anAnswerThatWouldBeTooLargeIsRefused() throws {
    try add(40, bytes: 900_000)
    #expect(try client.error("List").name == "org.georemind.RefusedByPolicy")
    #expect(try pages().flatMap { $0 }.count == 40)
    _ = try client.call("Status")
  }

  @Test func theMemoryOfRemindersIsLimited() throws {
    rig.daemon.maximumReminderBytes = 600_000
    try add(5, bytes: 100_000)
    #expect(rig.daemon.host.engine.reminderBytes > 500_000)
    let large = String(repeating: "y", count: 130_000)
    let document =
      #"{"reminder":{"id":"z","title":"Z","due":"2100-01-01T00:00:00Z","x":"\#(large)"}}"#
    #expect(try client.error("Add", document).name == "org.georemind.RefusedByPolicy")
    #expect(try rig.daemon.store.reminders.count() == 5)
    // In place of another one there is room for it, and where another one has become smaller.
    _ = try client.call("Edit", #"{"id":"id0","changes":{"x_filler":"\#(large)"}}"#)
    #expect(try client.error("Add", document).name == "org.georemind.RefusedByPolicy")
    _ = try client.call("Edit", #"{"id":"id0","changes":{"x_filler":null}}"#)
    _ = try client.call("Add", document)
    #expect(rig.daemon.host.engine.reminderBytes <= 600_000)
    for id in ["id0", "id1", "id2", "id3", "id4", "z"] {
      _ = try client.call("Remove", #"{"id":"\#(id)"}"#)
    }
    #expect(rig.daemon.host.engine.reminderBytes == 0)
  }

  /// Corners take more room than the digits they are written with.
  @Test func regionsCountByTheirCorners() throws {
    let corners = (0..<5_000).map { number in
      let angle = Double(number) / 5_000 * 2 * .pi
      return "[\(angle < .pi ? 1 : 2),\(number % 2)]"
    }
    rig.daemon.maximumReminderBytes = 150_000
    let region = #"{"type":"LineString","coordinates":[\#(corners.joined(separator: ","))]}"#
    let document = #"{"reminder":{"title":"R","region":\#(region),"width_m":50}}"#
    #expect(try client.error("Add", document).name == "org.georemind.RefusedByPolicy")
    rig.daemon.maximumReminderBytes = 400_000
    _ = try client.call("Add", document)
    #expect(rig.daemon.host.engine.reminderBytes > 100_000)
  }

  @Test func theNumberOfPlacesIsLimited() throws {
    let notes = String(repeating: "note ", count: 3_000)
    func add(_ number: Int) throws {
      _ = try client.call(
        "AddPlace", #"{"name":"p\#(number)","latitude":1,"longitude":2,"notes":"\#(notes)"}"#)
    }
    try add(0)
    rig.daemon.maximumDatabaseBytes = try rig.daemon.store.database.byteCount() + 90_000
    var count = 0
    while count < 20, (try? add(count + 1)) != nil { count += 1 }
    #expect((1...6).contains(count))
    let document = #"{"name":"q","latitude":1,"longitude":2}"#
    #expect(try client.error("AddPlace", document).name == "org.georemind.RefusedByPolicy")
    let batch = try client.call("BeginPlaceImport")["import"]?.int ?? 0
    let error = try client.error(
      "ImportPlaces", #"{"import":\#(batch),"places":[{"name":"q","lat":1,"lon":2}]}"#)
    #expect(error.name == "org.georemind.RefusedByPolicy")
    // Reminders are taken all the while, and what is removed makes room.
    _ = try client.call("Add", #"{"reminder":{"title":"R","due":"2100-01-01T00:00:00Z"}}"#)
    for number in 0...count { _ = try client.call("RemovePlace", #"{"name":"p\#(number)"}"#) }
    _ = try client.call("AddPlace", document)
  }

  @Test func tooLongNamesAreRefused() throws {
    let name = String(repeating: "n", count: 257)
    for (method, more) in [
      ("AddPlace", #","latitude":1,"longitude":2"#), ("AddCategory", ##","color":"#112233""##),
    ] {
      let error = try client.error(method, #"{"name":"\#(name)"\#(more)}"#)
      #expect(error.name == "org.georemind.InvalidReminder")
    }
  }
}
