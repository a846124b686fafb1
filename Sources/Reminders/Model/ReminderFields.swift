import CivilTime
import Geodesy
import Geofencing
import JSONText

/// Typed access to the fields of one document. A null is a field that is not there.
struct ReminderFields {
  private var values: [String: JSONValue] = [:]

  init(object: JSONObject) {
    for (key, value) in object.members { values[key] = value }
  }

  func value(_ name: String) -> JSONValue? {
    guard let value = values[name], value != .null else { return nil }
    return value
  }

  private func fault(_ name: String, _ wanted: String, _ value: JSONValue) -> ReminderError {
    ReminderError(field: name, reason: "must be \(wanted), not \(value.kind)")
  }

  func text(_ name: String) throws(ReminderError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.string else { throw fault(name, "a text", value) }
    guard text.utf8.count <= Self.longestText else {
      throw ReminderError(field: name, reason: "is longer than 16 KiB")
    }
    return text
  }

  func flag(_ name: String) throws(ReminderError) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let flag = value.bool else { throw fault(name, "true or false", value) }
    return flag
  }

  func number(_ name: String, in range: ClosedRange<Double>) throws(ReminderError) -> Double? {
    guard let value = value(name) else { return nil }
    guard let number = value.double else { throw fault(name, "a number", value) }
    guard range.contains(number) else {
      throw ReminderError(
        field: name,
        reason: "must be \(Self.plain(range.lowerBound)) to \(Self.plain(range.upperBound)), "
          + "not \(Self.plain(number))")
    }
    return number
  }

  func whole(_ name: String, in range: ClosedRange<Int>) throws(ReminderError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let number = value.int, range.contains(number) else {
      throw ReminderError(
        field: name,
        reason: "must be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The longest title, note or name that is taken, in bytes.
  private static let longestText = 16_384

  private static let longestSpan = 100.0 * 366 * 86_400

  func span(_ name: String) throws(ReminderError) -> TimeSpan? {
    try number(name, in: 0...Self.longestSpan).map { TimeSpan(seconds: $0) }
  }

  func spans(_ name: String) throws(ReminderError) -> [TimeSpan] {
    guard let value = value(name) else { return [] }
    guard let list = value.array else { return try span(name).map { [$0] } ?? [] }
    guard list.count <= 32 else {
      throw ReminderError(field: name, reason: "has more than 32 entries")
    }
    var result: [TimeSpan] = []
    for entry in list {
      guard let seconds = entry.double, seconds >= 0, seconds <= Self.longestSpan else {
        throw ReminderError(field: name, reason: "must be a number of seconds or a list of them")
      }
      result.append(TimeSpan(seconds: seconds))
    }
    return result
  }

  func choice<Choice>(_ name: String) throws(ReminderError) -> Choice?
  where Choice: RawRepresentable & CaseIterable, Choice.RawValue == String {
    guard let text = try text(name) else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let all = Choice.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
      throw ReminderError(field: name, reason: "must be one of \(all), not \"\(text)\"")
    }
    return choice
  }

  func parsed<Value>(
    _ name: String, by parse: (String) throws -> Value
  ) throws(ReminderError)
    -> Value?
  {
    guard let text = try text(name) else { return nil }
    do {
      return try parse(text)
    } catch {
      throw ReminderError(field: name, reason: "\(error)")
    }
  }

  func stamp(_ name: String) throws(ReminderError) -> TimeStamp? {
    try parsed(name) { try TimeStamp(parsing: $0) }
  }

  func repeatChanges() throws(ReminderError) -> RepeatChanges {
    var changes = RepeatChanges()
    for (text, stamp) in try stamps("repeat_also") {
      guard text.utf8.count > 10 else {
        throw ReminderError(field: "repeat_also", reason: "needs times, not dates: \(text)")
      }
      changes.additions.append(stamp)
    }
    for (text, stamp) in try stamps("repeat_except") {
      // A date alone takes out the whole day.
      if text.utf8.count == 10, case .floating(let local) = stamp {
        changes.exceptionDays.append(local.date)
      } else {
        changes.exceptions.append(stamp)
      }
    }
    if let name = try text("zone") {
      guard let zone = NamedZone.find(name) else {
        throw ReminderError(
          field: "zone", reason: "must be a time zone such as Europe/Berlin, not \"\(name)\"")
      }
      changes.zone = zone
    }
    return changes
  }

  private func stamps(
    _ name: String
  ) throws(ReminderError) -> [(text: String, stamp: TimeStamp)] {
    guard let value = value(name) else { return [] }
    guard let list = value.array, list.count <= RepeatChanges.mostTimes else {
      throw ReminderError(
        field: name, reason: "must be a list of at most \(RepeatChanges.mostTimes) times")
    }
    var stamps: [(String, TimeStamp)] = []
    for entry in list {
      guard let text = entry.string else { throw fault(name, "a list of times", value) }
      do {
        stamps.append((text, try TimeStamp(parsing: text)))
      } catch {
        throw ReminderError(field: name, reason: "\(error)")
      }
    }
    return stamps
  }

  func source(_ name: String) throws(ReminderError) -> Reminder.Source? {
    guard let value = value(name) else { return nil }
    guard let object = value.object else { throw fault(name, "an object with file", value) }
    let fields = ReminderFields(object: object)
    do throws(ReminderError) {
      guard let file = try fields.text("file") else {
        throw ReminderError(field: "file", reason: "is missing")
      }
      return Reminder.Source(file: file, standing: try fields.text("standing") ?? "")
    } catch {
      throw ReminderError(field: "\(name).\(error.field)", reason: error.reason)
    }
  }

  func place(_ name: String) throws(ReminderError) -> Reminder.Place? {
    guard let value = value(name) else { return nil }
    guard let object = value.object else {
      throw fault(name, "an object with lat and lon", value)
    }
    let fields = ReminderFields(object: object)
    do throws(ReminderError) {
      guard let latitude = try fields.number("lat", in: -90...90) else {
        throw ReminderError(field: "lat", reason: "is missing")
      }
      guard let longitude = try fields.number("lon", in: -180...180) else {
        throw ReminderError(field: "lon", reason: "is missing")
      }
      guard let position = Coordinate(latitude: latitude, longitude: longitude) else {
        throw ReminderError(field: "lat", reason: "is no coordinate")
      }
      let radius = try fields.number("radius_m", in: Reminder.Place.radii)
      return Reminder.Place(
        name: try fields.text("name"), position: position,
        radius: radius ?? Reminder.Place.defaultRadius)
    } catch {
      throw ReminderError(field: "\(name).\(error.field)", reason: error.reason)
    }
  }

  func area() throws(ReminderError) -> Reminder.Area? {
    let width = try number("width_m", in: Corridor.widths)
    guard let region = value("region") else {
      guard width == nil else {
        throw ReminderError(field: "width_m", reason: "needs a region that is a line")
      }
      return nil
    }
    return try Reminder.Area(geoJSON: region, width: width)
  }

  private static func plain(_ number: Double) -> String { JSONNumber(number)?.text ?? "\(number)" }
}
