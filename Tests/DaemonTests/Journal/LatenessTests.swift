import CivilTime
import JSONText
import TestSupport
import Testing

@testable import Daemon

@Suite(.serialized) struct LatenessTests {
  private final class Time { var now = LiveRig.start }

  @Test func theStatusCountsLateFirings() throws {
    let time = Time()
    let first = try Rig(systemClock: { time.now.microseconds })
    for (id, minutes) in [("early", 30.0), ("later", 60.0)] {
      let due = (time.now + .minutes(minutes)).json
      _ = try first.client().call(
        "Add",
        #"{"reminder":{"id":"\#(id)","title":"T","kind":"date","due":"\#(due)"}}"#)
    }
    #expect(first.daemon.statusJSON["late_firings"]?.int == 0)
    first.daemon.stop()
    time.now = time.now + .minutes(90)
    let second = try Rig(folder: first.folder, systemClock: { time.now.microseconds })
    #expect(second.journal.fired.count == 2)
    #expect(second.daemon.statusJSON["late_firings"]?.int == 2)
    let late = try #require(second.daemon.statusJSON["late_s"]?.double)
    #expect(abs(late - 90 * 60) < 0.01)
  }
}
