import CivilTime
package import Fleet
import Geodesy

/// One worker's session: the partitions that it owns, and their rows.
///
/// The session that commits holds `pg_advisory_lock(7301, partition)`. So a worker that has lost
/// its session has lost its partitions too, and cannot commit. The next owner begins with the
/// stored state.
package final class FleetStore {
  private let database: Database
  private let worker: String

  /// The schema that this program works with; `fleet.version` of the database must be the same.
  package static let version = "1"

  package init(_ address: String, worker: String) throws(DatabaseError) {
    database = try Database(address, name: "georemind-fleet \(worker)")
    self.worker = worker
    try database.run("SET synchronous_commit = on")
    let version = try database.value("SELECT version FROM fleet.version")
    guard version == Self.version else {
      throw DatabaseError(
        description: "the schema has version \(version ?? "none"), and not \(Self.version): "
          + "run fleet-schema.sql of this version")
    }
  }

  /// Reports that this worker lives, and ends the sessions of workers that do not.
  /// - Returns: how many partitions it should have, and whether it is to give all of them away.
  package func beat(_ statistics: String) throws(DatabaseError) -> (share: Int, isDrained: Bool) {
    let row = try database.run("SELECT * FROM fleet.beat($1, $2::jsonb)", worker, statistics)[0]
    return (row[0].flatMap { Int($0) } ?? 0, row[1] == "t")
  }

  /// Takes free partitions, at most so many.
  package func acquire(atMost count: Int) throws(DatabaseError) -> [Int] {
    try database.run("SELECT fleet.acquire($1::int)", "\(count)").compactMap {
      $0[0].flatMap { Int($0) }
    }
  }

  package func release(_ partition: Int) throws(DatabaseError) {
    try database.run("SELECT pg_advisory_unlock(7301, $1::int)", "\(partition)")
  }

  /// The partition as it was last stored.
  /// - Returns: also why rows were left out.
  package func restore(
    _ number: Int, places: PlaceCatalog
  ) throws(DatabaseError) -> (Partition, [RowError]) {
    let text = "\(number)"
    let rows = try database.run(
      "SELECT seq, at, replay, replay_at FROM fleet.partition WHERE partition = $1", text)
    let numbers = rows.first?.compactMap { $0.flatMap { Int64($0) } } ?? []
    guard numbers.count == 4 else {
      throw DatabaseError(description: "there is no partition \(number)")
    }
    func point(_ index: Int) -> LogPoint {
      LogPoint(
        sequence: UInt64(clamping: numbers[index]), time: .init(microseconds: numbers[index + 1]))
    }
    let partition = Partition(number, after: point(0), replay: point(2))
    partition.places = places
    var failures: [RowError] = []
    func note(_ body: () throws(RowError) -> Void) {
      do throws(RowError) { try body() } catch { failures.append(error) }
    }
    for row in try database.run(Partition.deviceQuery, text) {
      note { () throws(RowError) in try partition.restoreDevice(row) }
    }
    for row in try database.run(Partition.reminderQuery, text) {
      note { () throws(RowError) in try partition.restoreReminder(row) }
    }
    return (partition, failures)
  }

  /// The log has no more than this of the needed messages: a later owner begins there.
  package func acceptGap(_ partition: Int, _ span: LogSpan) throws(DatabaseError) {
    try database.run(
      "SELECT fleet.accept_gap($1::int, $2::bigint, $3::bigint)", "\(partition)",
      "\(span.next - 1)", "\(span.start)")
  }

  /// Stores all decisions of these partitions in one transaction.
  package func commit(_ partitions: [Partition]) throws(DatabaseError) {
    func list(_ texts: [String]) -> String {
      "[" + texts.filter { !$0.isEmpty }.joined(separator: ",") + "]"
    }
    try database.run(
      "SELECT fleet.commit($1, $2::jsonb, $3::jsonb, $4::jsonb)", worker,
      list(partitions.map(\.offset)), list(partitions.map(\.steps)),
      list(partitions.map(\.refusals)))
    for partition in partitions { partition.didCommit() }
  }

  /// The places of all categories.
  package func places() throws(DatabaseError) -> PlaceCatalog {
    var catalog = PlaceCatalog()
    let rows = try database.run(
      "SELECT place, name, category, lat, lon, radius_m FROM fleet.place ORDER BY place")
    for row in rows {
      let numbers = [row[0], row[3], row[4], row[5]].compactMap { $0.flatMap { Double($0) } }
      guard numbers.count == 4, let name = row[1], let category = row[2],
        let position = Coordinate(latitude: numbers[1], longitude: numbers[2])
      else { continue }
      catalog.add(
        number: Int64(numbers[0]), name: name, category: category, position: position,
        radius: numbers[3])
    }
    return catalog
  }
}
