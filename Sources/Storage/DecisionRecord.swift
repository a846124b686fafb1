import Bytes
import CivilTime
import Geodesy
import Geofencing
package import Reminders

/// What one event decided: the firings, and how far reminders have come by it.
package struct Decision: Equatable {
  var firings: [Firing] = []
  /// In order: the latest of a reminder counts.
  var progress: [Step] = []

  package struct Step: Equatable {
    package var id: String
    package var progress: Progress

    package init(id: String, progress: Progress) {
      self.id = id
      self.progress = progress
    }
  }
}

/// A decision as bytes, the form in which the journal waits for it.
///
/// The version, then progress and firings, each behind their number. Whole numbers and reals (IEEE 754)
/// are eight bytes, little endian; a text stands behind its length in UTF-8, words as they are in the
/// other tables; what may be missing stands behind a 1 or is a 0. A field that is added takes another
/// version: an upgrade may find what a crash of the version before has left.
enum DecisionRecord {
  private static let version: UInt8 = 1

  static func write(_ decision: Decision, to writer: inout ByteWriter) {
    writer.add(version)
    writer.add(Int64(decision.progress.count))
    for step in decision.progress { add(step, to: &writer) }
    writer.add(Int64(decision.firings.count))
    for firing in decision.firings { add(firing, to: &writer) }
  }

  /// - Complexity: O(bytes), whatever they say of themselves.
  static func read(_ bytes: [UInt8]) throws(RowFault) -> Decision {
    var reader = ByteReader(bytes)
    guard try reader.byte() == version else { throw RowFault(reason: "its version is not known") }
    var decision = Decision()
    for _ in 0..<(try reader.count()) { decision.progress.append(try step(&reader)) }
    for _ in 0..<(try reader.count()) { decision.firings.append(try firing(&reader)) }
    guard reader.isAtEnd else { throw RowFault(reason: "there is more behind it") }
    return decision
  }

  // MARK: - Progress

  private static func add(_ step: Decision.Step, to writer: inout ByteWriter) {
    let progress = step.progress
    writer.add(behindItsLength: step.id)
    writer.add(behindItsLength: progress.state.rawValue)
    writer.add(progress.presence.rawValue)
    writer.add(progress.insideSince?.microseconds)
    writer.add(Int64(progress.placesInside.count))
    for number in progress.placesInside { writer.add(number) }
    writer.add(progress.visitSettled)
    writer.add(progress.occurrence?.microseconds)
    writer.add(Int64(progress.leadsFired))
    writer.add(progress.lastFired?.microseconds)
    writer.add(progress.isUnacknowledged)
    writer.add(progress.snoozedUntil?.microseconds)
    writer.add(progress.nagging?.next.microseconds)
    writer.add(Int64(progress.nagging?.count ?? 0))
    writer.add(progress.occurrenceOffset.map { Int64($0) })
  }

  private static func step(_ reader: inout ByteReader) throws(RowFault) -> Decision.Step {
    let id = try reader.text()
    var progress = Progress(state: try reader.word())
    guard let presence = Presence(rawValue: try reader.byte()) else {
      throw RowFault(reason: "its presence is not known")
    }
    progress.presence = presence
    progress.insideSince = try reader.instantIfAny()
    for _ in 0..<(try reader.count()) {
      let number = try reader.integer()
      if let last = progress.placesInside.last, last >= number {
        throw RowFault(reason: "its places inside are no list of rising numbers")
      }
      progress.placesInside.append(number)
    }
    progress.visitSettled = try reader.flag()
    progress.occurrence = try reader.instantIfAny()
    guard let leads = UInt16(exactly: try reader.integer()) else {
      throw RowFault(reason: "its leads cannot be so many")
    }
    progress.leadsFired = Int(leads)
    progress.lastFired = try reader.instantIfAny()
    progress.isUnacknowledged = try reader.flag()
    progress.snoozedUntil = try reader.instantIfAny()
    let next = try reader.instantIfAny()
    let count = try reader.integer()
    progress.nagging = next.map { Progress.Nagging(next: $0, count: Int(count)) }
    progress.occurrenceOffset = try reader.integerIfAny().map { Int($0) }
    return Decision.Step(id: id, progress: progress)
  }

  // MARK: - Firings

