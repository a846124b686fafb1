/// The firings that Home Assistant missed, sent again: read from the ledger a few at a time.
struct Repetition: Equatable, Sendable {
  /// Limits of the firings that are repeated, and of those under way at a time.
  static let maximumCount = 100
  static let maximumUnderWay = 16

  private enum Phase: Equatable, Sendable {
    case idle
    /// The next ones are to be read.
    case due
    /// The daemon's answer is due.
    case reading
    /// The acknowledgements of these are due, of the firings up to `end`.
    case sending(Set<Int>, end: Int)
  }

  private var phase = Phase.idle
  /// Number of the last firing that was repeated or left out.
  private(set) var after = 0
  /// Number of the last one to repeat.
  private(set) var until = 0
  /// Number of the last firing that was sent.
  var lastSeq = 0

  var isActive: Bool { phase != .idle }

  /// Begins, or goes back to that number.
  mutating func start(after seq: Int) {
    until = lastSeq
    let seq = isActive ? min(after, seq) : seq
    finishPart(at: max(seq, until - Self.maximumCount))
  }

  mutating func stop() { phase = .idle }

  /// An answer that was due is lost.
  mutating func daemonReturned() {
    if phase == .reading { phase = .due }
  }

  mutating func next() -> Publisher.Effect? {
    guard phase == .due else { return nil }
    phase = .reading
    return .read(after: after, limit: min(Self.maximumUnderWay, until - after))
  }

  /// - Parameters:
  ///   - seqs: of the firings to send.
  ///   - end: number of the last firing read; nil at the ledger's end.
  mutating func sends(_ seqs: [Int], upto end: Int?) {
    guard phase == .reading else { return }
    let end = end ?? until
    if seqs.isEmpty { finishPart(at: end) } else { phase = .sending(Set(seqs), end: end) }
  }

  mutating func acknowledged(_ seq: Int) {
    guard case .sending(var seqs, let end) = phase else { return }
    seqs.remove(seq)
    if seqs.isEmpty { finishPart(at: end) } else { phase = .sending(seqs, end: end) }
  }

  private mutating func finishPart(at end: Int) {
    after = end
    phase = after < until ? .due : .idle
  }
}
