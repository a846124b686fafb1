import ArgumentParser
import Geodesy
import JSONText
import Reminders

/// The forms of a coordinate, or the geodesic to another one.
struct ConvertCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert", abstract: "Print a coordinate in its usual forms, or how far it is.",
    discussion: """
      georemind convert 52.52,13.405
      georemind convert here --to Home
      Reads degrees, minutes and seconds in any usual form, NMEA, ISO 6709, geo: addresses, Plus \
      Codes, UTM, MGRS, Maidenhead locators, and links to OpenStreetMap, Google and Apple maps. A \
      short Plus Code needs a nearby coordinate behind it. The word here is the current fix. With \
      --to, both ends may be names of places.
      """)

  @Argument(
    help: ArgumentHelp("The coordinate.", valueName: "coord"), completion: Completions.places)
  var coordinate: [String]
  @Option(
    "Print the distance and the bearings to this place on WGS 84.", "place",
    completion: Completions.places)
  var to: String?
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let words = coordinate.joined(separator: " ")
    if let to {
      return try show(
        try PlaceArgument.position(words, option: "the text", options, context)
          .geodesic(to: try PlaceArgument.position(to, option: "--to", options, context)),
        context)
    }
    let text = try Here.resolve(words, option: "the text", options, context)
    let point = try PlaceArgument.coordinate(text, option: "the text")
    if options.json {
      var object = JSONObject([
        // A tenth of a millimetre: without what dividing by 60 leaves behind the digits that count.
        "lat": .double(Decimal.rounded(point.latitude, digits: 9)),
        "lon": .double(Decimal.rounded(point.longitude, digits: 9)),
      ])
      for format in CoordinateFormat.allCases {
        object[format.rawValue] = .string(point.formatted(format))
      }
      try context.output.line(object)
    } else {
      var table = Table()
      for format in CoordinateFormat.allCases {
        table.add([format.rawValue, point.formatted(format)])
      }
      try context.output.lines(table, isCut: false)
    }
  }

  private func show(_ geodesic: Geodesic, _ context: Context) throws {
    if options.json {
      // Micrometres, and what they are worth in degrees.
      try context.output.line([
        "distance_m": .double(Decimal.rounded(geodesic.distance, digits: 6)),
        "initial_bearing_deg": .double(Decimal.rounded(geodesic.initialBearing, digits: 9)),
        "final_bearing_deg": .double(Decimal.rounded(geodesic.finalBearing, digits: 9)),
      ])
    } else {
      try context.output.line(
        "\(try context.display().length(geodesic.distance)) "
          + "(\(Decimal.rounded(geodesic.distance, digits: 3)) m), leaving at "
          + "\(bearing(geodesic.initialBearing)), arriving at \(bearing(geodesic.finalBearing))")
    }
  }

  private func bearing(_ degrees: Double) -> String {
    let point = CompassPoint(bearing: degrees).map { " (\($0.rawValue))" } ?? ""
    return "\(Decimal.rounded(degrees, digits: 1))°\(point)"
  }
}
