import Geodesy

/// Waypoints and routes of GPX 1.0 and 1.1 (https://www.topografix.com/GPX/1/1/).
///
/// Radius: Garmin's `Proximity` in metres (GpxExtensions v3 or WaypointExtension v1), or OpenCPN's
/// `arrival_radius` in nautical miles. Category: `type`, OsmAnd's groups, or Garmin's first
/// `Category`. Identifier: OpenCPN's `guid`. A route is a line with a width of twice the largest
/// radius of its points.
final class GPXReader: XMLHandler {
  private let sink: PlaceSink
  /// The waypoint or point of a route that is being read.
  private var point: PlaceEntry?
  /// The route that is being read, in its first point, with the largest radius of its points.
  private var route: PlaceEntry?
  private var routePoints: [Coordinate] = []

  init(_ sink: PlaceSink) { self.sink = sink }

  func begin(_ element: XMLElement, in parents: [String]) throws(Fault) {
    switch (element.name, parents.last) {
    case ("wpt", "gpx"),
      ("rtept", "rte") where route != nil:
      point = PlaceEntry(name: "", position: try element.position(), line: element.line)
    case ("rte", "gpx"):
      route = PlaceEntry(line: element.line)
      routePoints = []
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
    case ("color", "extensions"): point?.color = text
    case ("Category", "Categories"): if point?.category == nil { point?.category = text }
    case ("guid", "extensions"):
      if point != nil { point?.uid = text } else { route?.uid = text }
    case ("Proximity", _): point?.radius = Self.length(text)
    case ("arrival_radius", _): point?.radius = Self.length(text) * 1852
    case (_, "wpt"): Self.set(name, text, of: &point)
    case (_, "rte"): Self.set(name, text, of: &route)
    default: break
    }
  }

  private static func set(_ name: String, _ text: String, of place: inout PlaceEntry?) {
    switch name {
    case "name": place?.name = text
    case "desc": place?.notes = text
    case "cmt": if place?.notes == nil { place?.notes = text }
    // OpenCPN writes the type WPT for every waypoint.
    case "type": if text != "WPT" { place?.category = text }
    default: break
    }
  }

  /// A waypoint is left out alone, a point of a route with the whole of it.
  func leaveOut(_ fault: Fault, line: Int) throws(Fault) {
    (point, route) = (nil, nil)
    try sink.leaveOut(fault, line: line)
  }

  /// Not a number where the text is none.
  private static func length(_ text: String) -> Double { Double(decimal: text) ?? .nan }

  private func finishPoint() throws(Fault) {
    guard let place = point else { return }
    point = nil
    try sink.take(place)
  }

  private func finishRoutePoint() {
    guard let place = point else { return }
    point = nil
    routePoints.append(place.position)
    if let radius = place.radius, radius.isFinite {
      let largest = max(radius, route?.radius ?? 0)
      route?.radius = largest
    }
  }

  private func finishRoute() throws(Fault) {
    guard let route else { return }
    self.route = nil
    guard routePoints.count >= 2 else {
      return sink.refuse("a route of less than two points", line: route.line ?? 1)
    }
    let width = route.radius.flatMap { $0 > 0 ? 2 * $0 : nil }
    try sink.take(route.shaped(.line(routePoints, width: width)))
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

extension Double {
  /// A number that stands alone, with a decimal point or comma.
  init?(decimal text: String) {
    let text = text.trimmedText(limit: 64)
    let point = text.contains(".") ? text : String(text.map { $0 == "," ? "." : $0 })
    guard let value = Double(point), value.isFinite else { return nil }
    self = value
  }
}

extension Coordinate {
  /// Decimal degrees in a file.
  init(latitude: String, longitude: String) throws(Fault) {
    guard let north = Double(decimal: latitude), let east = Double(decimal: longitude) else {
      let wrong = Double(decimal: latitude) == nil ? latitude : longitude
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
