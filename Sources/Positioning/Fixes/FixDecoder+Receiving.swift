package import CivilTime

extension FixDecoder {
  /// What some bytes have brought beside fixes.
  package struct Reception {
    /// A sentence or report became whole.
    package let isUnderstood: Bool
    /// A fix waits for the end of its epoch, so that `quiet` would give it out.
    package let hasOpenEpoch: Bool
  }

  /// As `consume`, and answers what else came of it, in one call.
  /// - Parameters:
  ///   - isDatagram: the bytes are one, whose end ends a line.
  ///   - now: becomes `Options.referenceTime`; nil leaves that as it is.
  package mutating func receive(
    _ bytes: Span<UInt8>, isDatagram: Bool, at now: Instant?, into fixes: inout [Fix]
  ) -> Reception {
    if let now { context.options.referenceTime = now }
    let before = understood
    consume(bytes, into: &fixes)
    if isDatagram { endOfDatagram(into: &fixes) }
    return Reception(isUnderstood: understood != before, hasOpenEpoch: hasOpenEpoch)
  }

  /// Whether a date was moved by whole periods of 1024 weeks.
  package var hasCorrectedDates: Bool { context.statistics.weekRollovers > 0 }

  /// Sentences and reports that were whole.
  private var understood: Int { context.statistics.sentences &+ context.statistics.jsonLines }
}
