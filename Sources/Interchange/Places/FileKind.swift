import JSONText
import Reminders

/// The kind of a file, by its content; its name does not count.
package enum FileKind: Equatable, Sendable {
  case places(PlaceFormat)
  /// Reminders in the JSON of `georemind export`.
  case reminders
  /// iCalendar, RFC 5545.
  case calendar
  /// Sentences or reports of a receiver.
  case recording
  case empty
  /// None of these, with a predicate that names the nearest kind and the missing part.
  case unknown(String)

  /// Bytes of a file's head that are checked.
  static let headSize = 1 << 16

  /// Finds the kind from a source's head, without consuming it.
  package static func of(_ source: ByteSource) throws(InterchangeError) -> FileKind {
    let head = try source.peek(headSize)
    if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return .places(.kmz) }
    let text = head.drop(while: isBlank)
    switch text.first {
    case nil: return .empty
    case UInt8(ascii: "<"): return xml(text)
    case UInt8(ascii: "{"), UInt8(ascii: "["): return json(head)
    case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "\\"): return .recording
    default:
      let first = text.prefix { $0 > 0x20 }
      let begin = String(decoding: first.prefix(20), as: UTF8.self).uppercased()
      if ["BEGIN:VCALENDAR", "BEGIN:VEVENT", "BEGIN:VTODO"].contains(begin) { return .calendar }
      let table = CSVTable(text)
      if table.hasPositions { return .places(.csv) }
      guard table.isTable else { return .unknown("is of no kind that is known; \(known)") }
      return .unknown(
        "is a table without columns of a position; its first line has to name lat and lon, "
          + "not \(table.titles.prefix(8).map { "'\($0.prefix(40))'" }.joined(separator: ", "))")
    }
  }

  private static let known =
    "give JSON, iCalendar, GPX, KML, KMZ, GeoJSON, OwnTracks, OpenStreetMap, or a table that "
    + "begins with name,lat,lon"

  private static func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 || byte == 0x1E }

  /// The kind by the root's name, after declarations and comments.
  private static func xml(_ head: ArraySlice<UInt8>) -> FileKind {
    var rest = head
    while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
      rest = rest[rest.index(after: open)...]
      if rest.starts(with: "!--".utf8) {
        let end = rest.firstRange(of: "-->".utf8)?.lowerBound ?? rest.endIndex
        rest = rest[end...]
        continue
      }
      guard let first = rest.first, first != UInt8(ascii: "?"), first != UInt8(ascii: "!") else {
        continue
      }
      let name = rest.prefix { $0 > 0x20 && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
      let local = name.split(separator: UInt8(ascii: ":")).last.map { Array($0) } ?? []
      switch String(decoding: local, as: UTF8.self) {
      case "gpx": return .places(.gpx)
      case "kml": return .places(.kml)
      case "osm": return .places(.osm)
      case "html": return .unknown("is a web page; save the file that its link names instead")
      case let root:
        return .unknown("is XML with the root <\(root.prefix(40))>; give GPX, KML or OpenStreetMap")
      }
    }
    return .unknown("is XML without an element; give GPX, KML or OpenStreetMap")
  }

  private static let fields = Set(ReminderField.all.map(\.key))

  /// The kind by the first element, as far as the head has it.
  private static func json(_ head: ArraySlice<UInt8>) -> FileKind {
    var elements = ByteSource(bytes: Array(head), name: "").jsonElements()
    guard let element = try? elements.next() else {
      // Cut or invalid: words in it decide which reader reports the error.
      let text = String(decoding: head, as: UTF8.self)
      if text.contains("\"features\"") || text.contains("\"geometry\"") {
        return .places(.geoJSON)
      }
      if text.contains("\"waypoints\"") { return .places(.ownTracks) }
      return text.contains("\"elements\"") ? .places(.overpass) : .reminders
    }
    switch element.list {
    case "features": return .places(.geoJSON)
    case "elements": return .places(.overpass)
    case "waypoints": return .places(.ownTracks)
    default: break
    }
    guard let object = element.value.object else { return .reminders }
    if object["_type"] != nil { return .places(.ownTracks) }
    if object["class"] != nil { return .recording }
    if object["type"] != nil,
      ["geometry", "coordinates", "features", "geometries"].contains(where: { object[$0] != nil })
    {
      return .places(.geoJSON)
    }
    if object["title"] == nil, object["lat"] != nil || object["latitude"] != nil {
      return .places(.json)
    }
    if object["semanticSegments"] != nil || object["timelineObjects"] != nil {
      return .unknown("is a Google Timeline, a record of past visits, which is not read")
    }
    guard object.isEmpty || object.members.contains(where: { fields.contains($0.key) }) else {
      let names = object.members.prefix(8).map { "'\($0.key.prefix(40))'" }
      return .unknown(
        "is JSON, but no reminder, which has a 'title', and no place, which has 'lat' and 'lon'; "
          + "it has \(names.joined(separator: ", "))")
    }
    return .reminders
  }
}
