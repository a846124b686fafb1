import ArgumentParser
import Companion
import Geodesy
import Interchange
import JSONText

struct PlaceShow: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a place and the reminders that use it.")

  @Argument(help: "The name of the place.", completion: Completions.places)
  var name: String
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let daemon = try DaemonConnection(options, context)
    let answer = try daemon.call("ShowPlace", ["name": .string(name)])
    try PlacePrinter(context: context, json: options.json).print([answer["place"]])
    guard !options.json else { return }
    let ids = Set((answer["reminders"]?.array ?? []).compactMap(\.string))
    guard !ids.isEmpty else { return }
    let all = try daemon.reminders()
    let short = ShortIDs(all.compactMap { $0["id"]?.string })
    var table = Table()
    for reminder in all {
      guard let id = reminder["id"]?.string, ids.contains(id) else { continue }
      table.add([short[id], reminder["title"]?.string ?? "", reminder["state"]?.string ?? ""])
    }
    try context.output.line("Used by \(counted(ids.count, "reminder", "reminders")):")
    try context.output.lines(table, indent: 2)
  }
}

struct PlaceFind: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "find", abstract: "Find places by words, category and distance.",
    discussion: """
      georemind place find bakery
      georemind place find --category Fuel --ahead --within 80km
      georemind place find --category Fuel --along route.gpx --limit 3

      Searches names, notes and categories for words that begin like the given ones. Prints the \
      nearest places first, seen from --near or from the device. --ahead leaves out places \
      more than 60° off the course of the device. With --along, distances are by the route to \
      where it passes nearest, at most 5 km off, and on to the place; the detour is the way off \
      the route and back, in straight lines.
      """)

  @Argument(help: "Words of the place; all must match.")
  var words: [String] = []

  @Option("Only places of this category.") var category: String?

  @Option("The coordinate or place to search around.", "place", completion: Completions.places)
  var near: String?

  @Option("The greatest distance.", "length") var within: String?

  @Flag(help: "Only places ahead, on the present course.")
  var ahead = false

  @Option(
    "Only places along this route or track: GPX, GeoJSON, KML, or a recording.", "file",
    completion: .file())
  var along: String?

  @Option(help: "Print this many places at most.")
  var limit = 20
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit is at least 1") }
    if ahead, near != nil || along != nil {
      throw ValidationError("--ahead goes without --near and --along: it is about the device")
    }
  }

  func run(in context: Context) throws {
    let reach = try within.map { try ReminderOptions.length($0, option: "--within") }
    let route = try along.map { try RouteLine.read($0, context) }
    let daemon = try DaemonConnection(options, context)
    let device = near == nil ? try daemon.call("Where") : [:]
    let center =
      try near.map { try PlaceArgument.position($0, option: "--near", options, context) }
      ?? device["fix"]?.coordinate
    if let route { return try find(along: route, from: center, reach, daemon, context) }
    if reach != nil, center == nil {
      throw Failure(.badData, "--within needs a position, and there is no fix yet; give --near")
    }
    var query = filter
    query["latitude"] = .double(center?.latitude)
    query["longitude"] = .double(center?.longitude)
    query["within_m"] = .double(reach)
    query["limit"] = .int(limit)
    if ahead { query["course"] = .double(try Self.course(of: device)) }
    try show(try daemon.call("FindPlaces", query)["places"]?.array ?? [], from: center, context)
  }

  /// The parameters that choose the places.
  private var filter: JSONObject {
    [
      "words": words.isEmpty ? nil : .string(words.joined(separator: " ")),
      "category": category.map { .string($0) },
    ]
  }

  private static func course(of device: JSONObject) throws(Failure) -> Double {
    guard let course = device["course_deg"]?.double else {
      throw Failure(
        .noAnswer,
        device["fix"]?.coordinate == nil
          ? "--ahead needs a position, and there is no fix yet; see 'georemind status'"
          : "--ahead needs a course, and the device stands still; give a route with --along")
    }
    return course
  }

  private func find(
    along route: RouteLine, from here: Coordinate?, _ reach: Double?, _ daemon: DaemonConnection,
    _ context: Context
  ) throws {
    let nearest = here.map { route.nearest(to: $0) }
    let isOnRoute = nearest.map { $0.off <= PlacesAlong.farthest } ?? false
    if !isOnRoute {
      try context.note("distances count from the beginning of the route: it is not near here")
    }
    let search = PlacesAlong(
      route: route, start: isOnRoute ? nearest?.along ?? 0 : 0, filter: filter, daemon: daemon)
    try show(try search.first(limit, within: reach), from: here, context)
  }

  private func show(_ places: [JSONValue], from here: Coordinate?, _ context: Context) throws {
    if places.isEmpty { try context.note("no place matches; 'georemind place list' shows all") }
    guard ahead || along != nil, let here else {
      return try PlacePrinter(context: context, json: options.json).print(places)
    }
    let withBearings = places.map { place in
      var place = place.object ?? JSONObject()
      let bearing = JSONValue.object(place).coordinate.map { here.initialBearing(to: $0) }
      place["bearing_deg"] = .double(bearing?.rounded())
      return JSONValue.object(place)
    }
    try PlacePrinter(context: context, json: options.json).print(withBearings)
  }
}

