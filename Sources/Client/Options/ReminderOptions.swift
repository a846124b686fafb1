import ArgumentParser
import CivilTime
import Companion
import Control
import Departure
import Geodesy
import JSONText
import Reminders

extension Reminder.Kind: ExpressibleByArgument {}
extension Reminder.Transport: ExpressibleByArgument {}

/// Options of `add` and `edit`; the table of fields gives names, help and values.
struct ReminderOptions: ParsableArguments {
  @Option("at", completion: Completions.places) var at: TypedField?
  @Option("near-category", completion: Completions.categories) var nearCategory: TypedField?
  @Option("radius") var radius: TypedField?
  @Option("region") var region: TypedField?
  @Option("width") var width: TypedField?
  @Option("on") var on: TypedField?
  @Option("dwell") var dwell: TypedField?
  @Option("due", completion: Completions.times) var due: TypedField?
  @Option("lead") var lead: [TypedField]
  @Option("nag") var nag: TypedField?
  @Option("nag-limit") var nagLimit: TypedField?
  @Option("leave-for", completion: Completions.places) var leaveFor: TypedField?
  @Option("by") var by: TypedField?
  @Option("travel") var travel: TypedField?
  @Option("who") var who: TypedField?
  @Option("for") var `for`: TypedField?
  @Option("repeat", completion: Completions.repeats) var `repeat`: TypedField?
  @Flag("every-visit") var everyVisit: Bool?
  @Option("cooldown") var cooldown: TypedField?
  @Option("from", completion: Completions.times) var from: TypedField?
  @Option("until", completion: Completions.times) var until: TypedField?
  @Option("hours") var hours: TypedField?
  @Option("days") var days: TypedField?
  @Option("max-speed") var maxSpeed: TypedField?
  @Option("min-speed") var minSpeed: TypedField?
  @Option("heading") var heading: TypedField?
  @Option("category", completion: Completions.categories) var category: TypedField?
  @Option("priority") var priority: TypedField?
  @Option("notes") var notes: TypedField?
  @Option("if-inside") var ifInside: TypedField?

  func validate() throws {
    let places = [at, nearCategory, region, leaveFor].compactMap { $0 }
    if places.count > 1 {
      throw ValidationError(
        "\(places[0].option) and \(places[1].option) exclude each other; give one of them")
    }
    if radius != nil, region != nil {
      throw ValidationError("--radius goes with --at; a line of --region has a --width")
    }
    if let on, dwell?.text.isEmpty == false, on.text == Reminder.Trigger.arrive.rawValue {
      throw ValidationError("--dwell goes with --on dwell or depart, not with --on \(on.text)")
    }
  }

  private var isThere: Bool { at != nil || nearCategory != nil || region != nil || isSilence }

  private var isSilence: Bool { on?.text == Reminder.Trigger.silent.rawValue }

  /// Whether a time, a repeat or a place is given.
  var saysWhen: Bool { isThere || leaveFor != nil || due != nil || `repeat` != nil }

  /// Whether it is a time to leave without a time to be there.
  var lacksTimeToLeave: Bool { leaveFor != nil && due == nil && `repeat` == nil }

  /// Checks that a new reminder has all required settings.
  func checkCompleteness() throws {
    let faults: [(isPresent: Bool, text: String)] = [
      (
        !saysWhen,
        "say where (--at, --near-category or --region), when (--due) or where to be when "
          + "(--leave-for with --due)"
      ), (lacksTimeToLeave, "--leave-for needs --due"),
      (travel != nil && leaveFor == nil, "--travel needs --leave-for"),
      (by != nil && leaveFor == nil, "--by needs --leave-for"),
      (
        !isThere && (on != nil || dwell != nil || ifInside != nil || everyVisit != nil),
        "--on, --dwell, --every-visit and --if-inside need --at, --near-category or --region"
      ), (width != nil && region == nil, "--width needs --region"),
      (!isThere && leaveFor == nil && radius != nil, "--radius needs --at"),
    ]
    for fault in faults where fault.isPresent { throw ValidationError(fault.text) }
  }

