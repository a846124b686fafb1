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
      } else if statistics.wrongChecksums == 0, statistics.missingChecksums > 0 {
        "holds \(counted(statistics.missingChecksums, "sentence", "sentences")) without a "
          + "checksum, which a feed takes with ?checksum=optional"
      } else if statistics.wrongChecksums > 0 {
        "holds no whole sentence: of \(statistics.wrongChecksums + statistics.missingChecksums), "
          + "none has a right checksum"
      } else {
        "holds no NMEA sentence and no gpsd report"
      }
    throw Failure(
      .badData, "\(input.name): \(reason); give a recording of a receiver (gpspipe -r)")
  }

  static func withoutFix(_ statistics: DecoderStatistics) -> String {
    let lines = statistics.sentences + statistics.jsonLines
    return "\(counted(lines, "sentence", "sentences")), but no fix among them: "
      + (statistics.reasonWithoutFix ?? "")
      + (damage(statistics).map { ", or \($0)" } ?? "")
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
