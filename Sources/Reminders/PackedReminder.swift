import CivilTime
import Geodesy
import JSONText

/// A reminder as a string of bytes: what the engine keeps of the many that have nothing to do.
///
/// A store fills it column by column, without reading the document; the words are read when there is
/// something to say of that reminder. What a start must know of each is at fixed places in front:
///
/// | bytes | what |
/// |---|---|
/// | 0, 1, 2 | kind, means of transport, priority |
/// | 3 | which of the parts below are there |
/// | 4…27 | latitude, longitude, radius (IEEE 754, little endian), if it has a place |
/// | then | id, title, category, name of the place, due time, document: length (LEB128) and UTF-8 |
package struct PackedReminder: Equatable, Sendable {
  private var bytes: [UInt8]

  /// No reminder; takes no memory of its own.
  static let vacant = PackedReminder(bytes: [])

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// What a reminder consists of beside its texts.
  package struct Facts {
    package var kind: Reminder.Kind
    /// nil where a store does not know it without reading the document.
    package var transport: Reminder.Transport?
    /// 0…255; what is not 0…9 is found out when it is unpacked.
    package var priority: UInt8
    package var place: (latitude: Double, longitude: Double, radius: Double)?
    /// Which of the texts that may be missing there are.
    package var parts: Parts

    package init(
      kind: Reminder.Kind, transport: Reminder.Transport?, priority: UInt8,
      place: (latitude: Double, longitude: Double, radius: Double)?, parts: Parts
    ) {
      self.kind = kind
      self.transport = transport
      self.priority = priority
      self.place = place
      self.parts = parts
    }
  }

  package struct Parts: OptionSet, Sendable {
    package let rawValue: UInt8
    package static let category = Parts(rawValue: 1)
    package static let placeName = Parts(rawValue: 2)
    package static let due = Parts(rawValue: 4)
    fileprivate static let place = Parts(rawValue: 8)

    package init(rawValue: UInt8) { self.rawValue = rawValue }
  }

  private static let headSize = 4
  private static let placeSize = 24

  /// A text that `facts` does not name is not looked at.
  /// - Parameters:
  ///   - due: as `TimeStamp` writes it.
  ///   - document: a JSON object of the fields that are none of the others.
  package init(
    _ facts: Facts, id: Span<UInt8>, title: Span<UInt8>, category: Span<UInt8>,
    placeName: Span<UInt8>, due: Span<UInt8>, document: Span<UInt8>
  ) {
    let parts = facts.place == nil ? facts.parts : facts.parts.union(.place)
    var size = Self.headSize + Self.size(id) + Self.size(title) + Self.size(document)
    if parts.contains(.place) { size += Self.placeSize }
    if parts.contains(.category) { size += Self.size(category) }
    if parts.contains(.placeName) { size += Self.size(placeName) }
    if parts.contains(.due) { size += Self.size(due) }
    // All in one piece: grown bit by bit, the bytes took as long to put together as to read.
    bytes = []
    bytes.reserveCapacity(size)
    bytes.append(addingCapacity: size) { room in
      room.append(facts.kind.code)
      room.append(facts.transport.map(\.code) ?? .max)
      room.append(facts.priority)
      room.append(parts.rawValue)
      if let place = facts.place {
        room.append(place.latitude)
        room.append(place.longitude)
        room.append(place.radius)
      }
      room.append(id)
      room.append(title)
      if parts.contains(.category) { room.append(category) }
      if parts.contains(.placeName) { room.append(placeName) }
      if parts.contains(.due) { room.append(due) }
      room.append(document)
    }
  }

  package init(_ reminder: Reminder) {
    let name = reminder.place?.name
    let due = reminder.due?.description
    var parts: Parts = []
    if reminder.category != nil { parts.insert(.category) }
    if name != nil { parts.insert(.placeName) }
    if due != nil { parts.insert(.due) }
    self.init(
      Facts(
        kind: reminder.kind, transport: reminder.transport,
        priority: UInt8(clamping: reminder.priority),
        place: reminder.place.map { ($0.position.latitude, $0.position.longitude, $0.radius) },
        parts: parts),
      id: Array(reminder.id.utf8).span, title: Array(reminder.title.utf8).span,
      category: Array((reminder.category ?? "").utf8).span,
      placeName: Array((name ?? "").utf8).span, due: Array((due ?? "").utf8).span,
      document: Array(JSONValue.object(reminder.details).line.utf8).span)
  }

  /// Bytes that a text takes with its length in front.
  private static func size(_ text: Span<UInt8>) -> Int {
    var size = text.count + 1
    var length = text.count >> 7
    while length > 0 {
      size += 1
      length >>= 7
    }
    return size
  }

  // MARK: - What is known without unpacking

  package var isVacant: Bool { bytes.isEmpty }

  /// Bytes of heap in use.
  package var byteCount: Int { bytes.isEmpty ? 0 : bytes.capacity + 32 }

  package var kind: Reminder.Kind { Reminder.Kind(code: bytes.first ?? 0) }

  /// nil where it must be unpacked to know.
  var transport: Reminder.Transport? {
    bytes.count > 1 ? Reminder.Transport(code: bytes[1]) : nil
  }

  private var parts: Parts { Parts(rawValue: bytes.count > 3 ? bytes[3] : 0) }

  var hasDue: Bool { parts.contains(.due) }

  /// Its circle; nil where it has none, or none that can be.
  var place: (position: Coordinate, radius: Double)? {
    guard parts.contains(.place), bytes.count >= Self.headSize + Self.placeSize,
      let position = Coordinate(latitude: number(at: 4), longitude: number(at: 12))
    else { return nil }
    return (position, number(at: 20))
  }

  private func number(at offset: Int) -> Double {
    let bits = unsafe bytes.span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    return Double(bitPattern: UInt64(littleEndian: bits))
  }

  /// The id's bytes.
  var id: ArraySlice<UInt8> {
    var reader = Reader(bytes: bytes, offset: textsOffset)
    return reader.next()
  }

  private var textsOffset: Int { Self.headSize + (parts.contains(.place) ? Self.placeSize : 0) }

  // MARK: - Unpacking

  private struct Reader {
    let bytes: [UInt8]
    var offset: Int

    /// The next text; empty where there is none.
    mutating func next() -> ArraySlice<UInt8> {
      var length = 0
      var shift = 0
      while offset < bytes.count, shift < 56 {
        let byte = bytes[offset]
        offset += 1
        length |= Int(byte & 0x7F) << shift
        shift += 7
        if byte < 0x80 { break }
      }
      let end = min(bytes.count, offset + length)
      defer { offset = end }
      return bytes[offset..<end]
    }
  }

  /// The reminder; its state is not among what is packed.
  /// - Complexity: O(bytes); some microseconds.
  package func unpacked() throws(ReminderError) -> Reminder {
    var reader = Reader(bytes: bytes, offset: textsOffset)
    let id = try Self.text(reader.next(), "id")
    let title = try Self.text(reader.next(), "title")
    let category =
      parts.contains(.category) ? try Self.text(reader.next(), "category") : nil
    let placeName =
      parts.contains(.placeName) ? try Self.text(reader.next(), "place.name") : nil
    let due = hasDue ? try Self.stamp(reader.next(), "due") : nil
    guard bytes.count > 2, bytes[2] <= 9 else {
      throw ReminderError(field: "priority", reason: "is not 0 to 9")
    }
    var reminder = Reminder(
      id: id, kind: kind, title: title, category: category, priority: Int(bytes[2]),
      place: try unpackedPlace(named: placeName), due: due, transport: transport ?? .driving)
    try reminder.take(document: reader.next())
    try reminder.checkCompleteness()
    return reminder
  }

  private func unpackedPlace(named name: String?) throws(ReminderError) -> Reminder.Place? {
    guard parts.contains(.place) else { return nil }
    guard let place, Reminder.Place.radii.contains(place.radius) else {
      throw ReminderError(field: "place", reason: "is no circle on the Earth")
    }
    return Reminder.Place(name: name, position: place.position, radius: place.radius)
  }

  private static func stamp(
    _ bytes: ArraySlice<UInt8>, _ field: String
  ) throws(ReminderError) -> TimeStamp {
    if let stamp = TimeStamp(utc: bytes.span) { return stamp }
    let text = try text(bytes, field)
    do {
      return try TimeStamp(parsing: text)
    } catch {
      throw ReminderError(field: field, reason: "\(error)")
    }
  }

  private static func text(
    _ bytes: ArraySlice<UInt8>, _ field: String
  ) throws(ReminderError) -> String {
    guard let text = try? UTF8Span(validating: bytes.span) else {
      throw ReminderError(field: field, reason: "is not valid UTF-8")
    }
    return String(copying: text)
  }
}

