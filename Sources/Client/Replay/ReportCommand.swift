import ArgumentParser
import Bytes
import CivilTime
import Geodesy
import JSONText
import Reminders
import Report

/// The ledger of the daemon as a page for a browser.
struct ReportCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "report", abstract: "Draw past firings, reminders and places as a page.",
    discussion: """
      The page is one file that loads nothing else. Without --trip the map has points and no \
      lines; 'replay --report' draws a recording.
      """)

  @Argument(
    help: "The file to write; - is standard output.", completion: .file(extensions: ["html"]))
  var file: String

  @Option(help: "Show this many firings at most, the latest.")
  var limit = 1000

  @Option("Show firings since this time: today, -7d, 2026-11-21 …", "time") var since: String?
  @Option(
    help: ArgumentHelp(
      "Draw this trip and its firings: an id of 'georemind trips', or last.", valueName: "id"))
  var trip: String?
  @OptionGroup var base: BaseMapOption
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit is at least 1") }
    if trip != nil, since != nil { throw ValidationError("--trip and --since exclude each other") }
  }

  func run(in context: Context) throws {
    let zone = try context.zone()
    let since = try context.past(since, option: "--since")
    let base = try base.open()
    let output = try ReportFile(path: file)
    let daemon = try DaemonConnection(options, context)
    var report = Report(
      kind: .ledger, source: "georemindd", zone: zone, generator: ReportFile.generator)
    var span = (since: since, until: String?.none)
    if let trip { span = try Self.take(trip, into: &report, daemon) }
    let log = try daemon.call(
      "Log",
      JSONObject([
        "limit": .int(limit), "since": span.since.map { .string($0) },
        "until": span.until.map { .string($0) },
      ]))
    report.firings = (log["firings"]?.array ?? []).compactMap(\.object)
    report.span = report.span ?? Self.span(report.firings)
    report.reminders = try daemon.reminders().compactMap {
      try? Reminder(json: ReminderInput.withoutProgress($0))
    }
    report.places = try Self.places(
      near: report.firings.lazy.compactMap { JSONValue.object($0).coordinate }.last, daemon)
    for category in try daemon.call("ListCategories")["categories"]?.array ?? [] {
      guard let name = category["name"]?.string else { continue }
      report.colors[name.nameKey] = category["color"]?.string
    }
    if trip == nil {
      report.notes.append("A mark is where the device was when something fired.")
    }
    if report.firings.count == limit {
      report.notes.append("These are the latest \(limit) firings; --limit gives more.")
    }
    if let base { report.takeTiles(of: base) }
    try output.write(ReportPage(report).html)
    guard file != "-" else { return }
    try context.note("\(file): \(counted(report.firings.count, "firing", "firings"))")
  }

  /// The track of a trip; answers its beginning and end.
  private static func take(
    _ id: String, into report: inout Report, _ daemon: DaemonConnection
  ) throws -> (since: String?, until: String?) {
    let answer = try daemon.call("ReadTrack", ["trip": .string(id)])
    var trip = Trip()
    for fix in RecordedTrack(answer["track"]).fixes {
      trip.add(fix, isInDoubt: false, outliers: 0)
    }
    trip.finish()
    report.trip = trip
    report.source = "trip \(answer["trip"]?["id"]?.string ?? id)"
    if let begin = answer["trip"]?["start"]?.instant, let end = answer["trip"]?["end"]?.instant {
      report.span = begin...max(begin, end)
    }
    return (answer["trip"]?["start"]?.string, answer["trip"]?["end"]?.string)
  }

  private static func span(_ firings: [JSONObject]) -> ClosedRange<Instant>? {
    let times = firings.compactMap { $0["time"]?.instant }
    guard let first = times.min(), let last = times.max() else { return nil }
    return first...last
  }

  /// The places for a page, up to its limit.
  private static func places(
    near position: Coordinate?, _ daemon: DaemonConnection
  ) throws -> [Report.Place] {
    let answer = try daemon.call(
      "FindPlaces",
      [
        "latitude": .double(position?.latitude), "longitude": .double(position?.longitude),
        "limit": 2000,
      ])
    return (answer["places"]?.array ?? []).compactMap { place in
      guard let name = place["name"]?.string, let position = place.coordinate else { return nil }
      return Report.Place(
        name: name, position: position, radius: place["radius_m"]?.double ?? 0,
        category: place["category"]?.string)
    }
  }
}
