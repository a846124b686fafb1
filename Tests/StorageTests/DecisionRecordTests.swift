import CivilTime
import Geodesy
import Geofencing
import Reminders
import TestSupport
import Testing

@testable import Storage

/// The bytes that a decision is kept as.
@Suite struct DecisionRecordTests {
  private var full: Decision {
    var progress = Progress(state: .snoozed)
    progress.presence = .inside
    progress.insideSince = Instant(seconds: 1)
    progress.placesInside = [3, 70_000]
    progress.visitSettled = true
    progress.occurrence = Instant(seconds: 2)
    progress.leadsFired = 3
    progress.lastFired = Instant(seconds: -4)
    progress.isUnacknowledged = true
    progress.snoozedUntil = Instant(seconds: 5)
    progress.nagging = Progress.Nagging(next: Instant(seconds: 6), count: 7)
    progress.occurrenceOffset = -3600
    let firing = Firing(
      id: "f", reminderID: "ä", kind: .preemptive, title: "Zug nach Köln 🚆", category: "Reise",
      priority: 9, time: Instant(seconds: 8), event: .leave,
      position: Coordinate(clampingLatitude: -53.5, wrappingLongitude: 179.9), eph: 3.25,
      fixTime: Instant(seconds: 9), place: "", distance: 0, due: Instant(seconds: 10),
      travel: .seconds(11), late: .seconds(-12), why: "Because\nof a line")
    let bare = Firing(
      id: "", reminderID: "", kind: .date, title: "", time: Instant(seconds: 0), event: .due,
      why: "")
    return Decision(
      firings: [firing, bare],
      progress: [
        Decision.Step(id: "ä", progress: progress), Decision.Step(id: "", progress: Progress()),
      ])
  }

  @Test func itComesBackAsItWas() throws {
    #expect(try DecisionRecord.read(DecisionRecord.bytes(of: full)) == full)
    #expect(try DecisionRecord.read(DecisionRecord.bytes(of: Decision())) == Decision())
  }

  /// Whoever adds a field has to write and to read it in the record, too, and to give that another version.
  @Test func noFieldIsForgotten() {
    #expect(Mirror(reflecting: Progress()).children.count == 12)
    let firing = full.firings[0]
    // `unnamed` is a place whose name the store puts in before it decides.
    #expect(Mirror(reflecting: firing).children.count == 18)
  }

  @Test func aPieceOfItIsRefused() {
    let bytes = DecisionRecord.bytes(of: full)
    for count in bytes.indices {
      #expect(throws: RowFault.self) { try DecisionRecord.read(Array(bytes[..<count])) }
    }
    #expect(throws: RowFault.self) { try DecisionRecord.read(bytes + [0]) }
  }

  @Test func whatNoReminderCanHaveIsRefused() {
    var places = full
    places.progress[0].progress.placesInside = [70_000, 3]
    #expect(throws: RowFault.self) { try DecisionRecord.read(DecisionRecord.bytes(of: places)) }
    var leads = full
    leads.progress[0].progress.leadsFired = -1
    #expect(throws: RowFault.self) { try DecisionRecord.read(DecisionRecord.bytes(of: leads)) }
  }

  /// Whatever is changed in it, it is refused or is some other decision, which is kept as any.
  @Test func changedBytesNeverTrap() throws {
    let bytes = DecisionRecord.bytes(of: full)
    var random = SeededGenerator(seed: 7)
    for _ in 0..<5_000 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let index = Int.random(in: changed.indices, using: &random)
        changed[index] = .random(in: 0...255, using: &random)
      }
      guard let decision = try? DecisionRecord.read(changed) else { continue }
      #expect(try DecisionRecord.read(DecisionRecord.bytes(of: decision)) == decision)
    }
  }
}
