/// The decoder's description of a sentence type: a row of `SentenceSpec.all`.
struct SentenceSpec: Sendable {
  /// Reads the text between `$` and `*`; its sixth byte is the first comma.
  typealias Reader =
    @Sendable (_ decoder: inout FixDecoder, _ text: Span<UInt8>, _ fixes: inout [Fix]) -> Void

  /// Three letters for a sentence of any talker, or the whole five of a proprietary one.
  let name: String
  /// Whether the sentence says which epoch it belongs to.
  let hasTime: Bool
  /// Whether it is about the position of its talker, or says that there is none.
  let givesPosition: Bool
  /// Whether it counts for the shape of a receiver's burst (`BurstShape`).
  let countsForBurst: Bool
  /// nil where a sentence is counted and never read.
  let read: Reader?

  init(
    _ name: String, hasTime: Bool = false, givesPosition: Bool = false,
    countsForBurst: Bool = true, read: Reader?
  ) {
    self.name = name
    self.hasTime = hasTime
    self.givesPosition = givesPosition
    self.countsForBurst = countsForBurst && read != nil
    self.read = read
  }

  /// The first row stands for every sentence that is not listed: AIS, weather, proprietary ones.
  static let all: [SentenceSpec] = [
    SentenceSpec("other", read: nil),
    // Satellites in view, more than half of the lines of modern receivers.
    SentenceSpec("GSV", read: nil),
    // Heading, and speed and heading through the water: neither is a motion over ground.
    SentenceSpec("HDT", read: nil),
    SentenceSpec("VHW", read: nil),
    SentenceSpec("RMC", hasTime: true, givesPosition: true) { $0.readRMC($1, &$2) },
    SentenceSpec("GGA", hasTime: true, givesPosition: true) { $0.readGGA($1, isGNS: false, &$2) },
    SentenceSpec("GNS", hasTime: true, givesPosition: true) { $0.readGGA($1, isGNS: true, &$2) },
    SentenceSpec("GLL", hasTime: true, givesPosition: true) { $0.readGLL($1, &$2) },
    SentenceSpec("GST", hasTime: true) { $0.readErrors($1, skipping: 4, isGST: true, &$2) },
    SentenceSpec("GBS", hasTime: true) { $0.readErrors($1, skipping: 0, isGST: false, &$2) },
    SentenceSpec("ZDA", hasTime: true) { $0.readZDA($1, &$2) },
    SentenceSpec("VTG") { decoder, text, _ in decoder.readVTG(text) },
    SentenceSpec("GSA") { decoder, text, _ in decoder.readGSA(text) },
    // A datum is no part of a fix.
    SentenceSpec("DTM", countsForBurst: false) { decoder, text, _ in decoder.readDTM(text) },
    SentenceSpec("PGRME") { decoder, text, _ in decoder.readPGRME(text) },
    SentenceSpec("PGRMZ") { decoder, text, _ in decoder.readPGRMZ(text) },
  ]

  var isProprietary: Bool { name.utf8.count == 5 && name.utf8.first == UInt8(ascii: "P") }
}
