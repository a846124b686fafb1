import JSONText

/// Geometries as text: `POINT (13.4 52.5)`, `POLYGON ((…))` (OGC 06-103r4, section 7).
enum WellKnownText {
  /// The GeoJSON type of each word.
  private static let types = [
    "POINT": "Point", "LINESTRING": "LineString", "POLYGON": "Polygon", "MULTIPOINT": "MultiPoint",
    "MULTILINESTRING": "MultiLineString", "MULTIPOLYGON": "MultiPolygon",
  ]

  /// The geometry as GeoJSON; nil where the text begins with no word of one.
  static func geometry(_ text: String) throws(Fault) -> JSONObject? {
    // PostGIS writes `SRID=4326;` in front.
    let body = text.hasPrefix("SRID=4326;") ? text.dropFirst(10) : text[...]
    let word = body.prefix { $0.isLetter }.uppercased()
    guard let type = types[word], let open = body.firstIndex(of: "(") else { return nil }
    var json = ""
    var tuple: [Substring] = []
    func endTuple() {
      if !tuple.isEmpty { json += "[\(tuple.joined(separator: ","))]" }
      tuple = []
    }
    var rest = body[open...]
    while let character = rest.first {
      if let bracket = ["(": "[", ")": "]", ",": ","][character] {
        endTuple()
        json += bracket
        rest.removeFirst()
      } else if character.isWhitespace {
        rest.removeFirst()
      } else {
        let number = rest.prefix { !"(),".contains($0) && !$0.isWhitespace }
        tuple.append(number)
        rest = rest.dropFirst(number.count)
      }
    }
    endTuple()
    guard let list = try? JSONParser.parse(json).array, let first = list.first else {
      throw Fault("'\(text.prefix(40))' is no geometry; write POINT (lon lat)")
    }
    return ["type": .string(type), "coordinates": type == "Point" ? first : .array(list)]
  }
}
