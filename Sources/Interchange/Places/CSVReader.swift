import Geodesy

/// Places in a table (RFC 4180). The first line names the columns: `name`, `lat`, `lon`, optional
/// `radius_m`, `category`, `color`, `notes`, or their usual synonyms. Columns `N/S` and `E/W` give
/// the hemisphere. Its separator counts: comma, semicolon or tab. With semicolons and tabs numbers
/// may have a decimal comma.
struct CSVReader {
  /// Limit of one record with its quoted line breaks, in bytes.
  static let longestRecord = 1 << 20

  let sink: PlaceSink
  private var columns: [Column: Int] = [:]
  private var separator = UInt8(ascii: ",")

  private enum Column: CaseIterable {
    case name, latitude, northSouth, longitude, eastWest, radius, category, color, notes

    var names: Set<String> {
      switch self {
      case .name: ["name", "title", "label"]
      case .latitude: ["lat", "latitude", "y"]
      case .longitude: ["lon", "lng", "long", "longitude", "x"]
      case .northSouth: ["n/s", "ns", "n_s", "lat_ref", "lat_dir"]
      case .eastWest: ["e/w", "ew", "e_w", "lon_ref", "lon_dir"]
      case .radius: ["radius_m", "radius", "proximity"]
      case .category: ["category", "type", "group"]
      case .color: ["color", "colour"]
      case .notes: ["notes", "note", "desc", "description", "comment"]
      }
    }
  }

  init(_ sink: PlaceSink) { self.sink = sink }

  mutating func read(_ source: ByteSource) throws(InterchangeError) {
    var records = CSVRecords(source)
    try findColumns(in: source, &records)
    while let record = try records.next(separator: separator) {
      do throws(Fault) {
        try take(record)
      } catch {
        throw error.error(in: source.name, at: record.line)
      }
    }
  }

  /// Whether a first line names columns that places have.
  static func resemblesHeader(_ bytes: ArraySlice<UInt8>) -> Bool {
    let first = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
    let columns = columns(in: first, separator: separator(of: first))
    return columns[.latitude] != nil && columns[.longitude] != nil
  }

  private static func separator(of line: ArraySlice<UInt8>) -> UInt8 {
    let choices = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09]
    return choices.max { a, b in line.count { $0 == a } < line.count { $0 == b } } ?? choices[0]
  }

  private static func columns(in line: ArraySlice<UInt8>, separator: UInt8) -> [Column: Int] {
    let cells = line.split(separator: separator, omittingEmptySubsequences: false)
    var columns: [Column: Int] = [:]
    for (index, cell) in cells.enumerated() {
      let name = String(undeclared: Array(cell)).lowercased()
        .filter { $0 != "\"" && !$0.isWhitespace }
      for column in Column.allCases where column.names.contains(name) {
        if columns[column] == nil { columns[column] = index }
      }
    }
    return columns
  }

  private mutating func findColumns(
    in source: ByteSource, _ records: inout CSVRecords
  ) throws(InterchangeError) {
    let first = try source.peek(4096).prefix { $0 != 0x0A && $0 != 0x0D }
    separator = Self.separator(of: first)
    columns = Self.columns(in: first, separator: separator)
    _ = try records.next(separator: separator)
    guard columns[.latitude] != nil, columns[.longitude] != nil else {
      throw InterchangeError(
        file: source.name, line: 1,
        reason: "names no columns 'lat' and 'lon'; a table of places begins with name,lat,lon")
    }
  }

  private func take(_ record: CSVRecords.Record) throws(Fault) {
    func cell(_ column: Column) -> String? {
      guard let index = columns[column], index < record.cells.count else { return nil }
      let text = record.cells[index].trimmedText(limit: 8192)
      return text.isEmpty ? nil : text
    }
    func number(_ column: Column, _ name: String) throws(Fault) -> Double? {
      guard var text = cell(column) else { return nil }
      if separator != UInt8(ascii: ",") { text.replace(",", with: ".") }
      guard let value = Double(text), value.isFinite else {
        throw Fault("'\(text.prefix(40))' is no number of the column '\(name)'")
      }
      return value
    }
    func angle(
      _ column: Column, _ name: String, _ hemisphere: Column, _ letters: (Character, Character)
    ) throws(Fault) -> Double? {
      guard let value = try number(column, name), let text = cell(hemisphere) else {
        return try number(column, name)
      }
      guard let letter = text.uppercased().first, letter == letters.0 || letter == letters.1,
        value >= 0
      else {
        throw Fault(
          "'\(text.prefix(20))' beside \(value) is no hemisphere; write \(letters.0) or "
            + "\(letters.1), and the number without a sign")
      }
      return letter == letters.0 ? value : -value
    }
    guard let north = try angle(.latitude, "lat", .northSouth, ("N", "S")),
      let east = try angle(.longitude, "lon", .eastWest, ("E", "W"))
    else {
      throw Fault("the latitude or the longitude is missing")
    }
    func text(_ column: Column) -> String? { cell(column).map(FormulaGuard.plain) }
    var place = PlaceEntry(
      name: text(.name) ?? "", position: try Coordinate(north: north, east: east),
      line: record.line)
    place.radius = try number(.radius, "radius_m")
    place.category = text(.category)
    place.color = text(.color)
    place.notes = text(.notes)
    try sink.take(place)
  }
}

/// The records of a table, one by one.
struct CSVRecords {
  struct Record {
    let cells: [String]
    /// First line in the file, from 1.
    let line: Int
  }

  private let source: ByteSource
  private var piece: [UInt8] = []
  private var index = 0
  private var line = 1

  init(_ source: ByteSource) { self.source = source }

  private mutating func byte() throws(InterchangeError) -> UInt8? {
    if index == piece.count {
      piece = try source.next()
      index = 0
      if piece.isEmpty { return nil }
    }
    index += 1
    return piece[index - 1]
  }

  /// The next record that is not an empty line; nil at the end.
  mutating func next(separator: UInt8) throws(InterchangeError) -> Record? {
    var cells: [String] = []
    var cell: [UInt8] = []
    var size = 0
    var quoted = false
    var wasQuoted = false
    var start = line
    func finished() -> String { String(undeclared: cell) }
    while let byte = try byte() {
      size += 1
      guard size <= CSVReader.longestRecord else {
        throw InterchangeError(
          file: source.name, line: start,
          reason: "the line is longer than 1 MiB; a quote may be missing")
      }
      if byte == 0x0A { line += 1 }
      switch byte {
      case UInt8(ascii: "\"") where quoted:
        quoted = false
      case UInt8(ascii: "\"") where wasQuoted:
        // Two in a row within quotes stand for one.
        cell.append(byte)
        quoted = true
      case UInt8(ascii: "\"") where cell.isEmpty:
        quoted = true
        wasQuoted = true
      case separator where !quoted:
        cells.append(finished())
        cell.removeAll(keepingCapacity: true)
        wasQuoted = false
      case 0x0A where !quoted, 0x0D where !quoted:
        if cells.isEmpty, cell.isEmpty, !wasQuoted {
          start = line
          size = 0
        } else {
          return Record(cells: cells + [finished()], line: start)
        }
      default: cell.append(byte)
      }
    }
    guard !quoted else {
      throw InterchangeError(
        file: source.name, line: start, reason: "a quote is not closed; add it")
    }
    return cells.isEmpty && cell.isEmpty ? nil : Record(cells: cells + [finished()], line: start)
  }
}
