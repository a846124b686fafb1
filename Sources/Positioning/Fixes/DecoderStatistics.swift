/// Statistics of a decoder since its creation. Counts only grow.
package struct DecoderStatistics: Sendable {
  /// A kind of decoding error.
  package enum Fault: UInt8, Sendable {
    case wrongChecksum, missingChecksum, overlongLine, malformedSentence, invalidJSON, gpsdError
    case deviceLost
  }

  package internal(set) var bytes = 0
  /// Sentences with a correct checksum, or accepted without one.
  package internal(set) var sentences = 0
  package internal(set) var wrongChecksums = 0
  package internal(set) var missingChecksums = 0
  /// Lines dropped because they exceed the maximum length.
  package internal(set) var overlongLines = 0
  /// Sentences that claim a fix without a usable position, and lines of invalid JSON.
  package internal(set) var malformed = 0
  /// Fixes whose sentences have no time, or none that can be read.
  package internal(set) var unreadableTimes = 0
  /// Lines of gpsd JSON, of any class.
  package internal(set) var jsonLines = 0
  /// Bytes outside sentences that are no text: binary messages, or noise at a wrong line speed.
  package internal(set) var binaryBytes = 0
  /// Sentences and reports of an epoch already released: repeated or delayed.
  package internal(set) var lateSentences = 0
  /// Released fixes.
  package internal(set) var fixes = 0
  /// Fixes that the receiver marks as dead-reckoned, manual or simulated.
  package internal(set) var estimatedFixes = 0
  /// Fixes not newer than the previous one of the same receiver.
  package internal(set) var outOfOrderFixes = 0
  /// Fixes whose date was corrected by whole periods of 1024 weeks.
  package internal(set) var weekRollovers = 0
  /// Sentences that name a datum other than WGS 84 (DTM). Positions are not shifted.
  package internal(set) var foreignDatums = 0
  package internal(set) var lastFault: Fault?
  /// Offset in the stream of the first byte that caused it.
  package internal(set) var lastFaultOffset = 0
  /// Offset in the stream of the sentence or line being read.
  var offset = 0
  /// The release reported by gpsd, at most 40 bytes of it.
  package internal(set) var gpsdRelease: String?
  /// The last `message` of a gpsd `ERROR` report, at most 200 bytes of it.
  package internal(set) var gpsdMessage: String?
  /// The device that gpsd deactivated last; nil without a name.
  package internal(set) var lostDevice: String?

  private var counts = SentenceCounts()

  package init() {}

  /// Number of sentences of one type among `sentences`; types without a row are `.other`.
  package subscript(type: SentenceType) -> Int { counts[type] }

  /// Sentences with positions that are not read, by their names in `sentencesByName`.
  private static let unread = ["pubx": "$PUBX", "vdo": "!AIVDO"]

  /// A clause for people about fixes without a time; nil where there is none.
  package var reasonWithoutTime: String? {
    switch unreadableTimes {
    case 0: nil
    case 1: "1 position has no time, or none that can be read"
    case let count: "\(count) positions have no time, or none that can be read"
    }
  }

  /// Why there is no fix, as a clause for people; nil where there is one, or nothing was read.
  package var reasonWithoutFix: String? {
    guard fixes == 0, sentences &+ jsonLines > 0 else { return nil }
    let positions = SentenceSpec.all.indices.filter { SentenceSpec.all[$0].givesPosition }
      .reduce(0) { $0 + counts[SentenceType(row: $1)] }
    guard positions == 0, jsonLines == 0 else { return "the receiver had no position" }
    let unread = sentencesByName.compactMap { Self.unread[$0.name] }
    return "no sentence is RMC, GGA, GNS or GLL"
      + (unread.isEmpty ? "" : ", and \(unread.joined(separator: " and ")) cannot be read")
      + "; make the receiver send one of them"
  }

  /// Counts of all sentences by lower-case name, sorted: `gga`, `vdm`, `pubx`. At most 64 undecoded
  /// names; further ones count as `other`.
  package var sentencesByName: [(name: String, count: Int)] { counts.all }

  /// Adds the statistics of another decoder, whose last error takes precedence.
  package mutating func add(_ other: DecoderStatistics) {
    bytes &+= other.bytes
    sentences &+= other.sentences
    wrongChecksums &+= other.wrongChecksums
    missingChecksums &+= other.missingChecksums
    overlongLines &+= other.overlongLines
    malformed &+= other.malformed
    unreadableTimes &+= other.unreadableTimes
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

  /// The last error as a sentence for people; nil without one.
  package var lastError: String? {
    guard let lastFault else { return nil }
    let place = "at byte \(lastFaultOffset)"
    return switch lastFault {
    case .wrongChecksum: "a sentence \(place) has a wrong checksum and was dropped"
    case .missingChecksum:
      "a sentence \(place) has no checksum; checksum=optional behind the feed takes such sentences"
    case .overlongLine: "a line \(place) is too long for a sentence and was dropped"
    case .malformedSentence: "a sentence \(place) claims a fix but gives no usable position"
    case .invalidJSON: "a line \(place) begins as JSON but is cut or invalid"
    case .gpsdError: "gpsd reports: \(gpsdMessage ?? "an error without a message")"
    case .deviceLost: lostDevice.map { "gpsd has lost \($0)" } ?? "gpsd has no device"
    }
  }
}