/// How a packed reminder's parts are written. The pieces are copied whole: byte by byte, three numbers
/// take as long as all the rest.
extension OutputSpan<UInt8> {
  fileprivate mutating func append(_ number: Double) {
    let bits = number.bitPattern.littleEndian
    unsafe withUnsafeBytes(of: bits) { unsafe append(copying: $0) }
  }

  /// The length and the text.
  fileprivate mutating func append(_ text: Span<UInt8>) {
    var length = text.count
    while length >= 0x80 {
      append(UInt8(truncatingIfNeeded: length) | 0x80)
      length >>= 7
    }
    append(UInt8(truncatingIfNeeded: length))
    unsafe text.withUnsafeBytes { unsafe append(copying: $0) }
  }

  private mutating func append(copying bytes: UnsafeRawBufferPointer) {
    precondition(bytes.count <= freeCapacity)
    unsafe withUnsafeMutableBufferPointer { room, count in
      let end = count + bytes.count
      unsafe UnsafeMutableRawBufferPointer(
        rebasing: UnsafeMutableRawBufferPointer(room)[count..<end]
      )
      .copyMemory(from: bytes)
      count = end
    }
  }
}

extension Reminder {
  /// Takes what a new reminder has beside its texts.
  fileprivate mutating func take(document: ArraySlice<UInt8>) throws(ReminderError) {
    // Most have nothing.
    guard !document.elementsEqual("{}".utf8) else { return }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONParser.parse(Array(document))
    } catch {
      throw ReminderError(field: "document", reason: "is not JSON: \(error)")
    }
    guard let object = value.object else {
      throw ReminderError(field: "document", reason: "is \(value.kind), not an object")
    }
    try take(details: object)
  }
}

extension Reminder.Kind {
  fileprivate var code: UInt8 {
    switch self {
    case .location: 0
    case .date: 1
    case .preemptive: 2
    }
  }

  fileprivate init(code: UInt8) {
    self = code == 1 ? .date : code == 2 ? .preemptive : .location
  }
}

extension Reminder.Transport {
  fileprivate var code: UInt8 {
    switch self {
    case .driving: 0
    case .cycling: 1
    case .walking: 2
    }
  }

  fileprivate init?(code: UInt8) {
    switch code {
    case 0: self = .driving
    case 1: self = .cycling
    case 2: self = .walking
    default: return nil
    }
  }
}
