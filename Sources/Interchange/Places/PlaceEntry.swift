import Bytes
package import Geodesy
package import JSONText
import Reminders

/// A place as a file has it: what all formats are read into and written from.
package struct PlaceEntry: Equatable, Sendable {
  /// Empty where the file gives none.
  package var name: String
  package var position: Coordinate
  /// Metres, not a number where it cannot be read; nil where the file gives none.
  package var radius: Double?
  package var category: String?
  /// The category's colour, `#RRGGBB`.
  package var color: String?
  package var notes: String?
  /// The shape of a place that is no circle; the circle encloses it.
  package var shape: PlaceShape?
  /// The identifier that the program which wrote the file has for it.
  package var uid: String?
  /// First line in the file, from 1.
  package var line: Int?

  package init(
    name: String, position: Coordinate, radius: Double? = nil, category: String? = nil,
    color: String? = nil, notes: String? = nil, shape: PlaceShape? = nil, line: Int? = nil
  ) {
    self.name = name
    self.position = position
    self.radius = radius
    self.category = category
    self.color = color
    self.notes = notes
    self.shape = shape
    self.line = line
  }

  /// A place that is being read, without a name, at 0° N 0° E.
  init(line: Int) {
    self.init(
      name: "", position: Coordinate(clampingLatitude: 0, wrappingLongitude: 0), line: line)
  }

  /// A place that is a shape, in the circle around it.
  init(name: String, shape: PlaceShape, line: Int?) throws(Fault) {
    guard let circle = shape.circle() else { throw Fault("the shape has no points", line: line) }
    self.init(
      name: name, position: circle.center, radius: circle.radius, shape: shape, line: line)
  }

  /// The same place as a shape, in the circle around it.
  func shaped(_ shape: PlaceShape) throws(Fault) -> PlaceEntry {
    let around = try PlaceEntry(name: name, shape: shape, line: line)
    var place = self
    (place.position, place.radius, place.shape) = (around.position, around.radius, shape)
    return place
  }

  /// Cleans what all formats have in common; returns the fault of a radius, which it removes.
  mutating func finish() -> Fault? {
    name = name.oneLine(limit: 200) ?? ""
    notes = notes?.trimmedText(limit: 4000)
    if notes?.isEmpty == true { notes = nil }
    category = category?.oneLine(limit: 100)
    if let color, !Self.isColor(color) { self.color = nil }
    // OwnTracks (beacon) and OpenCPN (no alarm) write 0 for "none".
    if radius == 0 { radius = nil }
    guard let given = radius, !Reminder.Place.radii.contains(given) else { return nil }
    radius = nil
    return Fault(
      "the radius of \"\(name)\" is no number of metres between 1 m and 5000 km; "
        + "it gets the default radius", line: line)
  }

  static func isColor(_ text: String) -> Bool {
    text.utf8.count == 7 && text.hasPrefix("#")
      && text.utf8.dropFirst().allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
  }
}

extension String {
  /// The text on one line without surrounding blanks, cut to `limit` bytes; nil where nothing is
  /// left.
  func oneLine(limit: Int) -> String? {
    let text = onOneLine.trimmedText(limit: limit)
    return text.isEmpty ? nil : text
  }

  /// The text without surrounding blanks, cut to `limit` bytes at a whole character.
  package func trimmedText(limit: Int) -> String {
    var text = self[...]
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    while text.utf8.count > limit {
      let end = text.utf8.index(text.startIndex, offsetBy: limit)
      text = text[..<text.rounded(down: end)]
    }
    return String(text)
  }
}

extension Substring {
  fileprivate func rounded(down index: Index) -> Index {
    var last = startIndex
    var next = startIndex
    while next <= index, next < endIndex {
      last = next
      next = self.index(after: next)
    }
    return last
  }
}

/// An area, or a line with a width.
package enum PlaceShape: Equatable, Sendable {
  /// Polygons, each with its outer ring first and its holes behind; rings end where they began.
  case polygons([[[Coordinate]]])
  /// At least two points; `width` in metres is the whole of it, nil where the file gives none.
  case line([Coordinate], width: Double?)

  /// Width of a line without one, in metres: a fairway's.
  package static let defaultWidth = 200.0

  var points: [Coordinate] {
    switch self {
    case .polygons(let polygons): polygons.compactMap(\.first).flatMap { $0 }
    case .line(let points, _): points
    }
  }

  /// An enclosing circle around the middle of the points, close to the smallest one.
  func circle() -> (center: Coordinate, radius: Double)? {
    let points = points
    guard let first = points.first else { return nil }
    let sum = points.map { Vector($0) }.reduce((0.0, 0.0, 0.0)) {
      ($0.0 + $1.x, $0.1 + $1.y, $0.2 + $1.z)
    }
    // Points all around the Earth have no middle.
    let center = Vector(normalizing: sum.0, sum.1, sum.2)?.coordinate ?? first
    var radius = points.map { center.distance(to: $0) }.max() ?? 0
    if case .line(_, let width) = self { radius += (width ?? Self.defaultWidth) / 2 }
    let radii = Reminder.Place.radii
    return (center, min(max(radius.rounded(.up), radii.lowerBound), radii.upperBound))
  }

  /// The shape as a GeoJSON geometry (RFC 7946).
  package var geoJSON: JSONValue {
    func positions(_ points: [Coordinate]) -> JSONValue { .array(points.map(\.geoJSON)) }
    switch self {
    case .line(let points, _):
      return ["type": "LineString", "coordinates": positions(points)]
    case .polygons(let polygons):
      let all = polygons.map { JSONValue.array($0.map(positions)) }
      guard all.count != 1 else { return ["type": "Polygon", "coordinates": all[0]] }
      return ["type": "MultiPolygon", "coordinates": .array(all)]
    }
  }
}

extension Coordinate {
  /// A GeoJSON position: longitude first.
  var geoJSON: JSONValue {
    .array([.double(longitude) ?? .null, .double(latitude) ?? .null])
  }
}
