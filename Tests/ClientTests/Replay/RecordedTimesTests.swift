import CivilTime
import Testing

@testable import Client

/// The notes about the dates of a recording.
@Suite struct RecordedTimesTests {
  private let start = Instant(microseconds: 1_781_280_000_000_000)

  /// Promise: replay-jump.
  @Test(arguments: [(86_400.0, false), (86_400.001, true), (-86_400, false), (-86_401, true)])
  func aJumpOfMoreThanADayIsReported(seconds: Double, isReported: Bool) {
    var times = RecordedTimes()
    times.add(start)
    times.add(start + .seconds(1))
    #expect(times.note(isAssumed: false, from: start, zone: .utc) == nil)
    times.add(start + .seconds(1 + seconds))
    let note = times.note(isAssumed: false, from: start, zone: .utc)
    #expect((note != nil) == isReported)
    #expect(note?.contains("from 2026-06-12T16:00:01") ?? true, "\(note ?? "")")
  }
}
