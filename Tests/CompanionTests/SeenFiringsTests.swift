import JSONText
import Testing

@testable import Companion

@Suite struct SeenFiringsTests {
  private func firing(_ id: String, _ time: String) throws -> FiringNotice {
    try #require(
      FiringNotice([
        "firing_id": .string(id), "reminder_id": "r", "time": .string(time), "title": "Milk",
      ]))
  }

  @Test func eachCountsOnce() throws {
    var seen = SeenFirings(since: "2026-06-12T16:00:00Z")
    #expect(seen.note(try firing("a", "2026-06-12T16:00:01Z")))
    #expect(!seen.note(try firing("a", "2026-06-12T16:00:01Z")))
    #expect(seen.note(try firing("b", "2026-06-12T16:00:01Z")))
  }

  /// As texts, "00.5Z" comes before "00Z".
  @Test func theLatestFiringIsTheLatestByTime() throws {
    var seen = SeenFirings(since: "2026-06-12T16:00:00Z")
    _ = seen.note(try firing("a", "2026-06-12T16:00:00.5Z"))
    #expect(seen.latest == "2026-06-12T16:00:00.5Z")
    _ = seen.note(try firing("b", "2026-06-12T15:59:59Z"))
    #expect(seen.latest == "2026-06-12T16:00:00.5Z")
  }

  @Test func seenFiringsReadBackFromTheirDocument() throws {
    var seen = SeenFirings(since: "2026-06-12T16:00:00Z")
    for number in 0..<(SeenFirings.keptIDs + 10) {
      _ = seen.note(try firing("\(number)", "2026-06-12T16:00:00Z"))
    }
    let back = try #require(SeenFirings(json: .object(seen.json)))
    #expect(back == seen)
    #expect(seen.json["ids"]?.array?.count == SeenFirings.keptIDs)
    #expect(SeenFirings(json: ["ids": 3]) == nil)
  }

  @Test func aFiringWithoutAReminderIsIgnored() {
    #expect(FiringNotice(["firing_id": "x"]) == nil)
  }
}