  /// Replaces `here` by the current fix, and `sunset` and `sunrise` by the next one here.
  mutating func locateHere(_ options: CommonOptions, _ context: Context) throws {
    at = try at?.located(options, context)
    leaveFor = try leaveFor?.located(options, context)
    due = try due?.timed(options, context)
    from = try from?.timed(options, context)
    until = try until?.timed(options, context)
  }

  /// The given members; an empty text removes a member (null).
  /// - Parameters:
  ///   - old: the reminder to change, for relative values.
  ///   - daemon: asked for its zone where `old` has a time by its clocks.
  func members(
    in context: Context, changing old: JSONObject? = nil, daemon: DaemonConnection? = nil
  ) throws -> JSONObject {
    var object = JSONObject()
    if isThere {
      object["kind"] = .string(Reminder.Kind.location.rawValue)
    } else if leaveFor != nil {
      object["kind"] = .string(Reminder.Kind.preemptive.rawValue)
    }
    try setPlace(in: &object, changing: old)
    try setRegion(in: &object)
    let isDeparture = old?["on"]?.string == Reminder.Trigger.depart.rawValue
    if on == nil, dwell?.text.isEmpty == false, !isDeparture {
      object["on"] = .string(Reminder.Trigger.dwell.rawValue)
    }
    let rule = try dayAlone(context, changing: old)
    var zoneOfDue: String?
    for (field, option, texts) in TypedField.given(in: self) where field.parse != nil {
      object[field.key] = try TypedField.json(field, option, texts) { text, dayAlone in
        if let old, try TypedTime.shift(text) != nil,
          let moved = try Self.time(field.key, of: old, context, daemon)?.moved(
            typed: text, in: context.zone())
        {
          return moved
        }
        let time = try context.time(text, option: option, dayAlone: dayAlone ?? rule)
        guard field.key == "due" else { return time.stamp }
        if `repeat` == nil, old?["repeat"] == nil, TypedTime.saysPast(text) {
          throw Failure(.badData, "\(option): '\(text)' is in the past; give a time to come")
        }
        zoneOfDue = time.namedZone?.name
        return try onItsDays(time, changing: old, context)
      }
    }
    // A series goes on by the clocks that its time names.
    if let zoneOfDue, NamedZone.find(zoneOfDue) != nil,
      !(`repeat`?.text ?? old?["repeat"]?.string ?? "").isEmpty
    {
      object["zone"] = .string(zoneOfDue)
    }
    if let `repeat`, !`repeat`.text.isEmpty, due == nil, old?["due"] == nil {
      let kind = (object["kind"] ?? old?["kind"])?.string
      object["due"] = try beginning(
        of: `repeat`, atPlace: kind == Reminder.Kind.location.rawValue, context)
    }
    if by == nil, leaveFor != nil, old?["place"] == nil {
      let isAfloat = try context.display().units == .nautical
      object["transport"] = .string(
        (isAfloat ? Reminder.Transport.boat : .driving).rawValue)
    }
    return object
  }

  private func setPlace(in object: inout JSONObject, changing old: JSONObject?) throws {
    let metres = try radius.map { try Self.length($0.text, option: $0.option) }
    if let typed = at ?? leaveFor {
      switch try PlaceArgument(typed.text, option: typed.option) {
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
      object["near_category"] = .string(nearCategory.text)
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
    let metres = try width.map { width throws(Failure) in
      try Self.length(width.text, option: width.option)
    }
    if let region {
      let area = try RegionFile.read(region.text, width: metres)
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

  /// Adds a suggestion to the error for an unknown place.
  func namingPlace(
    _ daemon: DaemonConnection, _ call: () throws -> JSONObject
  ) throws -> JSONObject {
    do {
      return try call()
    } catch let error as UnknownName where error.subject == .place {
      let hint =
        Suggestions.place(like: error.name, daemon).map { "did you mean '\($0)'? Else " } ?? ""
      throw Failure(
        .badData,
        "there is no place '\(error.name)'; \(hint)add it with 'georemind place add', or give a "
          + "coordinate")
    }
  }

  static func length(_ text: String, option: String) throws(Failure) -> Double {
    do throws(LengthError) {
      return try Length.metres(parsing: text)
    } catch {
      throw Failure(.badData, "\(option) '\(text)': \(error)")
    }
  }
}
