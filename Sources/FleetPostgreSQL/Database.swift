import CPQ
import Glibc

/// Why a statement failed, in the words of PostgreSQL.
package struct DatabaseError: Error, Equatable, CustomStringConvertible {
  package let description: String
}

/// A session of PostgreSQL. It is never used after an error of the connection: what it has locked
/// is free then.
package final class Database {
  private let connection: OpaquePointer

  /// A server that does not answer counts as lost after some seconds.
  private static let timeouts = [
    "connect_timeout": "3", "keepalives_idle": "2", "keepalives_interval": "1",
    "keepalives_count": "3", "tcp_user_timeout": "5000",
  ]

  /// - Parameters:
  ///   - address: as libpq reads it, such as `service=fleet` or
  ///     `host=a,b dbname=fleet target_session_attrs=read-write`.
  ///   - name: shown in `pg_stat_activity`.
  package init(_ address: String, name: String) throws(DatabaseError) {
    // The address overrides these: it is expanded last.
    let options = Array(Self.timeouts) + [("application_name", name), ("dbname", address)]
    var (keys, values) = (options.map { strdup($0.0) }, options.map { strdup($0.1) })
    defer { for text in keys + values { free(text) } }
    keys.append(nil)
    values.append(nil)
    let constant = (keys.map { UnsafePointer($0) }, values.map { UnsafePointer($0) })
    guard let connection = PQconnectdbParams(constant.0, constant.1, 1) else {
      throw DatabaseError(description: "there is no memory for a connection")
    }
    self.connection = connection
    guard PQstatus(connection) == CONNECTION_OK else { throw failure }
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
  }

  deinit { PQfinish(connection) }

  private var failure: DatabaseError {
    let text = String(cString: PQerrorMessage(connection))
    return DatabaseError(description: text.split(separator: "\n").joined(separator: "; "))
  }

  /// The rows of one statement; `$1` is the first argument.
  @discardableResult
  package func run(_ sql: String, _ arguments: String?...) throws(DatabaseError) -> [[String?]] {
    let texts = arguments.map { $0.flatMap { strdup($0) } }
    defer { for text in texts { free(text) } }
    let values = texts.map { UnsafePointer($0) }
    let result = PQexecParams(connection, sql, Int32(values.count), nil, values, nil, nil, 0)
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw failure }
    return (0..<PQntuples(result)).map { row in
      (0..<PQnfields(result)).map { column in
        PQgetisnull(result, row, column) == 1
          ? nil : String(cString: PQgetvalue(result, row, column))
      }
    }
  }

  /// The first column of the first row.
  package func value(_ sql: String, _ argument: String? = nil) throws(DatabaseError) -> String? {
    try (argument == nil ? run(sql) : run(sql, argument)).first?.first ?? nil
  }

  /// Waits for a notification of a channel that was listened to, or so many seconds.
  package func waitForNotification(seconds: Int32) throws(DatabaseError) {
    var descriptor = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
    poll(&descriptor, 1, seconds * 1_000)
    guard PQconsumeInput(connection) == 1 else { throw failure }
    while let notification = PQnotifies(connection) { PQfreemem(notification) }
  }
}
