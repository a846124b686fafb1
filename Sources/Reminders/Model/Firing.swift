import Bytes
package import CivilTime
import Departure
package import Geodesy
package import JSONText
package import Positioning

/// The decision that a reminder fires: the record that goes to the ledger and the journal.
package struct Firing: Equatable, Sendable {
  package enum Event: String, CaseIterable, Sendable {
    case arrive
    case depart
    case dwell
    /// The region was crossed between two fixes.
    case pass
    /// Not there by then.
    case absent
    /// Nothing heard for the span.
    case silent
    case due
    case leave
    /// The position of an anchor watch was lost.
    case lost
    /// A due or leaving time that was missed.
    case late
  }

  /// Why a firing comes a second time.
  package enum Repeated: String, CaseIterable, Sendable {
    /// The clock was wrong, and fired it before its time.
    case clock
  }

  /// A place known to the engine only by its number, and the words around its name.
  package struct UnnamedPlace: Equatable, Sendable {
    package let number: Int64
    let before: String
    let after: String
  }

  /// A UUID derived from the decision: the same decision has the same id.
  package var id: String
  package var reminderID: String
  package var kind: Reminder.Kind
  package var title: String
  package var category: String?
  /// Priorities of firings that overtake the others on their way to a destination.
  package static let urgentPriorities = 1...3

  package var isUrgent: Bool { Self.urgentPriorities.contains(priority) }

  /// 0…9 as in iCalendar.
  package var priority: Int
  /// Time of the decision; in the feed's time during a replay.
  package var time: Instant
  package var event: Event
  /// The tracker whose position or silence it is about; nil for the machine itself.
  package var who: String?
  /// Whose destinations alone receive it; nil are all that serve no person.
  package var recipient: String?
  package var position: Coordinate?
  /// Metres, 95 %.
  package var eph: Double?
  /// Kind of solution of that position; nil where unknown.
  package var source: Fix.Solution?
  /// Time of the deciding fix.
  package var fixTime: Instant?
  package var place: String?
  /// Metres from the centre of the place, or from the line or edge of a region.
  package var distance: Double?
  package var due: Instant?
  /// Estimated travel time.
  package var travel: TimeSpan?
  /// Delay after the due time.
  package var late: TimeSpan?
  /// Set where a wrong clock has fired it before.
  package var repeated: Repeated?
  /// The reason in one sentence.
  package var why: String
  /// Set while the name of a category's place has yet to be filled in.
  package var unnamed: UnnamedPlace?

  package init(
    id: String, reminderID: String, kind: Reminder.Kind, title: String, category: String? = nil,
    priority: Int = 0, time: Instant, event: Event, who: String? = nil,
    recipient: String? = nil, position: Coordinate? = nil,
    eph: Double? = nil, source: Fix.Solution? = nil, fixTime: Instant? = nil,
    place: String? = nil, distance: Double? = nil, due: Instant? = nil,
    travel: TimeSpan? = nil, late: TimeSpan? = nil,
    repeated: Repeated? = nil, why: String, unnamed: UnnamedPlace? = nil
  ) {
    self.id = id
    self.reminderID = reminderID
    self.kind = kind
    self.title = title
    self.category = category
    self.priority = priority
    self.time = time
    self.event = event
    self.who = who
    self.recipient = recipient
    self.position = position
    self.eph = eph
    self.source = source
    self.fixTime = fixTime
    self.place = place
    self.distance = distance
    self.due = due
    self.travel = travel
    self.late = late
    self.repeated = repeated
    self.why = why
    self.unnamed = unnamed
  }

  /// Fills in the name of the place.
  package mutating func name(_ name: String) {
    guard let unnamed else { return }
    place = name
    why = unnamed.before + name + unnamed.after
    self.unnamed = nil
  }

  /// The journal's MESSAGE, a sentence for people.
  package var message: String {
    var message = ByteWriter(capacity: title.utf8.count + why.utf8.count + 16)
    message.add(title)
    message.add(": ")
    let reason = why.utf8.span
    if !reason.isEmpty, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(reason[0]) {
      message.add(reason[0] | 0x20)
      message.add(reason.extracting(1...))
    } else {
      message.add(why.prefix(1).lowercased())
      message.add(String(why.dropFirst()))
    }
    return message.text
  }
}

extension Firing {
  /// The contract's JSON shape.
  package var json: JSONObject {
    JSONObject([
      "firing_id": .string(id),
      "reminder_id": .string(reminderID),
      "kind": .string(kind.rawValue),
      "title": .string(title),
      "category": category.map { .string($0) },
      "priority": priority == 0 ? nil : .int(priority),
      "time": .string(time.json),
      "event": .string(event.rawValue),
      "who": who.map { .string($0) },
      "for": recipient.map { .string($0) },
      "lat": .double(position.map { Decimal.rounded($0.latitude, digits: 7) }),
      "lon": .double(position.map { Decimal.rounded($0.longitude, digits: 7) }),
      "eph_m": .double(eph.map { Decimal.rounded($0, digits: 2) }),
      "source": source.map { .string($0.rawValue) },
      "fix_time": fixTime.map { .string($0.json) },
      "place": place.map { .string($0) },
      "distance_m": .double(distance.map { Decimal.rounded($0, digits: 2) }),
      "due": due.map { .string($0.json) },
      "travel_s": .double(travel.map { $0.seconds.rounded() }),
      "late_s": .double(late.map { Decimal.rounded($0.seconds, digits: 3) }),
      "repeated": repeated.map { .string($0.rawValue) },
      "why": .string(why),
    ])
  }

  /// A UUID of version 8 (RFC 9562 §5.8) over the members that make the decision unique. A replay
  /// prints the same bytes, and a decision repeated after a crash is recognised.
  static func identifier(
    reminder: String, event: Event, time: Instant, due: Instant?, repeated: Repeated? = nil
  ) -> String {
    // FNV-1a, 128 bits (draft-eastlake-fnv).
    var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013B
    var name = ByteWriter(capacity: reminder.utf8.count + 48)
    name.add(reminder)
    name.add(UInt8(ascii: "\n"))
    name.add(event.rawValue)
    name.add(UInt8(ascii: "\n"))
    name.add(decimal: Int(time.microseconds))
    name.add(UInt8(ascii: "\n"))
    name.add(decimal: Int(due?.microseconds ?? 0))
    if let repeated {
      name.add(UInt8(ascii: "\n"))
      name.add(repeated.rawValue)
    }
    hash = unsafe name.withUnsafeBytes { bytes in
      unsafe bytes.reduce(hash) { ($0 ^ UInt128($1)) &* prime }
    }
    // The version, 8, and the variant, 10 in binary.
    hash = hash & ~(0xF << 76) | 8 << 76
    hash = hash & ~(3 << 62) | 2 << 62
    name.removeAll()
    name.add(uuid: hash)
    return name.text
  }
}
