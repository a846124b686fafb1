import CivilTime
import Fleet
import Testing

/// A log of ten messages, whose readers fail, or fall silent, after a number of fetches.
private final class FailingLog: LogConnection, @unchecked Sendable {
  enum Failure { case error, silence }
  let failure: Failure
  var last: UInt64 = 10
  var readers = 0

  init(_ failure: Failure) { self.failure = failure }

  func bounds(of partition: Int) -> (first: UInt64, last: UInt64) { (1, last) }

  func reader(of partition: Int, from start: UInt64) -> any LogReader {
    readers += 1
    return Reader(self, start)
  }

  func tick(_ partition: Int) {}

  private final class Reader: LogReader {
    let log: FailingLog
    var next: UInt64
    var rest = 2

    init(_ log: FailingLog, _ start: UInt64) { (self.log, next) = (log, start) }

    func fetch() throws(LogError) -> [LogMessage] {
      rest -= 1
      if rest < 0 {
        if case .error = log.failure { throw LogError("lost") }
        return []
      }
      guard next <= log.last else { return [] }
      defer { next += 1 }
      return [LogMessage(sequence: next, time: SimulatedLog.start, device: nil, payload: [])]
    }
  }
}

@Suite struct LogCursorTests {
  @Test(arguments: [FailingLog.Failure.error, .silence])
  private func readersThatFailOrHangAreReplaced(failure: FailingLog.Failure) {
    let log = FailingLog(failure)
    let cursor = LogCursor(log, 0, from: 3)
    var read: [UInt64] = []
    for _ in 0..<40 where read.count < 8 {
      if let messages = try? cursor.fetch() { read += messages.map(\.sequence) }
    }
    #expect(read == Array(3...10) && log.readers == 4)
  }

  @Test func aSilentLogIsNoFailure() throws {
    let log = FailingLog(.silence)
    let cursor = LogCursor(log, 0, from: 11)
    for _ in 0..<10 { #expect(try cursor.fetch().isEmpty) }
    #expect(log.readers == 1)
    log.last = 11
    #expect(throws: LogError.self) { for _ in 0..<2 { _ = try cursor.fetch() } }
  }
}
