import ArgumentParser
import CivilTime
import Companion
import Interchange
import Positioning

/// Fixes of a recording or a live stream as gpsd's TPV reports.
struct DecodeCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode", abstract: "Print the fixes of a receiver's output as JSON lines.",
    discussion: """
      Reads NMEA 0183 sentences, gpsd's JSON reports, or the tracks of a GPX file, with or without \
      gzip. Damaged lines are left out. Prints gpsd's TPV objects (gpsd_json(5)), one a line, from \
      a live stream as they come. A fix without a known date has no "time".
      """)

  @Argument(help: "The file to read; - is standard input.")
  var file = "-"

  @Option(
    name: .customLong("zone"),
    help: ArgumentHelp("The zone of GPX times without one; else UTC.", valueName: "zone"))
  var pointZone: String?

  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let input = try InputFile(path: file)
    let pointZone = try pointZone.map { try context.zone(named: $0) } ?? .utc
    var decoder = FixDecoder()
    var fixes: [Fix] = []
    var chunk = [UInt8](repeating: 0, count: InputFile.chunkSize)
    var progress = ProgressNote(context: context, input: input)
    func printFixes() throws {
      for fix in fixes { try context.output.line(fix.tpv(device: nil)) }
      fixes.removeAll(keepingCapacity: true)
      try context.output.flush()
    }
    var isFirst = true
    while true {
      // Only a receiver's line falls silent between bursts; a pipe may stall anywhere.
      if input.isDevice, decoder.hasOpenEpoch, !input.wait(milliseconds: 200) {
        decoder.quiet(into: &fixes)
        try printFixes()
      }
      let count = try input.read(into: &chunk)
      guard count > 0 else { break }
      defer { isFirst = false }
      if isFirst, GPXTrack.resemblesXML(chunk[..<count]) {
        let track = try GPXRecording.read(input, zone: pointZone, first: chunk[..<count]) { fix in
          try context.output.line(fix.tpv(device: nil))
          try progress.update(input.bytesRead)
        }
        try progress.finish()
        if let note = track.note { try context.note(note) }
        if track.points == 0 { try context.note("\(input.name): has no track point in it") }
        return
      }
      decoder.consume(chunk.span.extracting(0..<count), into: &fixes)
      try printFixes()
      try progress.update(input.bytesRead)
    }
    decoder.finish(into: &fixes)
    try printFixes()
    try progress.finish()
    try input.checkWhole()
    try Recording.check(decoder.statistics, of: input)
    if decoder.statistics.fixes == 0 {
      try context.note("\(input.name): \(Recording.withoutFix(decoder.statistics))")
    }
  }
}

/// Recordings that are GPX files.
enum GPXRecording {
  /// Gives out the track points of a file whose beginning has been read.
  static func read(
    _ input: InputFile, zone: TimeZoneRules, first: ArraySlice<UInt8>,
    _ body: @escaping (Fix) throws -> Void
  ) throws -> GPXTrack.Content {
    var ahead: ArraySlice<UInt8>? = first
    var chunk = [UInt8](repeating: 0, count: InputFile.chunkSize)
    return try GPXTrack.read(name: input.name, zone: zone) {
      if let bytes = ahead {
        ahead = nil
        return Array(bytes)
      }
      return Array(chunk[..<(try input.read(into: &chunk))])
    } _: {
      try body($0)
    }
  }
}

/// Notes and errors for a recording with little or no usable data.
enum Recording {
  /// Refuses a file that is something else altogether.
  static func check(_ statistics: DecoderStatistics, of input: InputFile) throws(Failure) {
    guard statistics.sentences == 0, statistics.jsonLines == 0 else { return }
    let reason =
      if statistics.bytes == 0 {
        "is empty"
      } else if statistics.wrongChecksums + statistics.missingChecksums > 0 {
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
    return "\(lines) sentence\(lines == 1 ? "" : "s"), but no fix among them: the receiver had "
      + "no position\(damage(statistics).map { ", or \($0)" } ?? "")"
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
