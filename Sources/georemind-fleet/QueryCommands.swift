import ArgumentParser
import CivilTime
import Fleet
import FleetPostgreSQL
import Glibc

struct LagCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lag", abstract: "Lists for each partition how far it is decided, and by whom.",
    discussion: "Exit code 1 where messages wait, and the last commit is older than --max seconds.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var log: LogOptions

  @Option(help: "Seconds.")
  var max = 10.0

  func run() throws {
    let log = try log.connect()
    var isLate = false
    for row in try Database(database.database, name: "georemind-fleet lag").run(
      """
      SELECT partition, seq, coalesce(w.worker, '-'),
        round(extract(epoch FROM now() - committed)::numeric, 1)
      FROM fleet.partition p LEFT JOIN fleet.owner o USING (partition)
        LEFT JOIN fleet.worker w USING (pid) ORDER BY partition
      """)
    {
      let text = row.map { $0 ?? "" }
      let last = try log.bounds(of: Int(text[0]) ?? 0).last
      let behind = last.subtractingReportingOverflow(UInt64(text[1]) ?? 0)
      print("\(text[0])\t\(text[1]) of \(last)\t\(text[2])\t\(text[3]) s")
      isLate = isLate || behind.partialValue > 0 && Double(text[3]) ?? 0 > max
    }
    if isLate { throw ExitCode(1) }
  }
}

struct DrainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "drain", abstract: "Makes a worker give its partitions away and end.")

  @OptionGroup var database: DatabaseOptions

  @Flag(help: "Let it work again.")
  var undo = false

  @Argument(help: "Its name.")
  var worker: String

  func run() throws {
    let rows = try Database(database.database, name: "georemind-fleet drain").run(
      "UPDATE fleet.worker SET drained = $2::bool WHERE worker = $1 RETURNING worker", worker,
      "\(!undo)")
    guard !rows.isEmpty else { throw ValidationError("there is no worker \(worker)") }
  }
}

struct RemindersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reminders", abstract: "Prints the reminders of a device, one JSON object a line.")

  @OptionGroup var database: DatabaseOptions

  @Argument(help: "Its name.")
  var device: String

  func run() throws {
    for row in try Database(database.database, name: "georemind-fleet reminders").run(
      "SELECT doc FROM fleet.reminder WHERE device = $1 ORDER BY id", device)
    {
      print(row[0] ?? "")
    }
  }
}

struct FollowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow",
    abstract: "Prints firings as they come, one JSON object a line, with its cursor.",
    discussion: "A reader that goes on with --after the last cursor misses none. It may get some "
      + "twice, with the same firing_id.")

  @OptionGroup var database: DatabaseOptions

  @Option(help: "Begin after this cursor; 0 for all.")
  var after: UInt64 = 0

  @Flag(help: "End when all have been printed.")
  var once = false

  func run() throws {
    let database = try Database(database.database, name: "georemind-fleet follow")
    try database.run("LISTEN georemind_firing")
    var cursor = after
    while true {
      // A transaction that began before and has not ended may still bring firings.
      for row in try database.run(
        """
        SELECT xact, jsonb_build_object('cursor', xact::text, 'device', device, 'ledger', ledger,
          'seq', seq) || doc FROM fleet.firing
        WHERE xact > $1::text::xid8 AND xact < pg_snapshot_xmin(pg_current_snapshot())
        ORDER BY xact, ledger, seq
        """, "\(cursor)")
      {
        print(row[1] ?? "")
        cursor = row[0].flatMap { UInt64($0) } ?? cursor
      }
      fflush(nil)
      if once { return }
      try database.waitForNotification(seconds: 5)
    }
  }
}
