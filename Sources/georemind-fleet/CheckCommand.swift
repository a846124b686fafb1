import ArgumentParser
import CivilTime
import Fleet
import FleetPostgreSQL
import Glibc
import LinuxRuntime
import Reminders

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Proves that every firing is in the database, once.",
    discussion: "Without --replay it names numbers that a ledger lacks, and messages that were "
      + "refused. Exit code 1 for a firing that is missing or too much.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var log: LogOptions

  @Flag(help: "Decide the whole log once more, in one life, and compare the firings.")
  var replay = false

  /// A firing counts as the same one up to so many microseconds later or earlier.
  private static let tolerance: Int64 = 1_000_000

  func run() throws {
    let database = try Database(database.database, name: "georemind-fleet check")
    let gaps = try database.run("SELECT device, ledger, first, last FROM fleet.gap")
    for gap in gaps {
      let text = gap.map { $0 ?? "" }
      print("missing: \(text[0]), ledger \(text[1]): \(text[2]) to \(text[3])")
    }
    let refused = try database.value("SELECT count(*) FROM fleet.refused") ?? "0"
    let disorder =
      try database.value(
        """
        SELECT count(*) FROM (SELECT fired_at, lag(fired_at) OVER (PARTITION BY ledger ORDER BY seq)
          AS before FROM fleet.firing) x WHERE before > fired_at
        """) ?? "0"
    print("gaps \(gaps.count), out of order \(disorder), messages refused \(refused)")
    let isSame = try !replay || compare(database)
    if !isSame || !gaps.isEmpty || disorder != "0" { throw ExitCode(1) }
  }

  private typealias Key = [String]

  private func compare(_ database: Database) throws -> Bool {
    var expected: [Key: [Int64]] = [:]
    var count = 0
    let log = try log.connect()
    let places = try FleetStore(self.database.database, worker: "check").places()
    for row in try database.run("SELECT partition, seq FROM fleet.partition ORDER BY partition") {
      let number = row[0].flatMap { Int($0) } ?? 0
      let last = row[1].flatMap { UInt64($0) } ?? 0
      let partition = Partition(number)
      partition.places = places
      partition.onFiring = { device, firing in
        expected[[device, firing.reminderID, firing.event.rawValue], default: []]
          .append(firing.time.microseconds)
      }
      try Self.decide(partition, of: log, upTo: last)
      count += Int(last)
    }
    var (missing, surplus, moved) = (0, 0, 0)
    var stored: [Key: [Int64]] = [:]
    let rows = try database.run(
      """
      SELECT device, reminder_id, event, round(extract(epoch FROM fired_at) * 1e6)::bigint
      FROM fleet.firing f JOIN fleet.device USING (device, ledger)
      """)
    for row in rows {
      stored[row[..<3].map { $0 ?? "" }, default: []].append(row[3].flatMap { Int64($0) } ?? 0)
    }
    for key in Set(expected.keys).union(stored.keys) {
      var rest = (stored[key] ?? []).sorted()
      for time in (expected[key] ?? []).sorted() {
        if let index = rest.firstIndex(where: { abs($0 - time) <= Self.tolerance }) {
          // A stored time has milliseconds.
          if abs(rest[index] - time) >= 1_000 { moved += 1 }
          rest.remove(at: index)
        } else {
          missing += 1
          print("missing: \(key.joined(separator: ", ")) at \(Instant(microseconds: time))")
        }
      }
      surplus += rest.count
      for time in rest {
        print("too much: \(key.joined(separator: ", ")) at \(Instant(microseconds: time))")
      }
    }
    let total = expected.values.reduce(0) { $0 + $1.count }
    print(
      "messages \(count), firings expected \(total), stored \(rows.count), missing \(missing), "
        + "too many \(surplus), at another time within 1 s \(moved)")
    return missing == 0 && surplus == 0
  }

  /// One uninterrupted life over a partition of the log.
  private static func decide(
    _ partition: Partition, of log: any LogConnection, upTo last: UInt64
  ) throws {
    guard last > 0 else { return }
    let first = try log.bounds(of: partition.number).first
    guard first == 1 else {
      throw ValidationError("partition \(partition.number) begins with message \(first): cut")
    }
    let cursor = LogCursor(log, partition.number, from: partition.span.start)
    var failures = 0
    while partition.next <= last {
      do throws(LogError) {
        let messages = try cursor.fetch()
        failures = messages.isEmpty ? failures + 1 : 0
        guard failures < attempts else {
          throw LogError("partition \(partition.number) ends before message \(last)")
        }
        for message in messages where message.sequence <= last { partition.take(message) }
      } catch {
        failures += 1
        guard failures < attempts else { throw error }
        usleep(500_000)
      }
      partition.didCommit()
    }
  }

  /// At a log that does not answer, half a second each.
  private static let attempts = 60
}
