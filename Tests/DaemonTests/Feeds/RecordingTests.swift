import LinuxRuntime
import Positioning
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// The bundled drive against the bundled reminders.
@Suite(.serialized) struct RecordingTests {
  private static let config = """
    [Feed]
    Feed=file://\(packageRoot)/examples/drive.nmea?speed=max
    [Reminders]
    File=\(packageRoot)/examples/reminders.json
    """

  private static let expected = [
    "office depart", "milk arrive", "parking dwell", "ferry leave", "mum due", "tunnel arrive",
    "bridge arrive", "plants arrive",
  ]

  private func play(in folder: TemporaryFolder? = nil) throws -> Rig {
    let rig = try Rig(Self.config, folder: folder)
    try rig.run { !rig.journal.entries(.feedEnded).isEmpty }
    return rig
  }

  @Test func firesTheExpectedRemindersInOrder() throws {
    let rig = try play()
    #expect(rig.journal.fired == Self.expected)
    let ids = rig.journal.firings.map { $0["GEOREMIND_FIRING_ID"] }
    #expect(Set(ids).count == ids.count)
    rig.daemon.outbox.writeMarks()
    #expect(try rig.daemon.store.ledger.undelivered().values.isEmpty)
    // The tunnel.
    #expect(rig.journal.troubles(.warning).count == 1)
    #expect(rig.journal.entries(.positionLost).count == 1)
    #expect(rig.journal.entries(.positionBack).count == 1)
    for entry in rig.journal.entries where !entry.isFiring {
      for field in entry.fields {
        #expect(!field.value.contains("53.5") && field.name.description != "GEOREMIND_LATITUDE")
      }
    }
    let times = try rig.daemon.store.ledger.firings().values.map(\.time)
    #expect(times == times.sorted())
  }

  @Test func playbackIsDeterministic() throws {
    let first = try play().journal.firings
    let second = try play().journal.firings
    #expect(first == second)
  }

  @Test func firesNothingTwiceWhenPlayedAgain() throws {
    let rig = try play()
    rig.daemon.stop()
    let again = try play(in: rig.folder)
    #expect(again.journal.fired == [])
  }

  /// Dates of the recording are due in its own time, whatever the machine's clock says.
  @Test func hasATimeOfItsOwn() throws {
    let rig = try play()
    let call = try #require(
      rig.journal.firings.first { $0["GEOREMIND_REMINDER_ID"] == "mum" })
    #expect(call["GEOREMIND_EVENT"] == "due")
    #expect(call["GEOREMIND_DUE"] == "2026-06-12T15:57:00Z")
    let last = try #require(rig.daemon.clock.now)
    #expect(last == rig.daemon.host.engine.lastFix?.time)
    let firing = try #require(
      try rig.daemon.store.ledger.firings(reminder: "mum").values.first)
    #expect(firing.time == firing.due)
  }
}
