/// Links to OpenStreetMap, Google Maps and Apple Maps that carry a position in themselves.
///
/// A marker or place counts before the middle of the map; nothing is ever looked up.
enum MapLink {
  static func resemblesLink(_ cursor: TextCursor) -> Bool {
    for scheme in ["http://", "https://", "maps:", "comgooglemaps:"]
    where cursor.starts(withIgnoringCase: scheme) {
      return true
    }
    var cursor = cursor
    let host = cursor.takeWhile { !"/?#".unicodeScalars.contains($0) }
    guard !cursor.isAtEnd, let dot = host.lastIndex(of: ".") else { return false }
    let domain = host[host.index(after: dot)...].unicodeScalars
    return domain.count >= 2 && domain.allSatisfy(\.isASCIILetter)
  }

  /// A link to OpenStreetMap with a marker at the position, to six decimals.
  static func openStreetMap(_ position: Coordinate) -> String {
    let north = DecimalText.fixed(position.latitude, decimals: 6)
    let east = DecimalText.fixed(position.longitude, decimals: 6)
    return "https://www.openstreetmap.org/?mlat=\(north)&mlon=\(east)#map=17/\(north)/\(east)"
  }

  static func parse(_ cursor: TextCursor) throws(CoordinateError) -> Coordinate {
    let link = Link(cursor)
    switch link.service {
    case .openStreetMap: return try openStreetMap(link)
    case .google: return try google(link)
    case .apple: return try apple(link)
    case .shortener: throw CoordinateError(.shortLink, at: link.hostPosition)
    case nil: throw CoordinateError(.unknownLink, at: link.hostPosition)
    }
  }

  private static func openStreetMap(_ link: Link) throws(CoordinateError) -> Coordinate {
    guard link.segments.first?.value != "go" else {
      throw CoordinateError(.shortLink, at: link.hostPosition)
    }
    for (latitude, longitude) in [("mlat", "mlon"), ("lat", "lon")] {
      switch (link.parameter(latitude), link.parameter(longitude)) {
      case (let first?, let second?):
        return try LinkParameter(
          name: "", value: first.value + "," + second.value, position: first.position
        ).exactCoordinate()
      case (let only?, nil), (nil, let only?):
        throw CoordinateError(.incomplete, at: only.position)
      case (nil, nil):
        break
      }
    }
    if let query = link.parameter("query"), let found = try query.placedCoordinate() {
      return found
    }
    // The map of an object's page need not be centred on the object.
    let objects = ["node", "way", "relation", "changeset", "directions"]
    if objects.contains(link.segments.first?.value ?? "") {
      throw CoordinateError(.linkWithoutCoordinate, at: link.hostPosition)
    }
    if let map = link.fragments.first(where: { $0.name == "map" }) {
      let parts = map.value.split(separator: "/", omittingEmptySubsequences: false)
      if parts.count == 3 {
        return try LinkParameter(
          name: "", value: parts[1] + "," + parts[2], position: map.position
        ).exactCoordinate()
      }
    }
    throw CoordinateError(.linkWithoutCoordinate, at: link.hostPosition)
  }

  private static func google(_ link: Link) throws(CoordinateError) -> Coordinate {
    for name in ["q", "query", "destination", "daddr"] {
      if let found = try link.parameter(name)?.placedCoordinate() { return found }
    }
    if let place = try googlePlace(link) { return place }
    if let exact = link.parameter("ll") { return try exact.exactCoordinate() }
    for (kind, place) in zip(link.segments, link.segments.dropFirst())
    where kind.value == "place" || kind.value == "search" {
      if let found = try place.placedCoordinate() { return found }
    }
    guard !link.segments.contains(where: { $0.value == "dir" }) else {
      throw CoordinateError(.severalPlaces, at: link.hostPosition)
    }
    if let view = link.segments.first(where: { $0.value.hasPrefix("@") }) {
      let parts = view.value.dropFirst().split(separator: ",", omittingEmptySubsequences: false)
      if parts.count >= 2 {
        return try LinkParameter(
          name: "", value: parts[0] + "," + parts[1], position: view.position + 1
        ).exactCoordinate()
      }
    }
    if let centre = link.parameter("center") { return try centre.exactCoordinate() }
    throw CoordinateError(.linkWithoutCoordinate, at: link.hostPosition)
  }

  /// The place in the data part of a Google link: `!3d` latitude, `!4d` longitude.
  private static func googlePlace(_ link: Link) throws(CoordinateError) -> Coordinate? {
    var found: Coordinate?
    for segment in link.segments where segment.value.hasPrefix("data=") {
      let fields = segment.value.split(separator: "!")
      for (latitude, longitude) in zip(fields, fields.dropFirst())
      where latitude.hasPrefix("3d") && longitude.hasPrefix("4d") {
        let place = try LinkParameter(
          name: "", value: latitude.dropFirst(2) + "," + longitude.dropFirst(2),
          position: segment.position
        ).exactCoordinate()
        guard found == nil || found == place else {
          throw CoordinateError(.severalPlaces, at: segment.position)
        }
        found = place
      }
    }
    return found
  }

