package import CivilTime

extension FixDecoder {
  /// Result of `receive`, apart from the fixes.
  package struct Reception {
    /// Whether a sentence or report was completed.
    package let isUnderstood: Bool
    /// Whether a fix waits for the end of its epoch; `quiet` would release it.
    package let hasOpenEpoch: Bool
  }

  /// Consumes bytes as `consume` does and reports the decoder's state.
  /// - Parameters:
  ///   - isDatagram: whether the end of the bytes ends a line.
  ///   - now: the new `Options.referenceTime`; nil leaves it unchanged.
  package mutating func receive(
    _ bytes: Span<UInt8>, isDatagram: Bool, at now: Instant?, into fixes: inout [Fix]
  ) -> Reception {
    if let now { context.options.referenceTime = now }
    let before = understood
    consume(bytes, into: &fixes)
    if isDatagram { endOfDatagram(into: &fixes) }
    return Reception(isUnderstood: understood != before, hasOpenEpoch: hasOpenEpoch)
  }

  /// Whether a date was corrected by whole periods of 1024 weeks.
  package var hasCorrectedDates: Bool { context.statistics.weekRollovers > 0 }

  /// Number of complete sentences and reports.
  private var understood: Int { context.statistics.sentences &+ context.statistics.jsonLines }
}
