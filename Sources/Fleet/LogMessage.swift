package import CivilTime

/// A message of the log of one partition.
package struct LogMessage: Sendable {
  /// Its number in the partition, from 1, rising.
  package let sequence: UInt64
  /// When the log took it, by the clock of the log.
  package let time: Instant
  /// The device that it is of; nil for the clock's own message (`LogConnection.tick`).
  package let device: String?
  package let payload: [UInt8]

  package init(sequence: UInt64, time: Instant, device: String?, payload: [UInt8]) {
    self.sequence = sequence
    self.time = time
    self.device = device
    self.payload = payload
  }

  /// The name in the log of the clock's messages. No device has it: names begin with no `_`.
  package static let clock = "_clock"

  /// Bytes of a message that is read; a longer one is refused.
  package static let maximumSize = 65_536
}

/// A place in the log of a partition.
package struct LogPoint: Equatable, Sendable {
  package var sequence: UInt64
  /// When the log took the message.
  package var time: Instant

  package init(sequence: UInt64 = 0, time: Instant = Instant(microseconds: 0)) {
    self.sequence = sequence
    self.time = time
  }
}

/// Why the log cannot be read now, in words for people.
package struct LogError: Error, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// A connection to a log, shared by the readers of all partitions.
package protocol LogConnection: AnyObject, Sendable {
  /// The numbers of the first and the last message of a partition, from its leader; of an empty
  /// log, the last one is below the first.
  func bounds(of partition: Int) throws(LogError) -> (first: UInt64, last: UInt64)

  /// - Parameter start: the number of the first message; the log may begin with a later one.
  func reader(of partition: Int, from start: UInt64) throws(LogError) -> any LogReader

  /// Asks the log for a message of the clock, and waits for nothing. It comes back among the others
  /// once a majority has it: so time never overtakes the log.
  func tick(_ partition: Int)
}

/// One partition, read in order.
package protocol LogReader: AnyObject {
  /// Waits for messages up to a second. An error makes the reader useless.
  func fetch() throws(LogError) -> [LogMessage]
}
