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
      a live stream as they come. A fix without a known date has no "time". Of several talkers \
      on one line it follows one, as the daemon does.
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
    var followed = FollowedReceiver()
    let track = try input.readFixes(with: &decoder, zone: pointZone, context) { fixes, isTrack in
      for fix in fixes where isTrack || followed.accepts(fix) {
        try context.output.line(fix.tpv(device: nil))
      }
      if !isTrack { try context.output.flush() }
    }
    if let track {
      if track.points == 0 { try context.note("\(input.name): has no track point in it") }
      return
    }
    try input.checkWhole()
    try Recording.check(decoder.statistics, of: input)
    if decoder.statistics.fixes == 0 {
      try context.note("\(input.name): \(Recording.withoutFix(decoder.statistics))")
    }
    if let note = followed.note { try context.note(note) }
    if let note = decoder.statistics.reasonWithoutTime { try context.note(note) }
  }
}

/// Follows one of the receivers of a stream of sentences. The devices of a gpsd all count.
private struct FollowedReceiver {
  private var arbiter = Arbiter()
  private var now = Instant(microseconds: 0)
  private var leftOut: [String: Int] = [:]

  mutating func accepts(_ fix: Fix) -> Bool {
    guard fix.device == 0 || fix.talker != nil else { return true }
    if let time = fix.time
      ?? fix.timeOfDay.map({ Instant(microseconds: Int64($0) * 1_000) })
    {
      // A recording may hold two days in any order.
      if time < now { arbiter.clockStepped(to: time) }
      now = time
    }
    guard !arbiter.accepts(fix, from: FixOrigin(feed: 0, device: fix.device), at: now) else {
      return true
    }
    leftOut[fix.talker ?? "GNSS", default: 0] += 1
    return false
  }

  /// A note for people; nil where every fix counts.
  var note: String? {
    guard !leftOut.isEmpty else { return nil }
    let counts = leftOut.sorted { $0.key < $1.key }.map {
      "\(counted($0.value, "fix", "fixes")) of \($0.key)"
    }
    return "\(counts.joined(separator: " and ")) left out: another receiver on the line is followed"
  }
}
