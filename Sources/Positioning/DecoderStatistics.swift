/// The sentences that a decoder knows.
package enum SentenceType: UInt8, CaseIterable, Sendable {
  /// Any other sentence with a right checksum: satellites in view, AIS, weather, proprietary ones.
  case other
  case rmc, gga, gns, gll, vtg, gsa, gst, gbs, zda, dtm, pgrme, pgrmz
}

/// What went through a decoder since it was made. All counts only grow.
package struct DecoderStatistics: Sendable {
  /// What went wrong, once.
  package enum Fault: UInt8, Sendable {
    case wrongChecksum, missingChecksum, overlongLine, malformedSentence, invalidJSON, gpsdError
  }

  /// Bytes consumed.
  package internal(set) var bytes = 0
  /// Sentences with a right checksum, or accepted without one.
  package internal(set) var sentences = 0
  /// Sentences whose checksum is wrong.
  package internal(set) var wrongChecksums = 0
  /// Sentences that end without a checksum, accepted or not.
  package internal(set) var missingChecksums = 0
  /// Lines that were given up because no end came in reach.
  package internal(set) var overlongLines = 0
  /// Sentences that claim a fix and give no usable position, and lines that claim to be JSON and are not.
  package internal(set) var malformed = 0
  /// Lines of gpsd JSON, of any class.
  package internal(set) var jsonLines = 0
  /// Fixes given out.
  package internal(set) var fixes = 0
  /// Of these, the ones that the receiver itself calls dead-reckoned, manual or simulated.
  package internal(set) var estimatedFixes = 0
  /// Fixes whose date was moved by whole periods of 1024 weeks.
  package internal(set) var weekRollovers = 0
  /// Sentences that name a datum other than WGS 84 (DTM). Positions are not shifted.
  package internal(set) var foreignDatums = 0
  /// The last thing that went wrong.
  package internal(set) var lastFault: Fault?
  /// How many bytes were consumed when it did, up to a line's length.
  package internal(set) var lastFaultOffset = 0
  /// The last `message` of a gpsd `ERROR` report, at most 200 bytes of it.
  package internal(set) var gpsdMessage: String?

  private var byType = InlineArray<13, Int>(repeating: 0)

  package init() {}

  /// Sentences of one type among `sentences`.
  package subscript(type: SentenceType) -> Int { byType[Int(type.rawValue)] }

  mutating func count(_ type: SentenceType) {
    sentences &+= 1
    byType[Int(type.rawValue)] &+= 1
  }

  mutating func note(_ fault: Fault) {
    lastFault = fault
    lastFaultOffset = bytes
    switch fault {
    case .wrongChecksum: wrongChecksums &+= 1
    case .missingChecksum: missingChecksums &+= 1
    case .overlongLine: overlongLines &+= 1
    case .malformedSentence, .invalidJSON: malformed &+= 1
    case .gpsdError: break
    }
  }

  /// The last fault as a sentence for people, nil where nothing went wrong.
  package var lastError: String? {
    guard let lastFault else { return nil }
    let place = "near byte \(lastFaultOffset)"
    return switch lastFault {
    case .wrongChecksum: "a sentence \(place) has a wrong checksum and was dropped"
    case .missingChecksum: "a sentence \(place) has no checksum"
    case .overlongLine: "a line \(place) is too long for a sentence and was dropped"
    case .malformedSentence: "a sentence \(place) claims a fix but gives no usable position"
    case .invalidJSON: "a line \(place) begins as JSON but is cut or invalid"
    case .gpsdError: "gpsd reports: \(gpsdMessage ?? "an error without a message")"
    }
  }
}
