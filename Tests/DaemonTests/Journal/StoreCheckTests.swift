import CivilTime
import LinuxRuntime
import Storage
import TestSupport
import Testing

@testable import Daemon

/// The daily work of the daemon: the check of the store is due once a week.
@Suite struct StoreCheckTests {
  private final class Time { var now: Int64 = 1_781_305_200_000_000 }

  /// A clock that is years ahead for some minutes empties no ledger.
  @Test func theDailyWorkBeginsAnHourAfterTheStartAndAStepOfTheClock() {
    #expect(Daemon.clockProbation == 3_600_000_000)
  }

  /// Promise: weekly-check.
  @Test func theStoreIsCheckedOnceAWeek() throws {
    let time = Time()
    let rig = try Rig("[Clock]\nTrust=always\n", systemClock: { time.now })
    _ = try rig.client().call(
      "Add", #"{"reminder":{"id":"a","title":"Milk","due":"2100-01-01T00:00:00Z"}}"#)
    /// Works for a day; returns how many tables were checked.
    func workDaily() -> Int {
      rig.daemon.workDaily()
      let count = rig.daemon.uncheckedTables.count
      while !rig.daemon.uncheckedTables.isEmpty { rig.daemon.checkNextTable() }
      return count
    }
    #expect(workDaily() == IntegrityCheck.tables.count)
    let week: Int64 = 7 * 86_400_000_000
    time.now += week - 1
    #expect(workDaily() == 0)
    time.now += 1
    #expect(workDaily() == IntegrityCheck.tables.count)
    #expect(rig.journal.troubles(.error) == [])
    // The file changes a value.
    try rig.daemon.store.database.execute("UPDATE reminder SET title = 'Bread'")
    time.now += week
    #expect(workDaily() == IntegrityCheck.tables.count)
    let found = rig.journal.troubles(.error)
    #expect(found.count == 1 && found.first?.contains("checksum of table reminder, row 1") == true)
  }
}
