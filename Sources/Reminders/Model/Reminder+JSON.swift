import Bytes
package import CivilTime
import Departure
import Geodesy
import Geofencing
package import JSONText

/// An invalid field of a document and its fault.
package struct ReminderError: Error, Equatable, CustomStringConvertible {
  package let field: String
  package let reason: String

  package init(field: String, reason: String) {
    self.field = field
    self.reason = reason
  }

  package var description: String { field.isEmpty ? reason : "\(field): \(reason)" }
}

extension Reminder {
  /// Fields with a column of their own in the store.
  private static let columnFields: Set<String> = [
    "id", "kind", "title", "category", "priority", "place", "due", "transport", "state",
  ]

  /// Reads the contract's JSON shape. A document without `id` gets `newID`.
  package init(json: JSONObject, newID: @autoclosure () -> String = "") throws(ReminderError) {
    self.init(id: "", kind: .date, title: "")
    try take(details: json)
    func has(_ key: String) -> Bool { json[key] ?? .null != .null }
    if !has("id") { id = newID() }
    if !has("kind") {
      kind =
        has("transport")
        ? .preemptive
        : has("place") || has("near_category") || has("region") || trigger == .silent
          ? .location : .date
    }
    try checkCompleteness()
  }

  /// Reads the members of a document and leaves other fields unchanged.
  package mutating func take(details json: JSONObject) throws(ReminderError) {
    for (key, value) in json.members {
      guard let field = ReminderField.byKey[key] else {
        unknown[key] = value
        continue
      }
      if case .null = value { continue }
      do throws(ReminderError) {
        try field.read(&self, value, json)
      } catch {
        throw error.inside(key)
      }
    }
  }

  private static func isIdentifier(_ id: String) -> Bool {
    guard !id.isEmpty, id.utf8.count <= 256 else { return false }
    // Fast path: nearly all ids are ASCII.
    if id.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { return true }
    return !id.contains(where: \.isWhitespace)
      && !id.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }

