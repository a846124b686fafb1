import CivilTime
import Geodesy
import Geofencing
package import JSONText

/// Why a document is not a reminder: the field and what is wrong with it.
package struct ReminderError: Error, Equatable, CustomStringConvertible {
  package let field: String
  package let reason: String

  package init(field: String, reason: String) {
    self.field = field
    self.reason = reason
  }

  package var description: String { "\(field): \(reason)" }
}

extension Reminder {
  /// How long it may be between one telling and the next.
  private static let nags = TimeSpan.minutes(1) ... .hours(24)

  /// Fields that have a place of their own in a table.
  private static let columnFields: Set<String> = [
    "id", "kind", "title", "category", "priority", "place", "due", "transport", "state",
  ]

  /// Every field the reader knows; the rest is kept in `unknown`.
  static let knownFields: Set<String> = [
    "id", "kind", "title", "notes", "category", "priority", "place", "region", "width_m", "on",
    "dwell_s", "due",
    "lead_s", "nag_s", "transport", "travel_s", "repeat", "every_visit", "cooldown_s", "from",
    "until", "hours", "days", "max_speed_mps", "if_inside", "state", "near_category",
    "repeat_also", "repeat_except", "zone", "source",
  ]

  /// Reads the contract's JSON shape. A document without `id` gets `newID`.
  package init(json: JSONObject, newID: @autoclosure () -> String = "") throws(ReminderError) {
    let fields = ReminderFields(object: json)
    let id = try fields.text("id") ?? newID()
    let title = try fields.text("title") ?? ""
    let place = try fields.place("place")
    let transport: Transport? = try fields.choice("transport")
    let kind: Kind =
      try fields.choice("kind")
      ?? (transport != nil
        ? .preemptive
        : place != nil || fields.value("near_category") != nil || fields.value("region") != nil
          ? .location : .date)
    self.init(
      id: id, kind: kind, title: title,
      category: try fields.text("category"),
      priority: try fields.whole("priority", in: 0...9) ?? 0,
      place: place,
      due: try fields.stamp("due"),
      transport: transport ?? .driving,
      state: try fields.choice("state") ?? .armed)
    try take(details: json, fields)
    try checkCompleteness()
  }

  /// Takes the fields that have no place of their own in a table: all but the id, the kind, the title,
  /// the category, the priority, the place, the due time, the transport and the state.
  package mutating func take(details json: JSONObject) throws(ReminderError) {
    try take(details: json, ReminderFields(object: json))
  }

  private mutating func take(
    details json: JSONObject, _ fields: ReminderFields
  ) throws(ReminderError) {
    notes = try fields.text("notes")
    area = try fields.area()
    nearCategory = try fields.text("near_category")
    if nearCategory != nil { nearRadius = try fields.number("radius_m", in: Place.radii) }
    trigger = try fields.choice("on") ?? .arrive
    dwell = try fields.span("dwell_s") ?? .minutes(5)
    leads = try fields.spans("lead_s").sorted(by: >)
    nag = try fields.span("nag_s")
    if let nag, !Self.nags.contains(nag) {
      throw ReminderError(field: "nag_s", reason: "must be 60 to 86400 seconds")
    }
    travel = try fields.span("travel_s")
    repeatRule = try fields.parsed("repeat") { try RepeatRule(parsing: $0) }
    repeatChanges = try fields.repeatChanges()
    source = try fields.source("source")
    everyVisit = try fields.flag("every_visit") ?? false
    cooldown = try fields.span("cooldown_s") ?? .zero
    from = try fields.stamp("from")
    until = try fields.stamp("until")
    hours = try fields.parsed("hours") { try HourRange(parsing: $0) }
    days = try fields.parsed("days") { try WeekdaySet(parsing: $0) }
    maximumSpeed = try fields.number("max_speed_mps", in: 0...10_000)
    ifInside = try fields.choice("if_inside") ?? .wait
    owner = json["owner"]?.int.flatMap { UInt32(exactly: $0) }
    for (key, value) in json.members where !Self.knownFields.contains(key) {
      // Any other owner than a user's number is somebody's own field.
      if key == "owner", owner != nil { continue }
      if key == "radius_m", nearCategory != nil { continue }
      unknown[key] = value
    }
  }

