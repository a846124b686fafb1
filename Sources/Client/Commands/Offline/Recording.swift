import Companion
import Positioning

/// Notes and errors for a recording with little or no usable data.
enum Recording {
  /// Refuses a file that is something else altogether.
  static func check(_ statistics: DecoderStatistics, of input: InputFile) throws(Failure) {
    guard statistics.sentences == 0, statistics.jsonLines == 0 else { return }
    let reason =
      if statistics.bytes == 0 {
        "is empty"
      } else if [[0xFF, 0xFE], [0xFE, 0xFF]].contains(input.mark) {
        "is text in UTF-16: iconv -f UTF-16 -t UTF-8 converts it"
      } else if statistics.wrongChecksums + statistics.missingChecksums > 0 {
        "holds no whole sentence: of \(statistics.wrongChecksums + statistics.missingChecksums), "
          + "none has a right checksum"
      } else {
        "holds no NMEA sentence and no gpsd report"
      }
    throw Failure(
      .badData, "\(input.name): \(reason); give a recording of a receiver (gpspipe -r)")
  }

  /// Sentences with positions that are not read, by their names in the statistics.
  private static let unread = ["pubx": "$PUBX", "vdo": "!AIVDO"]

  static func withoutFix(_ statistics: DecoderStatistics) -> String {
    let lines = statistics.sentences + statistics.jsonLines
    let damage = damage(statistics).map { ", or \($0)" } ?? ""
    let unread = statistics.sentencesByName.compactMap { Self.unread[$0.name] }
    let reason =
      if statistics.positionSentences > 0 || statistics.jsonLines > 0 {
        "the receiver had no position"
      } else {
        "none is RMC, GGA, GNS or GLL"
          + (unread.isEmpty
            ? "" : ", and \(unread.joined(separator: " and ")) cannot be read: change the receiver")
      }
    return "\(lines) sentence\(lines == 1 ? "" : "s"), but no fix among them: \(reason)\(damage)"
  }

  /// A note about positions without a time; nil where there is none.
  static func untimed(_ statistics: DecoderStatistics) -> String? {
    let count = statistics.unreadableTimes
    guard count > 0 else { return nil }
    return "\(counted(count, "position has", "positions have")) no time, or none that can be read"
  }

  /// Description of the dropped data; nil if there is none.
  static func damage(_ statistics: DecoderStatistics) -> String? {
    var parts: [String] = []
    if statistics.wrongChecksums > 0 {
      parts.append("\(statistics.wrongChecksums) with a wrong checksum")
    }
    if statistics.missingChecksums > 0 {
      parts.append("\(statistics.missingChecksums) without a checksum")
    }
    if statistics.malformed > 0 { parts.append("\(statistics.malformed) malformed") }
    if statistics.overlongLines > 0 { parts.append("\(statistics.overlongLines) overlong") }
    return parts.isEmpty ? nil : "dropped " + parts.joined(separator: ", ")
  }
}
