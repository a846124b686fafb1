import BaseMap
import Bytes
import CivilTime
import Companion
import Geofencing
import JSONText
import Positioning
import Reminders
import Report

/// The report of a replay, gathered while it runs.
struct ReplayReport {
  private let file: ReportFile
  private let tiles: TileFile?
  private var trip: Trip
  private var firings: [JSONObject] = []

  /// Fails before anything is played where the file cannot be written.
  init(path: String, base: TileFile?, engine: borrowing Engine) throws(Failure) {
    tiles = base
    file = try ReportFile(path: path)
    trip = Trip(sketch: TrackSketch(longestLeg: engine.settings.monitor.longestLeg))
  }

  mutating func add(_ firing: Firing) { firings.append(firing.json) }

  mutating func add(_ fix: Fix, _ taken: Replay.Taken, _ engine: borrowing Engine) {
    switch taken {
    case .counted: trip.add(fix, isInDoubt: engine.isFixInDoubt, outliers: engine.outlierCount)
    case .notFollowed: trip.exclude(fix, .notFollowed)
    case .passedOver: break
    }
  }

  mutating func write(
    of name: String, reminders: [Reminder], places: ReplayPlaces, span: ClosedRange<Instant>,
    damage: String?, zone: TimeZoneRules
  ) throws(Failure) {
    trip.finish()
    let base = name.split(separator: "/").last.map(String.init) ?? name
    var report = Report(
      kind: .replay, source: base.printable, zone: zone, generator: ReportFile.generator)
    report.span = span
    report.trip = trip
    report.reminders = reminders
    report.places = places.shown(of: Set(reminders.compactMap { $0.nearCategory?.nameKey }))
    report.colors = places.colors
    report.firings = firings
    if let damage { report.notes.append("Of the recording, the decoder \(damage).") }
    if let tiles { report.takeTiles(of: tiles) }
    try file.write(ReportPage(report).html)
  }
}