  private static func isIdentifier(_ id: String) -> Bool {
    guard !id.isEmpty, id.utf8.count <= 256 else { return false }
    // Nearly all are plain ASCII, where nothing has to be looked up.
    if id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return true }
    return !id.contains(where: \.isWhitespace)
      && !id.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }

  /// What every reminder, and one of each kind, cannot do without.
  package func checkCompleteness() throws(ReminderError) {
    guard Self.isIdentifier(id) else {
      throw ReminderError(
        field: "id",
        reason: "must be 1 to 256 bytes without white space and control characters; "
          + "leave it out to get one")
    }
    guard !title.isEmpty else {
      throw ReminderError(field: "title", reason: "is missing; say what to be reminded of")
    }
    guard (0...9).contains(priority) else {
      throw ReminderError(field: "priority", reason: "must be a whole number from 0 to 9")
    }
    if let place, !Place.radii.contains(place.radius) {
      throw ReminderError(field: "place.radius_m", reason: "must be 1 to 5000000")
    }
    switch kind {
    case .location:
      guard place != nil || area != nil || nearCategory != nil else {
        throw ReminderError(
          field: "place",
          reason: "is missing; a location reminder needs one with lat and lon, or a region")
      }
      guard place == nil || area == nil else {
        throw ReminderError(
          field: "region", reason: "excludes a place; leave one of the two out")
      }
      guard place == nil || nearCategory == nil else {
        throw ReminderError(
          field: "near_category", reason: "excludes place; give one of them")
      }
      guard nearCategory?.isEmpty != true else {
        throw ReminderError(field: "near_category", reason: "is empty; name a category")
      }
    case .date:
      guard due != nil else {
        throw ReminderError(field: "due", reason: "is missing; a date reminder needs one")
      }
    case .preemptive:
      guard due != nil else {
        throw ReminderError(field: "due", reason: "is missing; a preemptive reminder needs one")
      }
      guard place != nil else {
        throw ReminderError(
          field: "place", reason: "is missing; a preemptive reminder needs to know where to be")
      }
    }
    if area != nil, kind != .location {
      throw ReminderError(
        field: "region", reason: "is for location reminders; leave it out of a \(kind) reminder")
    }
    if kind != .location, nearCategory != nil {
      throw ReminderError(
        field: "near_category", reason: "is for location reminders, not for \(kind.rawValue)")
    }
    if travel != nil, kind != .preemptive {
      throw ReminderError(
        field: "travel_s", reason: "is for preemptive reminders, not for \(kind.rawValue)")
    }
    if repeats, due == nil {
      throw ReminderError(
        field: repeatRule == nil ? "repeat_also" : "repeat",
        reason: "needs a due time to start from")
    }
  }

  /// The contract's JSON shape; fields at their defaults are left out.
  package var json: JSONObject {
    var object = JSONObject([
      "id": .string(id),
      "kind": .string(kind.rawValue),
      "title": .string(title),
      "notes": notes.map { .string($0) },
      "category": category.map { .string($0) },
      "priority": priority == 0 ? nil : .int(priority),
      "place": place.map { .object($0.json) },
      "region": area?.json,
      "width_m": .double(area?.width),
      "near_category": nearCategory.map { .string($0) },
      "radius_m": .double(nearRadius),
      "on": kind == .location ? .string(trigger.rawValue) : nil,
      "dwell_s": kind == .location && trigger == .dwell ? .double(dwell.seconds) : nil,
      "due": due.map { .string($0.description) },
      "lead_s": leadsJSON,
      "nag_s": .double(nag?.seconds),
      "transport": kind == .preemptive ? .string(transport.rawValue) : nil,
      "travel_s": .double(travel?.seconds),
      "repeat": repeatRule.map { .string($0.description) },
      "repeat_also": repeatChanges.additionsJSON,
      "repeat_except": repeatChanges.exceptionsJSON,
      "zone": repeatChanges.zone.map { .string($0.name) },
      "every_visit": everyVisit ? true : nil,
      "cooldown_s": cooldown == .zero ? nil : .double(cooldown.seconds),
      "from": from.map { .string($0.description) },
      "until": until.map { .string($0.description) },
      "hours": hours.map { .string($0.description) },
      "days": days.map { .string($0.description) },
      "max_speed_mps": .double(maximumSpeed),
      "if_inside": ifInside == .wait ? nil : .string(ifInside.rawValue),
      "state": .string(state.rawValue),
      "source": source.map { .object($0.json) },
      "owner": owner.map { .int(Int($0)) },
    ])
    for (key, value) in unknown.members { object[key] = value }
    return object
  }

  /// The members of `json` that have no place of their own in a table; `take(details:)` reads them.
  package var details: JSONObject {
    var details = JSONObject()
    for (key, value) in json.members where !Self.columnFields.contains(key) { details[key] = value }
    return details
  }

  private var leadsJSON: JSONValue? {
    let seconds = leads.compactMap { JSONValue.double($0.seconds) }
    return seconds.count > 1 ? .array(seconds) : seconds.first
  }
}

extension Reminder.Place {
  package var json: JSONObject {
    JSONObject([
      "name": name.map { .string($0) },
      "lat": .double(position.latitude),
      "lon": .double(position.longitude),
      "radius_m": .double(radius),
    ])
  }
}