  private static func apple(_ link: Link) throws(CoordinateError) -> Coordinate {
    for name in ["coordinate", "ll"] {
      if let exact = link.parameter(name) { return try exact.exactCoordinate() }
    }
    for name in ["q", "daddr"] {
      if let found = try link.parameter(name)?.placedCoordinate() { return found }
    }
    for name in ["sll", "center"] {
      if let exact = link.parameter(name) { return try exact.exactCoordinate() }
    }
    throw CoordinateError(.linkWithoutCoordinate, at: link.hostPosition)
  }
}

/// A link taken apart.
private struct Link {
  enum Service { case openStreetMap, google, apple, shortener }

  let service: Service?
  let hostPosition: Int
  let segments: [LinkParameter]
  let parameters: [LinkParameter]
  let fragments: [LinkParameter]

  init(_ start: TextCursor) {
    var cursor = start
    var scheme = ""
    for candidate in ["https:", "http:", "maps:", "comgooglemaps:"]
    where cursor.starts(withIgnoringCase: candidate) {
      scheme = candidate
      cursor.skip(candidate.unicodeScalars.count)
    }
    if cursor.starts(withIgnoringCase: "//") { cursor.skip(2) }
    hostPosition = cursor.position
    let host = cursor.takeWhile { !"/?#".unicodeScalars.contains($0) }.lowercased()
    var segments: [LinkParameter] = []
    while cursor.take("/") {
      let position = cursor.position
      let text = cursor.takeWhile { !"/?#".unicodeScalars.contains($0) }
      segments.append(
        LinkParameter(name: "", value: LinkParameter.decoded(text), position: position))
    }
    self.segments = segments
    parameters = cursor.take("?") ? LinkParameter.list(&cursor) : []
    fragments = cursor.take("#") ? LinkParameter.list(&cursor) : []
    service = Link.service(scheme: scheme, host: host, path: segments.first?.value ?? "")
  }

  func parameter(_ name: String) -> LinkParameter? {
    parameters.first { $0.name == name && !$0.value.isEmpty }
  }

  private static func service(scheme: String, host: String, path: String) -> Service? {
    if scheme == "maps:" { return .apple }
    if scheme == "comgooglemaps:" { return .google }
    let name = host.split(separator: ":").first.map(String.init) ?? ""
    let labels = name.split(separator: ".")
    switch name {
    case "openstreetmap.org", "osm.org": return .openStreetMap
    case "maps.apple.com": return .apple
    case "goo.gl", "maps.app.goo.gl", "g.co", "maps.apple": return .shortener
    default: break
    }
    if name.hasSuffix(".openstreetmap.org") || name.hasSuffix(".osm.org") { return .openStreetMap }
    let isGoogle = labels.contains("google")
    return isGoogle && (labels.first == "maps" || path == "maps") ? .google : nil
  }
}

/// A named value of a link, decoded.
struct LinkParameter {
  let name: String
  let value: String
  /// Where the value stands in the text.
  let position: Int

  /// `name=value` pairs joined by `&`, up to a `#` or the end.
  static func list(_ cursor: inout TextCursor) -> [LinkParameter] {
    var list: [LinkParameter] = []
    repeat {
      let name = cursor.takeWhile { $0 != "=" && $0 != "&" && $0 != "#" }
      _ = cursor.take("=")
      let position = cursor.position
      let value = cursor.takeWhile { $0 != "&" && $0 != "#" }
      list.append(LinkParameter(name: name.lowercased(), value: decoded(value), position: position))
    } while cursor.take("&")
    return list
  }

  /// The value must be a coordinate.
  func exactCoordinate() throws(CoordinateError) -> Coordinate {
    do throws(CoordinateError) {
      return try TypedCoordinate.parse(TextCursor(Array(value.unicodeScalars)))
    } catch {
      throw CoordinateError(error.reason, at: position)
    }
  }

  /// The value is a coordinate, or the name of a place, which gives nothing. A `loc:` before and a
  /// label in brackets behind are left out.
  func placedCoordinate() throws(CoordinateError) -> Coordinate? {
    var text = Substring(value)
    if text.lowercased().hasPrefix("loc:") { text = text.dropFirst(4) }
    if let label = text.firstIndex(of: "(") { text = text[..<label] }
    do throws(CoordinateError) {
      var cursor = TextCursor(Array(text.unicodeScalars))
      cursor.dropTrailingSpaces()
      return try TypedCoordinate.parse(cursor)
    } catch {
      switch error.reason {
      case .latitudeOutOfRange, .longitudeOutOfRange, .minutesOutOfRange, .secondsOutOfRange:
        throw CoordinateError(error.reason, at: position)
      default: return nil
      }
    }
  }

  /// Percent signs resolved, plus signs as spaces (as forms send them), damaged bytes replaced.
  static func decoded(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "%"), index + 2 < bytes.count,
        let high = nibble(bytes[index + 1]), let low = nibble(bytes[index + 2])
      {
        out.append(high << 4 | low)
        index += 3
      } else {
        out.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        index += 1
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func nibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension Coordinate {
  /// A line to put in a message: a geo URI (RFC 5870) for programs and a link to a map for everyone
  /// else. Both can be read back.
  ///
  /// - Parameter uncertainty: metres, rounded up to whole ones; nil where it is not known.
  package func shareable(uncertainty: Double? = nil) -> String {
    let metres = uncertainty.flatMap { Int(exactly: $0.rounded(.up)) }
    return formatted(.geoURI) + (metres.map { ";u=\($0)" } ?? "") + " "
      + MapLink.openStreetMap(self)
  }
}