  /// Checks the fields that every reminder, or its kind, requires.
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
      throw ReminderError(field: "place.radius_m", reason: Place.radiusRule)
    }
    switch kind {
    case .location where trigger == .silent:
      guard place == nil, area == nil, nearCategory == nil else {
        throw ReminderError(
          field: "on", reason: "silent is about no place; leave the place out, or \"on\" absent")
      }
    case .location:
      guard trigger != .absent || due != nil else {
        throw ReminderError(field: "due", reason: "is missing; \"on\" absent needs one")
      }
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
    case .date, .preemptive:
      guard due != nil else {
        throw ReminderError(field: "due", reason: "is missing; a \(kind) reminder needs one")
      }
      guard kind == .date || place != nil else {
        throw ReminderError(
          field: "place", reason: "is missing; a preemptive reminder needs to know where to be")
      }
    }
    let others: [(field: String, isSet: Bool, kind: Kind)] = [
      ("region", area != nil, .location), ("near_category", nearCategory != nil, .location),
      ("travel_s", travel != nil, .preemptive),
    ]
    for other in others where other.isSet && other.kind != kind {
      throw ReminderError(
        field: other.field,
        reason: "is for \(other.kind) reminders; leave it out of a \(kind) reminder")
    }
    if repeats, due == nil {
      throw ReminderError(
        field: repeatRule == nil ? "repeat_also" : "repeat",
        reason: "needs a due time to start from")
    }
  }

  /// Fields that its kind cannot honour, and members that are no fields; a stored reminder may
  /// have some.
  package var ignoredFields: [String] { ignored.map(\.field) + unknownNames }

  /// Names of members that no field has. Names that begin with `x` are the user's own.
  package var unknownNames: [String] {
    unknown.members.map(\.key).filter { !$0.hasPrefix("x") && ReminderField.byKey[$0] == nil }
  }

  /// The members that seem to be a misspelled field: without it the reminder would fire in cases
  /// that the user excluded.
  private var misspellings: [ReminderError] {
    unknownNames.compactMap { name in
      NearestWord.find(name, in: ReminderField.longNames).map {
        ReminderError(
          field: name,
          reason: "is no field; did you mean '\($0)'? A field of your own begins with x_")
      }
    }
  }

  /// Checks that no member is a misspelled field.
  package func checkNames() throws(ReminderError) {
    if let misspelling = misspellings.first { throw misspelling }
  }

  /// The same, with the reasons.
  var ignored: [ReminderError] {
    var found = (ReminderField.refused[kind] ?? []).filter { $0.0.isSet(self) }.map {
      ReminderError(field: $0.key, reason: "does not go with a \(kind) reminder: \($1)")
    }
    if kind == .location, [.arrive, .absent].contains(trigger), dwell != nil {
      found.append(
        ReminderError(field: "dwell_s", reason: "goes with \"on\" dwell, depart or silent"))
    }
    return found
  }

  /// The faults of its combination of conditions.
  private func conflicts(in zone: TimeZoneRules) -> [ReminderError] {
    var found = misspellings + ignored
    let window = Window(self, in: zone)
    let due = due?.instant(in: zone)
    for (name, other) in [("due", due), ("from", window.from)] {
      if let until = window.until, let other, until < other {
        found.append(
          ReminderError(field: "until", reason: "is before '\(name)': it could never ring"))
      }
    }
    if kind != .location || trigger == .absent, !repeats, let due, !window.admitsDay(of: due) {
      let day = window.day(of: due).weekday.name
      found.append(
        ReminderError(field: "days", reason: "excludes the \(day) on which it is due"))
    }
    if isOverWhenDue(in: zone) {
      found.append(
        ReminderError(field: "hours", reason: "are over when it is due: it could never ring"))
    }
    if let maximumSpeed, let minimumSpeed, maximumSpeed < minimumSpeed {
      found.append(
        ReminderError(
          field: "max_speed_ms", reason: "is below the minimum speed: it could never ring"))
    }
    if trigger == .absent, everyVisit {
      found.append(
        ReminderError(
          field: "every_visit", reason: "does not go with \"on\" absent: there is no visit"))
    }
    if isAboutSeveral { found += conflictsOfSeveral }
    if isAnchorWatch, !watchesAnchor {
      found.append(
        ReminderError(
          field: "anchor_watch", reason: "goes with a place, not a region, and \"on\" depart"))
    }
    if nagLimit != nil, nag == nil {
      found.append(ReminderError(field: "nag_limit", reason: "goes with nag_s"))
    }
    return found
  }

  /// Several trackers have no common way, course and silence.
  private var conflictsOfSeveral: [ReminderError] {
    let other = "; name one tracker, or add a reminder for each"
    var found: [ReminderError] = []
    if kind == .preemptive || trigger == .silent || isAnchorWatch {
      found.append(ReminderError(field: "who", reason: "must be one tracker here\(other)"))
    }
    for field in ReminderField.motionFields where field.isSet(self) {
      found.append(
        ReminderError(field: field.key, reason: "does not go with several trackers\(other)"))
    }
    return found
  }

  /// Whether its hours are over at each due time of a place: those hold for their day alone.
  private func isOverWhenDue(in zone: TimeZoneRules) -> Bool {
    guard kind == .location, let hours, let due, let repeatRule, repeatRule.keepsTimeOfDay,
      repeatChanges.additions.isEmpty, repeatChanges.zone == nil
    else { return false }
    let local =
      if case .floating(let reading) = due { reading } else {
        zone.localDateTime(at: due.instant(in: zone))
      }
    return hours.nextOpening(from: local).date > local.date
  }

  /// Checks that its conditions can hold.
  /// - Parameter old: the reminder before a change; what was wrong with it already is accepted.
  package func checkConditions(
    in zone: TimeZoneRules, changing old: Reminder? = nil
  ) throws(ReminderError) {
    let known = old?.conflicts(in: zone) ?? []
    if let conflict = conflicts(in: zone).first(where: { !known.contains($0) }) { throw conflict }
  }

  /// The contract's JSON shape; fields at their defaults are left out.
  package var json: JSONObject { json { _ in true } }

  /// The members of `json` without a column of their own; `take(details:)` reads them.
  package var details: JSONObject { json { !Self.columnFields.contains($0) } }

  private func json(where isPrinted: (String) -> Bool) -> JSONObject {
    var object = JSONObject()
    for field in ReminderField.all where isPrinted(field.key) {
      if let value = field.print(self) { object[field.key] = value }
    }
    for (key, value) in unknown.members { object[key] = value }
    return object
  }
}

extension Reminder.Place {
  init(json: JSONValue) throws(ReminderError) {
    guard let object = json.object else { throw .wrong("an object with lat and lon", json) }
    let latitude = try object.member("lat", .number(-90...90))
    let longitude = try object.member("lon", .number(-180...180))
    let radius = try object.member("radius_m", .number(Self.radii))
    guard let latitude else { throw ReminderError(field: ".lat", reason: "is missing") }
    guard let longitude else { throw ReminderError(field: ".lon", reason: "is missing") }
    guard let position = Coordinate(latitude: latitude, longitude: longitude) else {
      throw ReminderError(field: ".lat", reason: "is no coordinate")
    }
    self.init(
      name: try object.member("name", .line), position: position,
      radius: radius ?? Self.defaultRadius)
  }

  package var json: JSONObject {
    JSONObject([
      "name": name.map { .string($0) },
      "lat": .double(position.latitude),
      "lon": .double(position.longitude),
      "radius_m": .double(radius),
    ])
  }
}
