import CivilTime
import Geodesy
import Glibc
import Reminders
import Storage

/// What the store costs on the disk at hand: one progress, one firing and the mark of the firing
/// before it a transaction, as the daemon commits them; the look at the outbox that follows; and
/// the reading of `count` reminders at the start.
func storeBench(count: Int) throws -> String {
  let folder = try BenchFolder(in: "/tmp")
  let now = Instant(seconds: 1_800_000_000)
  let path = "\(folder.path)/bench.db"
  let store = try Store(path: path, now: now)
  let home = Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99)

  var changes = Changes()
  for index in 0..<count {
    let position = home.destination(bearing: Double(index), distance: Double(index))
    let reminder = Reminder(
      id: "r\(index)", kind: .location, title: "Reminder \(index)",
      place: Reminder.Place(name: "Place \(index)", position: position))
    changes.saved.append((reminder, History(), Standing(state: .armed)))
  }
  let fillStart = wallTime()
  try store.commit(changes)
  let fill = wallTime() - fillStart

  let commits = min(count, 500)
  var times: [Double] = []
  var reading: [Double] = []
  var sent: [Int64] = []
  for index in 0..<commits {
    var history = History()
    history.lastRung = now
    var one = Changes()
    one.histories = [Changes.Step(id: "r\(index)", history, Standing(state: .fired))]
    one.firings = [
      Firing(
        id: "firing-\(index)", reminderID: "r\(index)", kind: .location, title: "Reminder \(index)",
        time: now + .seconds(Double(index)), event: .arrive, position: home, why: "Arrived")
    ]
    let start = wallTime()
    one.delivered = sent
    try store.commit(one)
    let committed = wallTime()
    sent = try store.ledger.undelivered(after: Int64(index)).values.map(\.seq)
    times.append(committed - start)
    reading.append(wallTime() - committed)
  }
  times.sort()
  reading.sort()
  store.close()

  let openStart = wallTime()
  let again = try Store(path: path, now: now)
  var read = 0
  _ = try again.reminders.forEach { _ in read += 1 }
  let open = wallTime() - openStart
  again.close()
  guard read == count else { throw BenchError("\(read) of \(count) reminders came back") }
  func at(_ share: Double) -> String { rounded(times.percentile(share) * 1e6) }
  return "insert_ms=\(rounded(fill * 1e3)) commit_p50_us=\(at(0.5)) commit_p99_us=\(at(0.99)) "
    + "outbox_p50_us=\(rounded(reading.percentile(0.5) * 1e6)) "
    + "open_and_read_ms=\(rounded(open * 1e3))"
}
