import Geodesy

/// Waypoints and routes of GPX 1.0 and 1.1 (https://www.topografix.com/GPX/1/1/).
///
/// Radius: Garmin's `Proximity` in metres (GpxExtensions v3 or WaypointExtension v1), or OpenCPN's
/// `arrival_radius` in nautical miles. Category: `type`, OsmAnd's groups, or Garmin's first
/// `Category`. A route is a line with a width of twice the largest radius of its points.
final class GPXReader: XMLHandler {
  private let sink: PlaceSink
  private var point: PlaceEntry?
  private var route: Route?

  private struct Route {
    var name = ""
    var notes: String?
    var category: String?
    var points: [Coordinate] = []
    var radius: Double?
    let line: Int
  }

  init(_ sink: PlaceSink) { self.sink = sink }

  func begin(_ element: XMLElement, in parents: [String]) throws(Fault) {
    switch (element.name, parents.last) {
    case ("wpt", "gpx"), ("rtept", "rte"):
      point = PlaceEntry(name: "", position: try element.position(), line: element.line)
    case ("rte", "gpx"): route = Route(line: element.line)
    case ("trk", "gpx"):
      sink.refuse("a track is a recording: 'georemind replay' plays it", line: element.line)
    default: break
    }
  }

  func end(_ name: String, text: String, in parents: [String]) throws(Fault) {
    guard point != nil || route != nil else { return }
    switch (name, parents.last) {
    case ("wpt", _): try finishPoint()
    case ("rtept", _): finishRoutePoint()
    case ("rte", _): try finishRoute()
    case ("name", "wpt"): point?.name = text
    case ("desc", "wpt"): point?.notes = text
    case ("cmt", "wpt"): if point?.notes == nil { point?.notes = text }
    case ("type", "wpt"): point?.category = text
    case ("color", "extensions"): point?.color = text
    case ("Category", "Categories"): if point?.category == nil { point?.category = text }
    case ("Proximity", _): point?.radius = try Self.length(text, name)
    case ("arrival_radius", _): point?.radius = try Self.length(text, name) * 1852
    case ("name", "rte"): route?.name = text
    case ("desc", "rte"): route?.notes = text
    case ("type", "rte"): route?.category = text
    default: break
    }
  }

  private static func length(_ text: String, _ name: String) throws(Fault) -> Double {
    guard let value = Double(text.trimmedText(limit: 64)), value.isFinite, value >= 0 else {
      throw Fault("<\(name)> is no length; write a number")
    }
    return value
  }

  private func finishPoint() throws(Fault) {
    guard let place = point else { return }
    point = nil
    try sink.take(place)
  }

  private func finishRoutePoint() {
    guard let place = point else { return }
    point = nil
    guard var route else { return }
    self.route = nil
    route.points.append(place.position)
    if let radius = place.radius { route.radius = max(radius, route.radius ?? 0) }
    self.route = route
  }

  private func finishRoute() throws(Fault) {
    guard let route else { return }
    self.route = nil
    guard route.points.count >= 2 else {
      return sink.refuse("a route of less than two points", line: route.line)
    }
    var place = try PlaceEntry(
      name: route.name,
      shape: .line(route.points, width: route.radius.flatMap { $0 > 0 ? 2 * $0 : nil }),
      line: route.line)
    place.category = route.category
    place.notes = route.notes
    try sink.take(place)
  }
}

extension XMLElement {
  /// The attributes `lat` and `lon`, as GPX and OpenStreetMap have them.
  func position() throws(Fault) -> Coordinate {
    guard let latitude = self["lat"], let longitude = self["lon"] else {
      throw Fault("<\(name)> has no \(self["lat"] == nil ? "lat" : "lon"); give both")
    }
    return try Coordinate(latitude: latitude, longitude: longitude)
  }
}

extension Coordinate {
  /// Decimal degrees in a file.
  init(latitude: some StringProtocol, longitude: some StringProtocol) throws(Fault) {
    guard let north = Double(latitude), let east = Double(longitude) else {
      let wrong = Double(latitude) == nil ? String(latitude) : String(longitude)
      throw Fault("'\(wrong.prefix(40))' is not a number of degrees")
    }
    try self.init(north: north, east: east)
  }

  init(north: Double, east: Double) throws(Fault) {
    guard let valid = Coordinate(latitude: north, longitude: east) else {
      let isLatitude = !(north.magnitude <= 90)
      throw Fault(
        isLatitude
          ? "the latitude \(north) is beyond 90°; check the order of the numbers"
          : "the longitude \(east) is beyond 180°; check the number")
    }
    self = valid
  }
}
