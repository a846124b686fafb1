package import CivilTime

/// The content of a request. A bad position of a list costs itself: the others count.
package struct PhoneMessage: Equatable, Sendable {
  package var positions: [PhonePosition] = []
  /// Why each of the others can never be used.
  package var leftOut: [UnusableMessage] = []

  package init(_ positions: [PhonePosition] = [], leftOut: [UnusableMessage] = []) {
    self.positions = positions
    self.leftOut = leftOut
  }

  /// Understood, but no position: a battery report, for example.
  package static let nothing = PhoneMessage()

  /// The message of the phone whose token it came with, whatever name it claims.
  func of(phone name: String) -> PhoneMessage {
    PhoneMessage(positions.map { $0.of(phone: name) }, leftOut: leftOut)
  }

  /// The positions of the present, with corrected dates, and the number of the older ones.
  package func current(at now: Instant) -> (positions: [PhonePosition], old: Int) {
    let current = positions.map { $0.corrected(near: now) }.filter { $0.isFresh(at: now) }
    return (current, positions.count - current.count)
  }

  /// For the sender: the number of positions left out, and the reasons; nil where all count.
  func note(old: Int) -> String? {
    var counts = ReasonCounts()
    for reason in leftOut { counts.add(reason.rawValue) }
    if old > 0 { counts.add("it was old when it came", count: old) }
    guard counts.total > 0 else { return nil }
    return "left out \(counts.total) of \(positions.count + leftOut.count): \(counts)\n"
  }
}

/// Why a message, or a position of it, can never be used, however often a phone sends it.
package enum UnusableMessage: String, Error, CaseIterable, Sendable {
  case tooLong = "it is longer than 64 KiB"
  case noJSON = "it is no JSON object"
  case noPosition = "it has no position"
  case noTime = "it has no time, or none that can be read"
  case encrypted = "it is encrypted: remove the encryption key in OwnTracks"
  case unknownType = "OwnTracks has no such type of message"
}

/// Reasons with the number of times that each was given, the most frequent first.
package struct ReasonCounts: Equatable, Sendable, CustomStringConvertible {
  private var counts: [String: Int] = [:]

  package init() {}

  package var total: Int { counts.values.reduce(0, +) }

  package mutating func add(_ reason: String, count: Int = 1) {
    counts[reason, default: 0] += count
  }

  /// `it has no position (3), it is no JSON object (1)`.
  package var description: String {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
      .map { "\($0.key) (\($0.value))" }.joined(separator: ", ")
  }
}
