import CivilTime
import Geodesy
import Reminders

/// A VALARM (RFC 5545 section 3.6.6, RFC 9074) as far as reminders go.
struct CalendarAlarm {
  enum Trigger: Equatable {
    /// Relative to the beginning (of a task without one, to what it is due).
    case start(CalendarSpan)
    /// Relative to the end, or to when a task is due.
    case end(CalendarSpan)
    case absolute(Instant)
    /// At a place, when it is reached or left; any of several.
    case proximity(Reminder.Trigger, [Reminder.Place])
    /// Not by time or place: a car, a disabled alarm or an email.
    case none
    /// By a time that cannot be read.
    case unknown
  }

  let trigger: Trigger
  /// Names it for `RELATED-TO`.
  let uid: String?
  /// When it was dealt with (RFC 9074 section 6.1).
  let acknowledged: Instant?
  /// The alarm that this one puts off (RFC 9074 section 5).
  let snoozed: String?
  /// Number of repetitions, each `interval` after the last.
  let repetitions: Int
  let interval: CalendarSpan
  let line: Int

  /// Whether it needs a time of its item.
  var isRelative: Bool {
    switch trigger {
    case .start, .end: true
    case .absolute, .proximity, .none, .unknown: false
    }
  }

  /// "No time": what Apple's programs write, and RFC 9074's examples with them.
  static let sentinel = "19760401T005545Z"

  /// Limit against hostile files.
  private static let maximumRepetitions = 16

  /// - Parameter leftOut: gets what cannot be read; the alarm itself then has no time.
  init(_ component: CalendarComponent, _ zones: CalendarZones, _ leftOut: inout [Refusal]) {
    line = component.line
    uid = (component["UID"] ?? component["X-WR-ALARMUID"])?.text
    acknowledged = component["ACKNOWLEDGED"]?.read(&leftOut, CalendarValue.instant)
    let relation = component.properties("RELATED-TO").first {
      $0["RELTYPE"]?.uppercased() == "SNOOZE"
    }
    snoozed = relation?.text
    let count = component["REPEAT"]?.read(&leftOut, CalendarValue.count) ?? 0
    let span = component["DURATION"]?.read(&leftOut, CalendarValue.span)
    interval = span ?? .zero
    repetitions = interval == .zero ? 0 : max(0, min(count, Self.maximumRepetitions))
    if count > 0, span == .zero || component["DURATION"] == nil {
      leftOut.add(component.line, "an alarm with REPEAT and no DURATION rings once")
    }
    let isByPlace = component["PROXIMITY"] != nil || component["X-APPLE-PROXIMITY"] != nil
    var places: [Refusal] = []
    trigger =
      component.read(&leftOut) { (alarm) throws(Fault) in
        try Self.trigger(alarm, zones, &places)
      } ?? (isByPlace ? .none : .unknown)
    leftOut += places
  }

  private static func trigger(
    _ component: CalendarComponent, _ zones: CalendarZones, _ leftOut: inout [Refusal]
  ) throws(Fault) -> Trigger {
    switch component["ACTION"]?.value.uppercased() {
    case "EMAIL", "PROCEDURE", "NONE": return .none
    default: break
    }
    if let proximity = component["PROXIMITY"] ?? component["X-APPLE-PROXIMITY"] {
      let places = try CalendarPlaces.all(in: component, &leftOut)
      switch proximity.value.trimmedText(limit: 40).uppercased() {
      case "ARRIVE": return .proximity(.arrive, places)
      case "DEPART": return .proximity(.depart, places)
      // `CalendarProperties` names them.
      case "CONNECT", "DISCONNECT": return .none
      default:
        throw Fault(
          "\(proximity.name) '\(proximity.value.shownInMessage)' is neither ARRIVE nor DEPART",
          line: proximity.number)
      }
    }
    guard let trigger = component["TRIGGER"] else {
      throw Fault("the alarm has no TRIGGER", line: component.line)
    }
    let isTime = trigger["VALUE"]?.uppercased() == "DATE-TIME"
    if isTime || trigger.value.first?.isNumber == true {
      if trigger.value == sentinel { return .none }
      switch try CalendarValue.time(trigger, zones).stamp {
      case .absolute(let instant): return .absolute(instant)
      case .floating:
        throw Fault("a TRIGGER that is a time is in UTC, with a Z behind it", line: trigger.number)
      }
    }
    let span = try CalendarValue.span(trigger)
    return trigger["RELATED"]?.uppercased() == "END" ? .end(span) : .start(span)
  }
}

