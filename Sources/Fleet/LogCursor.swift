/// A partition of the log, read in order from a message on, with a new reader after each failure.
package final class LogCursor {
  /// The number of the first message that was not read.
  package private(set) var next: UInt64
  private let connection: any LogConnection
  private let partition: Int
  private var reader: (any LogReader)?
  /// Fetches in a row that brought nothing.
  private var silentFetches = 0

  package init(_ connection: any LogConnection, _ partition: Int, from start: UInt64) {
    self.connection = connection
    self.partition = partition
    next = start
  }

  /// Waits for messages up to a second. After an error it may be called again.
  package func fetch() throws(LogError) -> [LogMessage] {
    do {
      if reader == nil { reader = try connection.reader(of: partition, from: next) }
      let messages = try reader?.fetch() ?? []
      silentFetches = messages.isEmpty ? silentFetches + 1 : 0
      if silentFetches >= 2 { try checkSilence() }
      if let last = messages.last { next = last.sequence + 1 }
      return messages
    } catch {
      reader = nil
      throw error
    }
  }

  /// A reader that brings nothing although the log goes on hangs: it may read from a server whose
  /// copy is behind. Another one may read elsewhere.
  private func checkSilence() throws(LogError) {
    silentFetches = 0
    let last = try connection.bounds(of: partition).last
    if last >= next { throw LogError("message \(next) of \(last) does not come") }
  }
}
