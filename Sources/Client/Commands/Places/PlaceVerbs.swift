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
      Searches names, notes and categories for words that begin like the given ones. Prints the \
      nearest places first, seen from --near or from the device.
      """)

  @Argument(help: "Words of the place; all must match.")
  var words: [String] = []

  @Option("Only places of this category.") var category: String?

  @Option("The coordinate or place to search around.", "place", completion: Completions.places)
  var near: String?

  @Option("The greatest distance.", "length") var within: String?

  @Option(help: "Print this many places at most.")
  var limit = 20
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if limit < 1 { throw ValidationError("--limit is at least 1") }
  }

  func run(in context: Context) throws {
    let reach = try within.map { try ReminderOptions.length($0, option: "--within") }
    let daemon = try DaemonConnection(options, context)
    let center = try center(daemon, in: context)
    if reach != nil, center == nil {
      throw Failure(.badData, "--within needs a position, and there is no fix yet; give --near")
    }
    let answer = try daemon.call(
      "FindPlaces",
      [
        "words": words.isEmpty ? nil : .string(words.joined(separator: " ")),
        "category": category.map { .string($0) }, "latitude": .double(center?.latitude),
        "longitude": .double(center?.longitude), "within_m": .double(reach),
        "limit": .int(limit),
      ])
    let places = answer["places"]?.array ?? []
    if places.isEmpty { try context.note("no place matches; 'georemind place list' shows all") }
    try PlacePrinter(context: context, json: options.json).print(places)
  }

  private func center(
    _ daemon: DaemonConnection, in context: Context
  ) throws -> Coordinate? {
    guard let near else { return try daemon.call("Where")["fix"]?.coordinate }
    return try PlaceArgument.position(near, option: "--near", options, context)
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
