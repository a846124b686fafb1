import CSystemd
import Glibc

/// Why an entry did not get into the journal, or the journal could not be read.
package enum JournalError: Error, Equatable, CustomStringConvertible {
  /// Nobody receives entries at this socket.
  case unavailable(socketPath: String)
  /// journald takes no more for now: its queue is full.
  case busy
  case notSent(code: Int32)
  case notWritten(code: Int32)
  case notRead(action: String, code: Int32)

  /// Whether the journal takes no entries for now.
  package var isRefusal: Bool {
    switch self {
    case .unavailable, .busy, .notSent: true
    case .notWritten, .notRead: false
    }
  }

  package var description: String {
    switch self {
    case .unavailable(let path):
      "no journal at \(path): see whether systemd-journald runs"
    case .busy: "journald does not read its socket: see whether its disk is full or slow"
    case .notSent(let code):
      "cannot send an entry to the journal: \(errorText(code))"
    case .notWritten(let code):
      "cannot write an entry to the terminal: \(errorText(code))"
    case .notRead(let action, let code):
      "cannot \(action) of the journal: \(errorText(code)); "
        + "a service that reads it needs the group systemd-journal"
    }
  }
}

/// Receiver of journal entries.
package protocol JournalSink: AnyObject {
  /// Returns once the entry is handed over; journald stores it a moment later.
  func write(_ entry: consuming JournalEntry) throws(JournalError)

  /// After `busy`: a descriptor that becomes writable with room for an entry, and is the caller's;
  /// nil where nothing can be waited for.
  func roomDescriptor() -> Descriptor?
}

extension JournalSink {
  package func roomDescriptor() -> Descriptor? { nil }
}

/// The system journal, by its native protocol (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/). It
/// refuses entries while journald's queue is full.
///
/// An entry is one datagram on a connected socket; larger ones use `sd_journal_sendv` (memfd).
package final class SystemJournal: JournalSink {
  package static let defaultSocketPath = "/run/systemd/journal/socket"

  /// `SYSLOG_IDENTIFIER` of the entries.
  package let identifier: String
  private let socketPath: String
  private let queue: JournalQueue

  /// - Parameter socketPath: where journald listens; libsystemd itself always sends to the default.
  package init(identifier: String, socketPath: String = SystemJournal.defaultSocketPath) {
    self.identifier = identifier
    self.socketPath = socketPath
    queue = JournalQueue(path: socketPath)
  }

  /// Whether there is a journal to send to.
  package static func isAvailable(socketPath: String = SystemJournal.defaultSocketPath) -> Bool {
    access(socketPath, F_OK) == 0
  }

  package func write(_ entry: consuming JournalEntry) throws(JournalError) {
    entry.add("SYSLOG_IDENTIFIER", identifier)
    switch entry.datagram.withUnsafeBytes({ queue.send($0) }) {
    case 0: break
    case EAGAIN: throw .busy
    case EMSGSIZE: try writeLarge(entry)
    case ENOENT, ECONNREFUSED, ECONNRESET, ENOTCONN: throw .unavailable(socketPath: socketPath)
    case let code: throw .notSent(code: code)
    }
  }

  package func roomDescriptor() -> Descriptor? {
    guard let socket = queue.probe?.raw else { return nil }
    let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    return copy >= 0 ? Descriptor(copy) : nil
  }

  private func writeLarge(_ entry: borrowing JournalEntry) throws(JournalError) {
    guard !queue.isFull else { throw .busy }
    let fields = entry.contents.fields.map { Array("\($0.name)=\($0.value)".utf8) }
    var bytes = fields.flatMap { $0 }
    let result = bytes.withUnsafeMutableBytes { bytes in
      var vectors: [iovec] = []
      var start = 0
      for field in fields {
        vectors.append(iovec(iov_base: bytes.baseAddress.map { $0 + start }, iov_len: field.count))
        start += field.count
      }
      return sd_journal_sendv(vectors, Int32(clamping: vectors.count))
    }
    guard result >= 0 else {
      throw result == -ECONNREFUSED
        ? .unavailable(socketPath: socketPath) : .notSent(code: 0 &- result)
    }
    // libsystemd drops entries silently if the socket is missing, so check afterwards: a stored
    // entry may be reported as lost, but never the reverse.
    guard Self.isAvailable(socketPath: socketPath) else {
      throw .unavailable(socketPath: socketPath)
    }
  }
}