struct PlaceEdit: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Rename, move or change a place; its reminders follow.")

  @Argument(help: "The name of the place.", completion: Completions.places)
  var name: String

  @Option("The new name.") var rename: String?

  @Option("The new coordinate.", "coord") var move: String?

  @Option("The new radius.", "length") var radius: String?

  @Option("The name of its category; '' for none.") var category: String?

  @Option("Longer text about the place; '' for none.") var notes: String?
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    // Not in `validate`, which the parser calls before it reports an unknown option.
    if rename == nil, move == nil, radius == nil, category == nil, notes == nil {
      throw ValidationError("say what to change: --rename, --move, --radius, --category, --notes")
    }
    let position = try move.map {
      try PlaceArgument.coordinate(
        Here.resolve($0, option: "--move", options, context), option: "--move")
    }
    let metres = try radius.map { try ReminderOptions.length($0, option: "--radius") }
    let answer = try DaemonConnection(options, context).call(
      "EditPlace",
      [
        "name": .string(name), "new_name": rename.map { .string($0) },
        "latitude": .double(position?.latitude), "longitude": .double(position?.longitude),
        "radius_m": .double(metres), "category": category.map { .string($0) },
        "notes": notes.map { .string($0) },
      ])
    try PlacePrinter(context: context, json: options.json).print([answer["place"]])
    try PlaceMerge.noteFollowers(answer, context, json: options.json)
  }
}

struct PlaceMerge: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "merge", abstract: "Merge a place into another; its reminders follow.")

  @Argument(help: "The place to remove.", completion: Completions.places)
  var name: String

  @Argument(help: "The place to keep.", completion: Completions.places)
  var into: String
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let answer = try DaemonConnection(options, context).call(
      "MergePlaces", ["name": .string(name), "into": .string(into)])
    try PlacePrinter(context: context, json: options.json).print([answer["place"]])
    try Self.noteFollowers(answer, context, json: options.json)
  }

  static func noteFollowers(_ answer: JSONObject, _ context: Context, json: Bool) throws {
    let count = answer["reminders"]?.array?.count ?? 0
    guard count > 0, !json else { return }
    try context.note("\(counted(count, "reminder", "reminders")) followed")
  }
}

struct PlaceImportCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Add the places of files.",
    discussion: """
      Reads GPX, KML, KMZ, GeoJSON, OwnTracks (.otrw), CSV, OpenStreetMap XML and Overpass JSON, \
      and recognizes the format by its content. Skips a known place (same name, at most 20 m \
      away), and moves a place with the same name and identifier together with its reminders. A \
      name that another place has gets a number. Leaves out a place that it cannot read, and \
      names its line.
      """)

  @Argument(help: "Files; - is standard input.", completion: .file())
  var files: [String]

  @Option("The category for all places.") var category: String?
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    var transfer = FileTransfer(
      context: context, options: options, category: category, isForPlacesOnly: true)
    for file in files { try transfer.take(file) }
    try transfer.finish()
  }
}

extension PlaceWriter.Format: ExpressibleByArgument {}

struct PlaceExport: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print places for other programs.")

  @Option(help: "The format of the output.")
  var format = PlaceWriter.Format.json

  @Option("Only places of this category.") var category: String?
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let pages = PlacePages(try DaemonConnection(options, context), category: category)
    var output = PlaceOutput(format, context)
    try output.begin()
    try pages.forEach { page in
      for place in page { try output.write(try Self.entry(place)) }
    }
    try output.end()
  }

  /// A place of the daemon's as the writers take it. Its region is read as any GeoJSON would be.
  static func entry(_ place: JSONValue) throws -> PlaceEntry {
    var entry = PlaceEntry(
      name: place["name"]?.string ?? "",
      position: Coordinate(
        clampingLatitude: place["latitude"]?.double ?? 0,
        wrappingLongitude: place["longitude"]?.double ?? 0),
      radius: place["radius_m"]?.double, category: place["category"]?.string,
      color: place["color"]?.string, notes: place["notes"]?.string)
    if let region = place["region"] {
      entry.shape = try PlaceShape(geoJSON: region, width: place["width_m"]?.double)
    }
    return entry
  }
}
