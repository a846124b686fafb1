import Glibc

/// The mark of a clean end: the file has the time of change that a row of it names.
///
/// A write to a sealed file gives it another time. A process that was killed, or has found damage,
/// leaves no seal. So only a file without a seal is checked at the start. The weekly
/// `IntegrityCheck` and the readers find bits that change on the disk by themselves; the end after
/// that leaves no seal.
struct Seal {
  let database: Database
  private static let key = "sealed_ns"

  private var state: EngineState { EngineState(database: database) }

  /// Whether the file is as this program closed it; a file that cannot say so is not.
  var isWhole: Bool {
    guard let time = try? state.number(Self.key) else { return false }
    return (try? FileSystem.modification(of: database.path)) == time
  }

  /// Names a time of change and closes the database, which then has it.
  func close() {
    let time = prepare()
    database.close()
    if let time { try? FileSystem.setModification(of: database.path, time) }
  }

  private func prepare() -> Int64? {
    guard !database.isDoubtful else { return nil }
    // The present time, as a write would leave it: programs that back up compare it.
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let time = Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
    do throws(StoreError) {
      try database.relaxedTransaction { () throws(StoreError) in
        try state.keep(time, as: Self.key)
      }
      return time
    } catch {
      return nil
    }
  }
}
