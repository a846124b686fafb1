/// What went through a decoder since it was made. All counts only grow.
package struct DecoderStatistics: Sendable {
  /// What went wrong, once.
  package enum Fault: UInt8, Sendable {
    case wrongChecksum, missingChecksum, overlongLine, malformedSentence, invalidJSON, gpsdError
    case deviceLost
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
  /// Sentences that claim a fix and give no usable position, and lines that claim to be JSON and
  /// are not.
  package internal(set) var malformed = 0
  /// Lines of gpsd JSON, of any class.
  package internal(set) var jsonLines = 0
  /// Bytes between the sentences that are no text: the receiver's binary messages, or noise of a
  /// wrong line speed.
  package internal(set) var binaryBytes = 0
  /// Sentences and reports of an epoch that had been given out already: repeated, or held up.
  package internal(set) var lateSentences = 0
  /// Fixes given out.
  package internal(set) var fixes = 0
  /// Of these, the ones that the receiver itself calls dead-reckoned, manual or simulated.
  package internal(set) var estimatedFixes = 0
  /// Fixes that are not newer than the one before of the same receiver.
  package internal(set) var outOfOrderFixes = 0
  /// Fixes whose date was moved by whole periods of 1024 weeks.
  package internal(set) var weekRollovers = 0
  /// Sentences that name a datum other than WGS 84 (DTM). Positions are not shifted.
  package internal(set) var foreignDatums = 0
  /// The last thing that went wrong.
  package internal(set) var lastFault: Fault?
  /// The first byte of what it went wrong with, counted from the beginning of the stream.
  package internal(set) var lastFaultOffset = 0
  /// The first byte of what is being read.
  var offset = 0
  /// The release that gpsd says it is, at most 40 bytes of it.
  package internal(set) var gpsdRelease: String?
  /// The last `message` of a gpsd `ERROR` report, at most 200 bytes of it.
  package internal(set) var gpsdMessage: String?
  /// The device that gpsd deactivated last; nil where it said that it has none.
  package internal(set) var lostDevice: String?

  private var counts = SentenceCounts()

  package init() {}

  /// Sentences of one type among `sentences`; those without a row of their own are `.other`.
  package subscript(type: SentenceType) -> Int { counts[type] }

  /// The names of all sentences that came, in lower case and in order, with their counts: `gga`,
  /// `vdm`, `pubx`. At most 64 that are not read; those beyond are `other` together.
  package var sentencesByName: [(name: String, count: Int)] { counts.all }

  /// Adds what went through another decoder. The last fault is the other one's, where it has one.
  package mutating func add(_ other: DecoderStatistics) {
    bytes &+= other.bytes
    sentences &+= other.sentences
    wrongChecksums &+= other.wrongChecksums
    missingChecksums &+= other.missingChecksums
    overlongLines &+= other.overlongLines
    malformed &+= other.malformed
    jsonLines &+= other.jsonLines
    binaryBytes &+= other.binaryBytes
    lateSentences &+= other.lateSentences
    fixes &+= other.fixes
    estimatedFixes &+= other.estimatedFixes
    outOfOrderFixes &+= other.outOfOrderFixes
    weekRollovers &+= other.weekRollovers
    foreignDatums &+= other.foreignDatums
    lastFaultOffset = other.lastFault == nil ? lastFaultOffset : other.lastFaultOffset
    lastFault = other.lastFault ?? lastFault
    gpsdRelease = other.gpsdRelease ?? gpsdRelease
    gpsdMessage = other.gpsdMessage ?? gpsdMessage
    lostDevice = other.lostDevice ?? lostDevice
    counts.add(other.counts)
  }

  mutating func count(_ type: SentenceType, _ text: Span<UInt8>) {
    sentences &+= 1
    if type == .other { counts.countOther(text) } else { counts.count(type) }
  }

  mutating func note(_ fault: Fault) {
    lastFault = fault
    lastFaultOffset = offset
    switch fault {
    case .wrongChecksum: wrongChecksums &+= 1
    case .missingChecksum: missingChecksums &+= 1
    case .overlongLine: overlongLines &+= 1
    case .malformedSentence, .invalidJSON: malformed &+= 1
    case .gpsdError, .deviceLost: break
    }
  }

  /// The last fault as a sentence for people, nil where nothing went wrong.
  package var lastError: String? {
    guard let lastFault else { return nil }
    let place = "at byte \(lastFaultOffset)"
    return switch lastFault {
    case .wrongChecksum: "a sentence \(place) has a wrong checksum and was dropped"
    case .missingChecksum: "a sentence \(place) has no checksum"
    case .overlongLine: "a line \(place) is too long for a sentence and was dropped"
    case .malformedSentence: "a sentence \(place) claims a fix but gives no usable position"
    case .invalidJSON: "a line \(place) begins as JSON but is cut or invalid"
    case .gpsdError: "gpsd reports: \(gpsdMessage ?? "an error without a message")"
    case .deviceLost: lostDevice.map { "gpsd has lost \($0)" } ?? "gpsd has no device"
    }
  }
}
