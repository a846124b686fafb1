import Geodesy

/// Placemarks of KML 2.2 (OGC 07-147r2): points, polygons and lines.
///
/// The category is the innermost folder's name. `radius`, `width` and `category` come from
/// `ExtendedData`, as our writer puts them.
final class KMLReader: XMLHandler {
  private let sink: PlaceSink
  private var folders: [String] = []
  private var mark: Placemark?
  /// The name of the data field that is being read.
  private var field: String?

  private struct Placemark {
    var place: PlaceEntry
    var fields: [String: String] = [:]
    var points: [Coordinate] = []
    var lines: [[Coordinate]] = []
    var polygons: [[[Coordinate]]] = []
  }

  init(_ sink: PlaceSink) { self.sink = sink }

  func begin(_ element: XMLElement, in parents: [String]) throws(Fault) {
    switch element.name {
    case "Placemark":
      mark = Placemark(place: PlaceEntry(line: element.line))
      mark?.place.uid = element["id"]
    case "Folder": folders.append("")
    case "Polygon": mark?.polygons.append([])
    case "Data", "SimpleData": field = element["name"]
    case "Track", "MultiTrack", "Model": sink.refuse("<\(element.name)>", line: element.line)
    case "NetworkLink", "GroundOverlay", "ScreenOverlay", "PhotoOverlay":
      sink.refuse("<\(element.name)> has no place in it", line: element.line)
    default: break
    }
  }

  func end(_ name: String, text: String, in parents: [String]) throws(Fault) {
    switch (name, parents.last) {
    case ("Placemark", _): try finish()
    case ("Folder", _): _ = folders.popLast()
    case ("name", "Folder"):
      if let last = folders.indices.last { folders[last] = text }
    case ("name", "Placemark"): mark?.place.name = text
    case ("description", "Placemark"): mark?.place.notes = text
    case ("value", "Data"), ("SimpleData", _): if let field { mark?.fields[field] = text }
    case ("coordinates", let parent) where mark != nil:
      try add(KMLCoordinates.points(text, isOne: parent == "Point"), parent, parents)
    default: break
    }
  }

  func leaveOut(_ fault: Fault, line: Int) throws(Fault) {
    mark = nil
    try sink.leaveOut(fault, line: line)
  }

  private func add(_ points: [Coordinate], _ parent: String?, _ parents: [String]) throws(Fault) {
    switch parent {
    case "Point":
      guard points.count == 1 else {
        throw Fault("a <Point> has one position, not \(points.count)")
      }
      mark?.points += points
    case "LineString":
      guard points.count >= 2 else { throw Fault("a <LineString> has at least two positions") }
      mark?.lines.append(points)
    case "LinearRing" where parents.contains("Polygon"):
      let ring = try PlaceShape.closedRing(points)
      guard let last = mark?.polygons.indices.last else { return }
      // The outer ring comes first, whatever the order in the file.
      if parents.contains("outerBoundaryIs") {
        mark?.polygons[last].insert(ring, at: 0)
      } else {
        mark?.polygons[last].append(ring)
      }
    default: break
    }
  }

  private func finish() throws(Fault) {
    guard let mark else { return }
    self.mark = nil
    var place = mark.place
    let width = mark.fields["width"].flatMap { Double(decimal: $0) }
    let polygons = mark.polygons.filter { !$0.isEmpty }
    if !polygons.isEmpty {
      place = try place.shaped(.polygons(polygons))
    } else if mark.points.count == 1 {
      place.position = mark.points[0]
      place.radius = mark.fields["radius"].map { Double(decimal: $0) ?? .nan }
    } else if mark.lines.count == 1, mark.points.isEmpty {
      place = try place.shaped(.line(mark.lines[0], width: width))
    } else {
      let what = mark.points.isEmpty && mark.lines.isEmpty ? "no" : "more than one"
      return sink.refuse("a <Placemark> with \(what) position", line: place.line ?? 1)
    }
    place.category = mark.fields["category"] ?? folders.last { !$0.isEmpty }
    place.color = mark.fields["color"]
    try sink.take(place)
  }
}

extension PlaceShape {
  /// A ring of at least three corners that ends where it began.
  static func closedRing(_ points: [Coordinate]) throws(Fault) -> [Coordinate] {
    var ring = points
    if let first = ring.first, first != ring.last { ring.append(first) }
    guard ring.count >= 4 else { throw Fault("a ring has at least three corners") }
    return ring
  }
}