  private static func add(_ firing: Firing, to writer: inout ByteWriter) {
    writer.add(behindItsLength: firing.id)
    writer.add(behindItsLength: firing.reminderID)
    writer.add(behindItsLength: firing.kind.rawValue)
    writer.add(behindItsLength: firing.title)
    writer.add(behindItsLength: firing.category)
    writer.add(Int64(firing.priority))
    writer.add(firing.time.microseconds)
    writer.add(behindItsLength: firing.event.rawValue)
    writer.add(firing.position?.latitude)
    writer.add(firing.position?.longitude)
    writer.add(firing.eph)
    writer.add(firing.fixTime?.microseconds)
    writer.add(behindItsLength: firing.place)
    writer.add(firing.distance)
    writer.add(firing.due?.microseconds)
    writer.add(firing.travel?.microseconds)
    writer.add(firing.late?.microseconds)
    writer.add(behindItsLength: firing.why)
  }

  private static func firing(_ reader: inout ByteReader) throws(RowFault) -> Firing {
    let id = try reader.text()
    let reminder = try reader.text()
    let kind: Reminder.Kind = try reader.word()
    let title = try reader.text()
    let category = try reader.textIfAny()
    let priority = Int(try reader.integer())
    let time = Instant(microseconds: try reader.integer())
    let event: Firing.Event = try reader.word()
    let latitude = try reader.realIfAny()
    let longitude = try reader.realIfAny()
    var position: Coordinate?
    if let latitude, let longitude {
      position = Coordinate(latitude: latitude, longitude: longitude)
      if position == nil { throw RowFault(reason: "its coordinate is out of range") }
    }
    return Firing(
      id: id, reminderID: reminder, kind: kind, title: title, category: category,
      priority: priority, time: time, event: event, position: position,
      eph: try reader.realIfAny(), fixTime: try reader.instantIfAny(),
      place: try reader.textIfAny(), distance: try reader.realIfAny(),
      due: try reader.instantIfAny(),
      travel: try reader.integerIfAny().map { TimeSpan(microseconds: $0) },
      late: try reader.integerIfAny().map { TimeSpan(microseconds: $0) },
      why: try reader.text())
  }
}

/// The parts of a record: see `DecisionRecord`.
extension ByteWriter {
  fileprivate mutating func add(_ flag: Bool) { add(UInt8(flag ? 1 : 0)) }

  fileprivate mutating func add(_ number: Int64) { add(littleEndian: UInt64(bitPattern: number)) }

  fileprivate mutating func add(behindItsLength text: String) {
    add(littleEndian: UInt64(text.utf8.count))
    add(text)
  }

  fileprivate mutating func add(_ number: Int64?) {
    guard let number else { return add(false) }
    add(1, littleEndian: UInt64(bitPattern: number))
  }

  fileprivate mutating func add(_ number: Double?) {
    add(number.map { Int64(bitPattern: $0.bitPattern) })
  }

  fileprivate mutating func add(behindItsLength text: String?) {
    add(text != nil)
    if let text { add(behindItsLength: text) }
  }
}

private struct ByteReader {
  private let bytes: [UInt8]
  private var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { offset == bytes.count }

  private mutating func next(_ count: Int) throws(RowFault) -> ArraySlice<UInt8> {
    guard count <= bytes.count - offset else { throw RowFault(reason: "it ends too early") }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }

  mutating func byte() throws(RowFault) -> UInt8 { try next(1).first ?? 0 }

  mutating func integer() throws(RowFault) -> Int64 {
    var bits: UInt64 = 0
    for byte in try next(8).reversed() { bits = bits << 8 | UInt64(byte) }
    return Int64(bitPattern: bits)
  }

  /// Of bytes or of things that take one at least, so that what is left bounds it.
  mutating func count() throws(RowFault) -> Int {
    let count = try integer()
    guard (0...Int64(bytes.count - offset)).contains(count) else {
      throw RowFault(reason: "it ends too early")
    }
    return Int(count)
  }

  mutating func text() throws(RowFault) -> String {
    let count = try count()
    guard let text = String(validating: try next(count), as: UTF8.self) else {
      throw RowFault(reason: "it holds a text that is not valid UTF-8")
    }
    return text
  }

  mutating func word<Word: RawRepresentable<String>>() throws(RowFault) -> Word {
    guard let word = Word(rawValue: try text()) else {
      throw RowFault(reason: "it holds a word that is not known")
    }
    return word
  }

  mutating func flag() throws(RowFault) -> Bool { try byte() != 0 }

  mutating func integerIfAny() throws(RowFault) -> Int64? { try flag() ? try integer() : nil }

  mutating func textIfAny() throws(RowFault) -> String? { try flag() ? try text() : nil }

  mutating func instantIfAny() throws(RowFault) -> Instant? {
    try integerIfAny().map { Instant(microseconds: $0) }
  }

  mutating func realIfAny() throws(RowFault) -> Double? {
    guard let bits = try integerIfAny() else { return nil }
    let number = Double(bitPattern: UInt64(bitPattern: bits))
    guard number.isFinite else { throw RowFault(reason: "it holds a number that is none") }
    return number
  }
}
