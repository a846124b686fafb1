package import CivilTime
import Reminders

/// A destination of firings: a hook, a desktop, a broker. It receives the ledger in order, urgent
/// firings before the others.
package struct Consumer: Equatable, Sendable {
  /// 1 to 32 of `a` to `z`, digits and `-`.
  package let name: String
  /// The uid of the user who registered it.
  package let owner: UInt32
  /// Number of the last firing without urgency that it received or gave up; 0 before the first.
  package var upto: Int64
  /// Number of the last urgent firing that it received or gave up.
  package var urgentUpto: Int64
  /// Failed tries of the next firing.
  package var tries = 0
  /// When its failures began; nil while it works.
  package var failingSince: Instant?
  package var nextTry: Instant?
  /// Outcome of the last try, in a sentence.
  package var text: String?

  package init(name: String, owner: UInt32, upto: Int64) {
    self.name = name
    self.owner = owner
    self.upto = upto
    urgentUpto = upto
  }

  /// Whether it has yet to receive a firing.
  package func awaits(_ entry: LedgerEntry) -> Bool {
    (entry.firing.isUrgent ? urgentUpto : upto) < entry.seq
  }

  package static let maximumName = 32

  package static func isName(_ text: String) -> Bool {
    (1...maximumName).contains(text.utf8.count) && text.utf8.allSatisfy(isNameByte)
  }

  package static func isNameByte(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
  }

  /// Bytes of `text` that are stored.
  package static let maximumText = 500
}
