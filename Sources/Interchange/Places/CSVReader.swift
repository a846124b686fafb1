import Geodesy

/// Places in a table (RFC 4180). The first line names the columns: `name`, `lat`, `lon`, optional
/// `radius_m`, `category`, `color`, `notes`, or their synonyms in a few languages. Columns `N/S`
/// and `E/W` give the hemisphere. A position may also be one column: a coordinate in any form of
/// `ParsedCoordinate`, a geometry in WKT, or a link of a map. Its separator counts: comma,
/// semicolon or tab. Numbers may have a decimal comma, and angles degrees, minutes and seconds.
///
/// Without such a line it is a Garmin table of points of interest: longitude, latitude, name,
/// notes.
struct CSVReader {
  /// Limit of one record with its quoted line breaks, in bytes.
  static let longestRecord = 1 << 20

  let sink: PlaceSink
  private let table: CSVTable

  /// - Parameter head: the beginning of the source.
  init(_ sink: PlaceSink, head: ArraySlice<UInt8>) {
    self.sink = sink
    table = CSVTable(head)
  }

  func read(_ source: ByteSource) throws(InterchangeError) {
    var records = CSVRecords(source, separator: table.separator)
    for _ in 0..<table.headLines { _ = try records.next() }
    if table.headLines == 0 {
      sink.report.notice =
        "read as a Garmin table without a header: longitude, latitude, name; "
        + "if the latitude comes first, put the line lat,lon,name in front"
    } else if let reason = table.namelessness {
      sink.report.notice = reason
    }
    while let record = try records.next() {
      try sink.attempt(
        { () throws(Fault) in
          if let fault = record.fault { throw fault }
          try take(record)
        }, in: source.name, line: record.line)
    }
  }

  private func take(_ record: CSVRecords.Record) throws(Fault) {
    let more = record.cells.dropFirst(table.titles.count).filter { !$0.isEmpty }
    guard more.isEmpty || !more.allSatisfy({ Double(decimal: $0) != nil }) else {
      throw Fault("it has more numbers than columns; write decimal points, or put it in quotes")
    }
    func cell(_ column: CSVTable.Column) -> String? {
      guard let index = table.columns[column], index < record.cells.count else { return nil }
      let text = record.cells[index].trimmedText(limit: 1 << 20)
      return text.isEmpty ? nil : text
    }
    func text(_ column: CSVTable.Column) -> String? { cell(column).map(FormulaGuard.plain) }
    func angle(
      _ column: CSVTable.Column, _ hemisphere: CSVTable.Column, _ letters: (Character, Character)
    ) throws(Fault) -> Double? {
      guard let text = cell(column) else { return nil }
      let value = try Self.angle(text, isLatitude: column == .latitude)
      guard let side = cell(hemisphere) else { return value }
      guard let letter = side.uppercased().first, letter == letters.0 || letter == letters.1,
        value >= 0
      else {
        throw Fault(
          "'\(side.prefix(20))' beside \(value) is no hemisphere; write \(letters.0) or "
            + "\(letters.1), and the number without a sign")
      }
      return letter == letters.0 ? value : -value
    }
    var place: PlaceEntry
    if let north = try angle(.latitude, .northSouth, ("N", "S")),
      let east = try angle(.longitude, .eastWest, ("E", "W"))
    {
      place = PlaceEntry(name: "", position: try Coordinate(north: north, east: east))
    } else if let position = cell(.position) {
      place = try Self.place(at: position)
    } else if let link = cell(.link) {
      guard let position = try? Coordinate(parsing: link) else {
        let name = text(.name).map { "\"\($0)\"" } ?? "the row"
        throw Fault("\(name) has no position, only a link; add the columns lat and lon")
      }
      place = PlaceEntry(name: "", position: position)
    } else {
      throw Fault("the latitude or the longitude is missing")
    }
    place.line = record.line
    place.name = text(.name) ?? ""
    if let radius = cell(.radius) {
      let number = Double(decimal: radius).map { $0 * table.metresOfRadius }
      place.radius = number ?? (try? Length.metres(parsing: radius)) ?? .nan
    }
    place.category = text(.category)
    place.color = text(.color)
    place.notes = text(.notes)
    try sink.take(place)
  }

  /// Decimal degrees, or degrees with minutes and seconds, marks and letters.
  private static func angle(_ text: String, isLatitude: Bool) throws(Fault) -> Double {
    if let number = Double(decimal: text) { return number }
    do throws(CoordinateError) {
      return try Coordinate.angle(parsing: text, isLatitude: isLatitude)
    } catch {
      throw Fault(
        "'\(text.prefix(40))' is no number of the column '\(isLatitude ? "lat" : "lon")'; "
          + "write 52.52 or 52° 31.2'")
    }
  }

  /// A place without a name, from a geometry in WKT or a coordinate.
  private static func place(at text: String) throws(Fault) -> PlaceEntry {
    if let geometry = try WellKnownText.geometry(text) {
      return try PlaceEntry(geometry: geometry, name: "", line: nil)
    }
    do throws(CoordinateError) {
      return PlaceEntry(name: "", position: try Coordinate(parsing: text))
    } catch {
      throw Fault("'\(text.prefix(40))' is no position: \(error)")
    }
  }
}
