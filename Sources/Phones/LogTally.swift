/// Counts messages without a use, for one line of the log for each kind. Each reason has a count.
///
/// The first line comes after five seconds, so that it has the number of a whole queue, and further
/// ones ten minutes apart.
struct LogTally: Sendable {
  enum Kind: CaseIterable, Sendable {
    case unusable, old, denied, locked, limited
  }

  private static let firstWait: Int64 = 5_000_000
  private static let interval: Int64 = 600_000_000

  private var last: [Kind: String] = [:]
  private var counts: [Kind: ReasonCounts] = [:]
  /// Microseconds of a clock that never steps: when the next lines are due, and came last.
  private(set) var due: Int64?
  private var reported: Int64?

  mutating func note(_ kind: Kind, _ last: String = "", count: Int = 1, at now: Int64) {
    // Devices are without number; reasons are few.
    counts[kind, default: ReasonCounts()].add(kind == .unusable ? last : "", count: count)
    self.last[kind] = last
    if due == nil {
      due = max(now + Self.firstWait, (reported ?? now - Self.interval) + Self.interval)
    }
  }

  /// The lines that are due; all of them at the end.
  mutating func lines(at now: Int64, isEnd: Bool = false) -> [String] {
    guard let due, isEnd || now >= due else { return [] }
    let lines = Kind.allCases.compactMap { kind in
      counts[kind].map { Self.line(kind, $0, last[kind] ?? "") }
    }
    counts = [:]
    reported = now
    self.due = nil
    return lines
  }

  private static func line(_ kind: Kind, _ counts: ReasonCounts, _ last: String) -> String {
    let count = counts.total
    return switch kind {
    case .unusable: "Left out \(count) of the messages, which can never be used: \(counts)"
    case .old: "Dropped \(count) positions that were old when they came; the last of \(last)"
    case .denied: "Refused \(count) request\(count == 1 ? "" : "s") without a valid token"
    case .locked: "Refused \(count) requests of addresses that had sent too many wrong tokens"
    case .limited: "Put off \(count) messages that came too fast; the last of \(last)"
    }
  }
}
