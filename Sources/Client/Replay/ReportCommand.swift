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
      The page is one file that loads nothing else. The daemon stores firings and no track, so \
      the map has points and no lines; 'replay --report' draws a recorded trip.
      """)

  @Argument(
    help: "The file to write; - is standard output.", completion: .file(extensions: ["html"]))
  var file: String

  @Option(help: "Show this many firings at most, the latest.")
  var limit = 1000

  @Option("Show firings since this time: today, -7d, 2026-11-21 …", "time") var since: String?
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit is at least 1") }
  }

  func run(in context: Context) throws {
    let zone = try context.zone()
    let since = try since.map {
      try context.stamp($0, option: "--since", dayAlone: .start).instant(in: zone).json
    }
    let output = try ReportFile(path: file)
    let daemon = try DaemonConnection(options, context)
    var report = Report(
      kind: .ledger, source: "georemindd", zone: zone, generator: ReportFile.generator)
    let log = try daemon.call("Log", ["limit": .int(limit), "since": since.map { .string($0) }])
    report.firings = (log["firings"]?.array ?? []).compactMap(\.object)
    report.span = Self.span(report.firings)
    report.reminders = try daemon.reminders().compactMap {
      try? Reminder(json: ReminderInput.withoutProgress($0))
    }
    report.places = try Self.places(
      near: report.firings.lazy.compactMap { JSONValue.object($0).coordinate }.last, daemon)
    for category in try daemon.call("ListCategories")["categories"]?.array ?? [] {
      guard let name = category["name"]?.string else { continue }
      report.colors[name.nameKey] = category["color"]?.string
    }
    report.notes.append(
      "The daemon keeps no track: a mark is where the device was when something fired.")
    if report.firings.count == limit {
      report.notes.append("These are the latest \(limit) firings; --limit gives more.")
    }
    try output.write(ReportPage(report).html)
    guard file != "-" else { return }
    try context.note("\(file): \(counted(report.firings.count, "firing", "firings"))")
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
