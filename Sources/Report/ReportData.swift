import CivilTime
import Geodesy
import Geofencing
import JSONText
import Positioning
import Reminders

/// Data of the page's program, as JSON. The track is in columns (`TrackColumns`); coordinates are
/// whole millionths of a degree (0.11 m); in a line, each is the difference from the one before.
struct ReportData {
  let report: Report
  let colors: CategoryColors

  /// Limit of drawn fences and of drawn places; the nearest to events are drawn.
  static let maximumOutlines = 2000

  var json: JSONObject {
    let outlines = outlines()
    let places = nearest(report.places, \.position)
    return [
      "kind": .string(report.kind.rawValue),
      "from": report.span.map { .int(milliseconds($0.lowerBound)) },
      "to": report.span.map { .int(milliseconds($0.upperBound)) },
      "offsets": .array(offsets()),
      "track": report.trip.map { .object(track($0)) },
      "excluded": report.trip.map { .array(excluded($0)) },
      "fences": .array(outlines.drawn),
      "places": .array(places.map(place)),
      "firings": .array(report.firings.enumerated().map { firing($1, number: $0 + 1) }),
      "tiles": report.tiles.map { .object($0) },
      "omitted": .int(outlines.omitted + report.places.count - places.count),
    ]
  }

  private func milliseconds(_ instant: Instant) -> Int { Int(instant.microseconds / 1000) }

  private func micro(_ degrees: Double) -> Int { Int((degrees * 1e6).rounded()) }

  /// Pairs of time and UTC offset in seconds: at the beginning and at each change.
  private func offsets() -> [JSONValue] {
    guard let span = report.span else { return [] }
    var pairs: [JSONValue] = []
    var moment = span.lowerBound
    while pairs.count < 1000 {
      pairs.append([.int(milliseconds(moment)), .int(report.zone.offset(at: moment))])
      guard let next = report.zone.nextTransition(after: moment), next <= span.upperBound else {
        break
      }
      moment = next
    }
    return pairs
  }

  private func track(_ trip: Trip) -> JSONObject {
    var columns = TrackColumns()
    for point in trip.sketch.points {
      columns.add(
        time: point.time, position: point.position, speed: point.speed, eph: point.eph,
        isAfterGap: point.isAfterGap)
    }
    return columns.json
  }

  private func excluded(_ trip: Trip) -> [JSONValue] {
    trip.excluded.map {
      [
        .int(milliseconds($0.time)), .int(micro($0.position.latitude)),
        .int(micro($0.position.longitude)), .string($0.reason.words),
      ]
    }
  }

  private func firing(_ firing: JSONObject, number: Int) -> JSONValue {
    let time = (try? Instant(rfc3339: firing["time"]?.string ?? "")).map(milliseconds)
    return .object([
      "n": .int(number), "t": time.map { .int($0) }, "lat": firing["lat"], "lon": firing["lon"],
      "title": .string(Report.title(of: firing)), "event": firing["event"] ?? "",
      "color": .string(colors[firing["category"]?.string]),
    ])
  }

  private func place(_ place: Report.Place) -> JSONValue {
    .object([
      "name": .string(place.name), "lat": .int(micro(place.position.latitude)),
      "lon": .int(micro(place.position.longitude)), "r": .double(place.radius.rounded()),
      "color": .string(colors[place.category]), "category": place.category.map { .string($0) },
    ])
  }

  // MARK: Fences

  private func outlines() -> (drawn: [JSONValue], omitted: Int) {
    let firings = Dictionary(
      report.firings.compactMap { $0["reminder_id"]?.string.map { ($0, 1) } },
      uniquingKeysWith: +)
    let placed = report.reminders.filter { $0.region != nil }
    let fired = placed.filter { firings[$0.id] != nil }.prefix(Self.maximumOutlines)
    let others = nearest(
      placed.filter { firings[$0.id] == nil }, { $0.region?.boundingCircle.center },
      limit: Self.maximumOutlines - fired.count)
    let drawn = (fired + others).map { outline($0, firings: firings[$0.id] ?? 0) }
    return (drawn, placed.count - drawn.count)
  }

  private func outline(_ reminder: Reminder, firings: Int) -> JSONValue {
    var object: JSONObject = [
      "title": .string(Report.title(of: reminder.json)),
      "name": reminder.knownName.map { .string($0) },
      "kind": .string(reminder.kind.rawValue), "on": .string(reminder.trigger.rawValue),
      "color": .string(colors[reminder.category]), "fired": .int(firings),
    ]
    if let area = reminder.area {
      // Finer than a page shows it, and never coarser than its own shape bears.
      let tolerance = max(1, area.reach / 2000)
      object["lines"] = .array(
        rings(area.json).map { .array(encoded(Outline.thinned($0, tolerance: tolerance))) })
      object["width"] = .double(area.width)
      object["lat"] = .int(micro(area.middle.latitude))
      object["lon"] = .int(micro(area.middle.longitude))
    } else if let place = reminder.place {
      object["lat"] = .int(micro(place.position.latitude))
      object["lon"] = .int(micro(place.position.longitude))
      object["r"] = .double(place.radius.rounded())
    }
    return .object(object)
  }

  private func encoded(_ line: [Coordinate]) -> [JSONValue] {
    var (latitude, longitude) = (0, 0)
    var values: [JSONValue] = []
    for (index, position) in line.enumerated() {
      let north = micro(position.latitude) - latitude
      var east = micro(position.longitude) - longitude
      if index > 0, abs(east) > 180_000_000 { east += east > 0 ? -360_000_000 : 360_000_000 }
      values += [.int(north), .int(east)]
      latitude += north
      longitude += east
    }
    return values
  }

  /// The rings or lines of a GeoJSON geometry of any depth.
  private func rings(_ geometry: JSONValue) -> [[Coordinate]] {
    func walk(_ value: JSONValue, _ depth: Int) -> [[Coordinate]] {
      guard let array = value.array, depth < 5 else { return [] }
      guard array.first?.array?.first?.array == nil else {
        return array.flatMap { walk($0, depth + 1) }
      }
      let line = array.compactMap { position -> Coordinate? in
        guard let numbers = position.array, numbers.count >= 2, let longitude = numbers[0].double,
          let latitude = numbers[1].double
        else { return nil }
        return Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
      }
      return line.isEmpty ? [] : [line]
    }
    return walk(geometry["coordinates"] ?? .null, 0)
  }

  /// The elements nearest to events.
  private func nearest<Element>(
    _ elements: [Element], _ position: (Element) -> Coordinate?, limit: Int = maximumOutlines
  ) -> [Element] {
    guard elements.count > limit else { return elements }
    guard let middle = middle else { return Array(elements.prefix(limit)) }
    let ranked = elements.enumerated().map { index, element in
      (position(element)?.distance(to: middle) ?? .infinity, index)
    }
    return ranked.sorted { $0 < $1 }.prefix(limit).map { elements[$0.1] }
  }

  /// Somewhere in the middle of the trip, or of the firings.
  private var middle: Coordinate? {
    if let points = report.trip?.sketch.points, !points.isEmpty {
      return points[points.count / 2].position
    }
    return report.firings.lazy.compactMap {
      Coordinate(latitude: $0["lat"]?.double, longitude: $0["lon"]?.double)
    }.first
  }
}
