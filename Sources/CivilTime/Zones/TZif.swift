/// Why there is no zone of a name.
package struct TimeZoneError: Error, Equatable, CustomStringConvertible {
  package let zone: String
  /// The fault and the remedy.
  package let reason: String

  package var description: String { "time zone \(quoted(zone)): \(reason)" }
}

extension TimeZoneRules {
  /// A file of the tz database is a few kilobytes.
  package static let maximumFileSize = 262_144

  /// Reads a TZif file of version 1 to 4 (RFC 9636, obsoletes RFC 8536). Of a file that has both,
  /// the 64-bit data and the footer count. Every count and index is checked before it is used.
  package init(tzif bytes: [UInt8], name: String) throws(TimeZoneError) {
    guard bytes.count <= Self.maximumFileSize else {
      throw TimeZoneError(zone: name, reason: "the file is too large to be TZif")
    }
    var reader = TZifReader(bytes: bytes, name: name)
    self = try reader.rules()
  }
}

private struct TZifReader {
  let bytes: [UInt8]
  let name: String
  var offset = 0

  struct Header {
    let version: UInt8
    /// Of UT indicators, standard indicators, leap seconds, times, types and characters.
    let counts: [Int]
    var leapCount: Int { counts[2] }
    var timeCount: Int { counts[3] }
    var typeCount: Int { counts[4] }
    var characterCount: Int { counts[5] }

    func blockSize(timeSize: Int) -> Int {
      zip(counts, [1, 1, timeSize + 4, timeSize + 1, 6, 1]).reduce(0) { $0 + $1.0 * $1.1 }
    }
  }

  func fault(_ reason: String) -> TimeZoneError {
    TimeZoneError(
      zone: name, reason: "\(reason) at byte \(offset) of the TZif file; reinstall tzdata")
  }

  /// A big-endian number of two's complement.
  mutating func integer(size: Int) throws(TimeZoneError) -> Int64 {
    guard size <= bytes.count - offset else { throw fault("the data end early") }
    var value: UInt64 = 0
    for _ in 0..<size {
      value = value << 8 | UInt64(bytes[offset])
      offset += 1
    }
    let shift = UInt64(64 - 8 * size)
    return Int64(bitPattern: value << shift) >> Int64(shift)
  }

  mutating func byte() throws(TimeZoneError) -> UInt8 {
    UInt8(truncatingIfNeeded: try integer(size: 1))
  }

  /// Counts are unsigned; whatever exceeds the file is refused here, so that sums cannot overflow.
  mutating func count() throws(TimeZoneError) -> Int {
    let value = try integer(size: 4)
    guard (0...Int64(bytes.count)).contains(value) else { throw fault("a count is too large") }
    return Int(value)
  }

  mutating func header() throws(TimeZoneError) -> Header {
    guard bytes.count - offset >= 44, bytes[offset..<offset + 4].elementsEqual("TZif".utf8) else {
      throw fault("there is no TZif header")
    }
    let version = bytes[offset + 4]
    offset += 20
    var counts: [Int] = []
    for _ in 0..<6 { counts.append(try count()) }
    let header = Header(version: version, counts: counts)
    guard (1...256).contains(header.typeCount), header.characterCount >= 1,
      counts[..<2].allSatisfy({ $0 == 0 || $0 == header.typeCount })
    else { throw fault("the counts do not agree") }
    return header
  }

  mutating func rules() throws(TimeZoneError) -> TimeZoneRules {
    let first = try header()
    guard first.version >= UInt8(ascii: "2") else {
      return try block(first, timeSize: 4, hasFooter: false)
    }
    let size = first.blockSize(timeSize: 4)
    guard size <= bytes.count - offset else { throw fault("the data end early") }
    offset += size
    return try block(try header(), timeSize: 8, hasFooter: true)
  }

  mutating func block(
    _ header: Header, timeSize: Int, hasFooter: Bool
  ) throws(TimeZoneError) -> TimeZoneRules {
    guard header.blockSize(timeSize: timeSize) <= bytes.count - offset else {
      throw fault("the data end early")
    }
    guard header.leapCount == 0 else {
      throw TimeZoneError(
        zone: name, reason: "the file counts leap seconds; use the zone outside of 'right/'")
    }
    var transitions: [Int64] = []
    transitions.reserveCapacity(header.timeCount)
    for _ in 0..<header.timeCount {
      let time = try integer(size: timeSize)
      // RFC 9636 section 3.2 advises against earlier ones; later ones have no use.
      guard time.magnitude <= 1 << 59 else { throw fault("a change is out of range") }
      if let last = transitions.last, time <= last { throw fault("the changes are not in order") }
      transitions.append(time)
    }
    var indexes: [UInt8] = []
    indexes.reserveCapacity(header.timeCount)
    for _ in 0..<header.timeCount {
      let index = try byte()
      guard Int(index) < header.typeCount else { throw fault("a change leads to no type") }
      indexes.append(index)
    }
    var records: [(offset: Int, isDST: Bool, start: Int)] = []
    for _ in 0..<header.typeCount {
      let seconds = Int(try integer(size: 4))
      let isDST = try byte()
      let start = Int(try byte())
      guard abs(seconds) <= TimeZoneRules.maximumOffset, isDST <= 1, start < header.characterCount
      else { throw fault("a type is out of range") }
      records.append((seconds, isDST == 1, start))
    }
    let characters = bytes[offset..<offset + header.characterCount]
    offset += header.characterCount + header.counts[0] + header.counts[1]
    var types: [LocalTimeType] = []
    for record in records {
      let name = characters.dropFirst(record.start).prefix { $0 != 0 }
      guard name.count <= 32, name.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
        throw fault("an abbreviation is not text")
      }
      types.append(
        LocalTimeType(
          offset: record.offset, isDST: record.isDST,
          abbreviation: String(decoding: name, as: UTF8.self)))
    }
    return TimeZoneRules(
      name: name, transitions: transitions, typeIndexes: indexes, types: types,
      footer: hasFooter ? try footer() : nil)
  }

  /// A rule between two line feeds; empty where the last change holds for ever.
  mutating func footer() throws(TimeZoneError) -> PosixTimeZone? {
    guard try byte() == 0x0A else { throw fault("there is no footer") }
    let text = bytes[offset...].prefix { $0 != 0x0A }
    guard offset + text.count < bytes.count else { throw fault("the footer has no end") }
    if text.isEmpty { return nil }
    guard let rule = PosixTimeZone(Array(text)) else {
      throw fault("\(quoted(String(decoding: text, as: UTF8.self))) is not a rule")
    }
    return rule
  }
}
