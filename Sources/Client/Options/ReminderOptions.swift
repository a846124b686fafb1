import ArgumentParser
import CivilTime
import Control
import Geodesy
import JSONText
import Reminders

extension Reminder.Kind: ExpressibleByArgument {}
extension Reminder.Trigger: ExpressibleByArgument {}
extension Reminder.IfInside: ExpressibleByArgument {}
extension Reminder.Transport: ExpressibleByArgument {}

/// What `add` and `edit` can say of a reminder.
struct ReminderOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Where: a coordinate in any form, or the name of a known place.", valueName: "place"))
  var at: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Any place of this category: the first one that is reached.", valueName: "category"),
    completion: Completions.categories)
  var nearCategory: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How near: 150m (the default), 1.5km, 200ft …", valueName: "length"))
  var radius: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Where: the polygon, or with --width the line, of a GeoJSON file.", valueName: "file"))
  var region: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How wide along a line, from side to side.", valueName: "length"))
  var width: String?

  @Option(help: "What to wait for there.")
  var on: Reminder.Trigger?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long to stay there first; implies --on dwell.", valueName: "span"))
  var dwell: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "When: 2026-11-21 09:30, 09:30, tomorrow 9:00, +20min …", valueName: "time"))
  var due: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "So long before it is due; may be given several times.", valueName: "span"))
  var lead: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Tell it again after so long, 24 times at most, until it is done; \"\" to stop.",
      valueName: "span"))
  var nag: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "When it is time to leave for this place to be there when due.", valueName: "place"))
  var leaveFor: String?

  @Option(help: "How to get there.")
  var by: Reminder.Transport?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long that takes, in place of an estimate: 25min.", valueName: "span"))
  var travel: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Again: daily, weekly, monthly, yearly, hourly, or an RRULE.", valueName: "rule"))
  var `repeat`: String?

  @Flag(inversion: .prefixedNo, help: "On each visit, not on the first alone.")
  var everyVisit: Bool?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Least time between two firings.", valueName: "span"))
  var cooldown: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Not before this time.", valueName: "time"))
  var from: String?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Not after this time.", valueName: "time"))
  var until: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only at these hours: 08:00-18:00.", valueName: "hours"))
  var hours: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only on these days: mon..fri, sat,sun.", valueName: "days"))
  var days: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Not while faster: 5 (m/s), 20km/h, 10kn, 30mph.", valueName: "speed"))
  var maxSpeed: String?

  @Option(
    parsing: .unconditional, help: "A category of your own.", completion: Completions.categories)
  var category: String?

  @Option(help: ArgumentHelp("1 is the most urgent, 9 the least.", valueName: "1-9"))
  var priority: Int?

  @Option(parsing: .unconditional, help: "More words.")
  var notes: String?

  @Option(help: "What to do where you are there already.")
  var ifInside: Reminder.IfInside?

  func validate() throws {
    let places = [
      ("--at", at), ("--near-category", nearCategory), ("--region", region),
      ("--leave-for", leaveFor),
    ].filter { $0.1 != nil }
    if places.count > 1 {
      throw ValidationError(
        "\(places[0].0) and \(places[1].0) exclude each other; give one of them")
    }
    if radius != nil, region != nil {
      throw ValidationError("--radius goes with --at; a line of --region has a --width")
    }
    if let on, let dwell, !dwell.isEmpty, on != .dwell {
      throw ValidationError("--dwell goes with --on dwell, not with --on \(on.rawValue)")
    }
  }

  /// What a new reminder cannot do without.
  func checkCompleteness() throws {
    let isThere = at != nil || nearCategory != nil || region != nil
    if !isThere, leaveFor == nil, due == nil {
      throw ValidationError(
        "say where (--at, --near-category or --region), when (--due) or where to be when "
          + "(--leave-for with --due)")
    }
    if leaveFor != nil, due == nil { throw ValidationError("--leave-for needs --due") }
    if travel != nil, leaveFor == nil { throw ValidationError("--travel needs --leave-for") }
    if by != nil, leaveFor == nil { throw ValidationError("--by needs --leave-for") }
    if !isThere, on != nil || dwell != nil || ifInside != nil || everyVisit != nil {
      throw ValidationError(
        "--on, --dwell, --every-visit and --if-inside need --at, --near-category or --region")
    }
    if width != nil, region == nil { throw ValidationError("--width needs --region") }
    if !isThere, leaveFor == nil, radius != nil { throw ValidationError("--radius needs --at") }
    if `repeat` != nil, due == nil { throw ValidationError("--repeat needs --due to start from") }
  }

  /// The members that were given. An empty text takes a member away (null).
  /// - Parameter old: the reminder to change, for what refers to it.
  func members(in context: Context, changing old: JSONObject? = nil) throws -> JSONObject {
    var object = JSONObject()
    if at != nil || nearCategory != nil || region != nil {
      object["kind"] = .string(Reminder.Kind.location.rawValue)
    } else if leaveFor != nil {
      object["kind"] = .string(Reminder.Kind.preemptive.rawValue)
    }
    try setPlace(in: &object, changing: old)
    try setRegion(in: &object)
    object["on"] = on.map { .string($0.rawValue) } ?? (dwell?.isEmpty == false ? "dwell" : nil)
    object["dwell_s"] = try seconds(dwell, "--dwell")
    object["due"] = try stamp(due, "--due", context)
    let leads = try lead.filter { !$0.isEmpty }.compactMap { try seconds($0, "--lead") }
    if !lead.isEmpty {
      object["lead_s"] = leads.isEmpty ? .null : leads.count == 1 ? leads[0] : .array(leads)
    }
    if let nag { object["nag_s"] = try nag.isEmpty ? .null : seconds(nag, "--nag") }
    if let by {
      object["transport"] = .string(by.rawValue)
    } else if leaveFor != nil, old?["place"] == nil {
      object["transport"] = .string(Reminder.Transport.driving.rawValue)
    }
    object["travel_s"] = try seconds(travel, "--travel")
    object["repeat"] = try read(`repeat`, "--repeat") { try RepeatRule(parsing: $0).description }
    object["every_visit"] = everyVisit.map { .bool($0) }
    object["cooldown_s"] = try seconds(cooldown, "--cooldown")
    object["from"] = try stamp(from, "--from", context)
    object["until"] = try stamp(until, "--until", context)
    object["hours"] = try read(hours, "--hours") { try HourRange(parsing: $0).description }
    object["days"] = try read(days, "--days") { try WeekdaySet(parsing: $0).description }
    if let maxSpeed {
      object["max_speed_mps"] = maxSpeed.isEmpty ? .null : .double(try Speed.parse(maxSpeed))
    }
    object["category"] = category.map { $0.isEmpty ? .null : .string($0) }
    object["priority"] = priority.map { .int($0) }
    object["notes"] = notes.map { $0.isEmpty ? .null : .string($0) }
    object["if_inside"] = ifInside.map { .string($0.rawValue) }
    return object
  }

  private func setPlace(in object: inout JSONObject, changing old: JSONObject?) throws {
    let metres = try radius.map { try Self.length($0, option: "--radius") }
    if let text = at ?? leaveFor {
      switch try PlaceArgument(text, option: at == nil ? "--leave-for" : "--at") {
      case .coordinate(let position):
        object["place"] = .object(
          JSONObject([
            "lat": .double(position.latitude), "lon": .double(position.longitude),
            "radius_m": .double(metres),
          ]))
      case .name(let name):
        object["place"] = .string(name)
        object["radius_m"] = .double(metres)
      }
      if old?["near_category"] != nil { object["near_category"] = .null }
    } else if let nearCategory {
      object["near_category"] = .string(nearCategory)
      object["radius_m"] = .double(metres)
      if old?["place"] != nil { object["place"] = .null }
    } else if let metres, old?["near_category"] != nil {
      object["radius_m"] = .double(metres)
    } else if let metres, var place = old?["place"]?.object {
      place["radius_m"] = .double(metres)
      object["place"] = .object(place)
    } else if metres != nil {
      throw ValidationError("--radius needs --at")
    }
  }

  /// A region takes the place of a place, and the other way round.
  private func setRegion(in object: inout JSONObject) throws(Failure) {
    let metres = try width.map { text throws(Failure) in
      try Self.length(text, option: "--width")
    }
    if let region {
      let area = try RegionFile.read(region, width: metres)
      object["region"] = area.json
      object["width_m"] = area.width.flatMap { .double($0) } ?? .null
      object["place"] = .null
    } else if at != nil || leaveFor != nil {
      object["region"] = .null
      object["width_m"] = .null
    } else if let metres {
      object["width_m"] = .double(metres)
    }
  }

  /// Says of an unknown name that it is a place's that is unknown, and which one may be meant.
  func namingPlace(
    _ daemon: DaemonConnection, _ call: () throws -> JSONObject
  ) throws -> JSONObject {
    do {
      return try call()
    } catch let error as VarlinkError {
      guard let name = at ?? leaveFor, GeoremindError(error) == .notFound(id: name) else {
        throw error
      }
      let hint = Suggestions.place(like: name, daemon).map { "did you mean '\($0)'? Else " } ?? ""
      throw Failure(
        .badData,
        "there is no place '\(name)'; \(hint)make it known with 'georemind place add', "
          + "or give a coordinate")
    }
  }

  static func length(_ text: String, option: String) throws(Failure) -> Double {
    do throws(LengthError) {
      return try Length.metres(parsing: text)
    } catch {
      throw Failure(.badData, "\(option) '\(text)': \(error)")
    }
  }

  private func seconds(_ text: String?, _ option: String) throws(Failure) -> JSONValue? {
    guard let text, !text.isEmpty else { return text.map { _ in .null } }
    do throws(TimeSpanError) {
      return .double(try TimeSpan(parsing: text).seconds)
    } catch {
      throw Failure(.badData, "\(option): \(error)")
    }
  }

  private func stamp(
    _ text: String?, _ option: String, _ context: Context
  ) throws(Failure) -> JSONValue? {
    guard let text, !text.isEmpty else { return text.map { _ in .null } }
    return .string(try context.stamp(text, option: option).description)
  }

  private func read(
    _ text: String?, _ option: String, _ parse: (String) throws -> String
  ) throws(Failure) -> JSONValue? {
    guard let text, !text.isEmpty else { return text.map { _ in .null } }
    do {
      return .string(try parse(text))
    } catch {
      throw Failure(.badData, "\(option): \(error)")
    }
  }
}

/// Speeds as people type them.
enum Speed {
  private static let units: [(name: String, metresPerSecond: Double)] = [
    ("km/h", 1 / 3.6), ("kmh", 1 / 3.6), ("kph", 1 / 3.6), ("m/s", 1), ("mph", 0.447_04),
    ("knots", 1852.0 / 3600), ("kn", 1852.0 / 3600), ("kt", 1852.0 / 3600), ("", 1),
  ]

  /// Metres a second unless a unit follows.
  static func parse(_ text: String) throws(Failure) -> Double {
    let digits = text.drop { $0 == " " }.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = text[digits.endIndex...].filter { $0 != " " }.lowercased()
    guard let value = Double(digits), value >= 0,
      let factor = units.first(where: { $0.name == unit })?.metresPerSecond
    else {
      throw Failure(
        .badData, "--max-speed '\(text)' is not a speed; write it like 5 (m/s), 20km/h or 10kn")
    }
    return Decimal.rounded(value * factor, digits: 4)
  }
}