/// Positions in a component: what Apple's programs write, and RFC 9073 and 9074.
enum CalendarPlaces {
  /// The places of a component's structured locations and of its VLOCATIONs.
  /// - Parameter leftOut: gets the VLOCATIONs that cannot be read, if there is another place.
  static func all(
    in component: CalendarComponent, _ leftOut: inout [Refusal]
  ) throws(Fault) -> [Reminder.Place] {
    var places: [Reminder.Place] = []
    // Some servers cut the value at its comma: that is an error only where nothing else says where.
    var damage: Fault?
    for line in component.properties("X-APPLE-STRUCTURED-LOCATION") {
      do throws(Fault) {
        if let place = try structured(line) { places.append(place) }
      } catch {
        damage = error
      }
    }
    // A writer may give the same place in both forms, so that each reader finds its own.
    var unread: [Refusal] = []
    for component in component.components("VLOCATION").prefix(maximumPlaces) {
      do throws(Fault) {
        guard let place = try location(component),
          !places.contains(where: { $0.position == place.position })
        else { continue }
        places.append(place)
      } catch {
        damage = damage ?? error
        unread.append(Refusal(line: error.line ?? component.line, reason: error.reason))
      }
    }
    if places.isEmpty, let damage { throw damage }
    leftOut += unread
    return places
  }

  /// The place of an event or task itself.
  static func own(of component: CalendarComponent) throws(Fault) -> Reminder.Place? {
    var unread: [Refusal] = []
    if let place = try all(in: component, &unread).first { return place }
    return try component["GEO"].map { (line) throws(Fault) in
      place(component["LOCATION"]?.text, try geo(line), nil)
    }
  }

  private static let maximumPlaces = 100

  /// `X-APPLE-STRUCTURED-LOCATION;X-APPLE-RADIUS=100;X-TITLE=Home:geo:52.5,13.4`
  private static func structured(_ line: ContentLine) throws(Fault) -> Reminder.Place? {
    guard let (position, uncertainty) = try geoURI(line) else { return nil }
    let radius = line["X-APPLE-RADIUS"].flatMap { Double($0) }
    return place(line["X-TITLE"] ?? line["X-ADDRESS"], position, radius ?? uncertainty)
  }

  private static func location(_ component: CalendarComponent) throws(Fault) -> Reminder.Place? {
    let name = (component["NAME"] ?? component["DESCRIPTION"])?.text
    for property in ["URL", "COORDINATES"] {
      if let line = component[property], let (position, uncertainty) = try geoURI(line) {
        return place(name, position, uncertainty)
      }
    }
    return try component["GEO"].map { (line) throws(Fault) in place(name, try geo(line), nil) }
  }

  private static func place(
    _ name: String?, _ position: Coordinate, _ radius: Double?
  ) -> Reminder.Place {
    let radii = Reminder.Place.radii
    let known = radius.flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
    return Reminder.Place(
      name: name?.oneLine(limit: 200), position: position,
      radius: known.map { min(max($0, radii.lowerBound), radii.upperBound) }
        ?? Reminder.Place.defaultRadius)
  }

  /// nil for another kind of URI, such as a map; an invalid geo URI is an error.
  private static func geoURI(
    _ line: ContentLine
  ) throws(Fault) -> (position: Coordinate, uncertainty: Double?)? {
    let text = line.text.trimmedText(limit: 2_000)
    guard text.lowercased().hasPrefix("geo:") else { return nil }
    do {
      let parsed = try ParsedCoordinate(parsing: text)
      return (parsed.coordinate, parsed.uncertainty)
    } catch {
      // The error may go to the journal, which must not contain positions.
      throw Fault("the position of \(line.name) is wrong \(error)", line: line.number)
    }
  }

  /// `52.52;13.405` (RFC 5545 section 3.8.1.6); a comma stands in some files.
  private static func geo(_ line: ContentLine) throws(Fault) -> Coordinate {
    let parts = line.text.split { $0 == ";" || $0 == "," }
    guard parts.count == 2, let latitude = Double(parts[0].filter { $0 != " " }),
      let longitude = Double(parts[1].filter { $0 != " " }),
      let position = Coordinate(latitude: latitude, longitude: longitude)
    else {
      throw Fault("GEO is no position; write latitude;longitude in degrees", line: line.number)
    }
    return position
  }
}
