import ArgumentParser
import CivilTime
import Departure
import Geodesy
import JSONText

/// Shows the position of the device, or of a tracker.
struct WhereCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "where", abstract: "Show the current fix and the nearest places.",
    discussion: """
      georemind where
      georemind where anna
      """)

  @Argument(help: "The name of a tracker; without it, the machine itself.")
  var who: String?

  @Option(help: "The form of the coordinate.")
  var format = CoordinateFormat.decimalDegrees

  @Flag(help: "Print one line for a message: a geo URI and a link to a map.")
  var share = false
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let answer = try DaemonConnection(options, context)
      .call("Where", ["who": who.map { .string($0) }])
    guard !options.json else { return try context.output.line(answer) }
    guard let fix = answer["fix"], let position = fix.coordinate else {
      return try context.note("no fix yet; see 'georemind status'")
    }
    let error = fix["eph"]?.double
    let display = try context.display()
    if share { return try context.output.line(position.shareable(uncertainty: error)) }
    var text = position.formatted(format)
    if let error { text += "  ±\(display.length(error))" }
    if let age = answer["age_s"]?.double { text += "  \(Answer.age(age)) old" }
    try context.output.line(text)
    let inside = Self.inside(.object(answer), display)
    if !inside.isEmpty { try context.output.line(inside) }
    var table = Table()
    for place in answer["nearest"]?.array ?? [] {
      let bearing = place["bearing_deg"]?.double ?? .nan
      table.add([
        display.length(place["distance_m"]?.double ?? .nan),
        CompassPoint(bearing: bearing)?.rawValue ?? "", place["name"]?.string ?? "",
        Self.travel(place["travel_s"], by: display.units == .nautical ? ["boat"] : Self.onLand),
      ])
    }
    try context.output.lines(table, indent: 2, isCut: false)
  }

  static let onLand = ["walking", "driving"]

  /// `in Home since 17:40, in Rewe`: where a reminder knows when the visit began, and where not.
  static func inside(_ answer: JSONValue, _ display: Display) -> String {
    (answer["inside"]?.array ?? []).map { place in
      let name = place["name"]?.string ?? ""
      guard let since = place["since"]?.instant else { return "in \(name)" }
      return "in \(name) since \(display.entry(since))"
    }.joined(separator: ", ")
  }

  /// `9min walking, 6min driving`, without very long walks and without times to the present place.
  static func travel(_ seconds: JSONValue?, by modes: [String] = onLand) -> String {
    let longestWalk = 2 * 3600.0
    return modes.compactMap { mode -> String? in
      guard let time = seconds?[mode]?.double, time > 0,
        mode != "walking" || time <= longestWalk
      else { return nil }
      let minutes = max(1, (time / 60).rounded())
      return "\(TimeSpan.minutes(minutes)) \(mode == "boat" ? "sailing" : mode)"
    }.joined(separator: ", ")
  }
}

extension CoordinateFormat: ExpressibleByArgument {}
