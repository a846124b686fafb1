import Geodesy

/// The form of a table of places: its separator and columns, from its first lines.
struct CSVTable {
  enum Column {
    case name, latitude, northSouth, longitude, eastWest, position, link
    case radius, category, color, notes
  }

  /// The names that usual writers give to the columns, in lower case, without blanks, units and
  /// marks.
  private static let names: [(column: Column, names: [Substring])] = [
    (.name, "name title label titel bezeichnung ort nom titre libellé nombre nome naam"),
    (
      .latitude,
      "lat latitude y latdd latitudedd gpslatitude breite breitengrad geogrbreite "
        + "geographischebreite latitud latitudine breedtegraad"
    ),
    (
      .longitude,
      "lon lng long longitude x londd longitudedd gpslongitude länge laenge längengrad "
        + "laengengrad geogrlänge geographischelänge longitud longitudine lengtegraad"
    ),
    (.northSouth, "ns latref latdir"), (.eastWest, "ew lonref londir"),
    (
      .position,
      "wkt geometry geom thegeom position coordinates coordinate coords latlon latlng latlong "
        + "latitudelongitude gps koordinaten coordonnées coordenadas"
    ),
    (.link, "url link googlemapsurl"), (.radius, "radiusm radius proximity umkreis rayon"),
    (.category, "category type group kategorie typ catégorie categorie"),
    (.color, "color colour farbe couleur"),
    (
      .notes,
      "notes note desc description comment beschreibung bemerkung notiz kommentar remarque "
        + "commentaire"
    ),
  ].map { ($0, $1.split(separator: " ")) }

  /// Columns that name a place where none of the above does.
  private static let otherNames = Set(
    ("place placename customer customername client clientname company companyname shop store "
      + "station kunde kundenname firma firmenname klant").split(separator: " "))

  let separator: UInt8
  /// The indices of the columns; the first one counts where two have one meaning.
  private(set) var columns: [Column: Int] = [:]
  /// Of the radius, as its title says: "Radius (km)".
  private(set) var metresOfRadius = 1.0
  /// Records before the first place: `sep=;` of spreadsheets, and the header.
  private(set) var headLines = 0
  /// The cells of the first line.
  private(set) var titles: [String] = []

  init(_ head: ArraySlice<UInt8>) {
    var lines = head.split(maxSplits: 5) { $0 == 0x0A || $0 == 0x0D }
    var declared: UInt8?
    if let first = lines.first, first.count == 5, first.starts(with: "sep=".utf8) {
      declared = first.last
      lines.removeFirst()
    }
    // Google's lists may have a description in front of the header.
    let line = lines.prefix(5).first { Self($0, declared).hasPositions } ?? lines.first ?? []
    self.init(line, declared)
    let isBehind = lines.firstIndex(of: line) ?? 0
    let isFirstPlace = columns.isEmpty && isGarmin
    if isFirstPlace { columns = [.longitude: 0, .latitude: 1, .name: 2, .notes: 3] }
    headLines = (declared == nil ? 0 : 1) + (isFirstPlace ? 0 : isBehind + 1)
  }

  /// The form by one line.
  private init(_ line: ArraySlice<UInt8>, _ declared: UInt8?) {
    let choices = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
    separator =
      declared ?? choices.max { a, b in line.count { $0 == a } < line.count { $0 == b } }
      ?? choices[0]
    titles = line.split(separator: separator, omittingEmptySubsequences: false).map {
      String(undeclared: Array($0)).trimmedText(limit: 200)
    }
    for (index, title) in titles.enumerated() {
      let name = Self.plain(title)
      for (column, names) in Self.names where names.contains(name[...]) && columns[column] == nil {
        columns[column] = index
        if column == .radius { metresOfRadius = Self.metres(title) }
      }
    }
    if columns[.name] == nil {
      columns[.name] = titles.firstIndex { Self.otherNames.contains(Self.plain($0)[...]) }
    }
  }

  /// The unit in the parentheses of a title; metres where there is none.
  private static func metres(_ title: String) -> Double {
    let unit = title.drop { $0 != "(" && $0 != "[" }.dropFirst().prefix { $0 != ")" && $0 != "]" }
    return (try? Length.metres(parsing: "1 \(unit)")) ?? 1
  }

  /// `"Latitude (°)"` is `latitude`.
  private static func plain(_ title: String) -> String {
    String(title.lowercased().prefix { $0 != "(" && $0 != "[" }.filter(\.isLetter))
  }

  /// Longitude and latitude, then a text.
  private var isGarmin: Bool {
    guard titles.count >= 3, let east = Double(decimal: titles[0]),
      let north = Double(decimal: titles[1]), Double(decimal: titles[2]) == nil
    else { return false }
    return east.magnitude <= 180 && north.magnitude <= 90
  }

  /// Whether it has the columns of a position.
  var hasPositions: Bool {
    columns[.latitude] != nil && columns[.longitude] != nil
      || columns[.position] != nil && isTable || columns[.link] != nil && columns[.name] != nil
  }

  /// Why the places of the table have no names of their own; nil where they have.
  var namelessness: String? {
    guard columns[.name] == nil, hasPositions else { return nil }
    let known = Set(columns.values)
    let others = titles.indices.filter { !known.contains($0) }.map { "'\(titles[$0])'" }
    guard !others.isEmpty else { return nil }
    return "no column is called 'name', so the places have none of the table; is it "
      + others.prefix(5).joined(separator: " or ") + "?"
  }

  /// Whether the first line has several columns, though none of a position.
  var isTable: Bool { titles.count > 1 }
}
