import ArgumentParser
import Companion
import Control
import Geodesy
import JSONText

/// Places that reminders refer to by name.
struct PlaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "place", abstract: "Manage places.",
    subcommands: [
      Add.self, List.self, PlaceShow.self, PlaceFind.self, PlaceEdit.self, PlaceMerge.self,
      Remove.self, PlaceImportCommand.self, PlaceExport.self, PlaceSuggest.self,
    ])

  struct Add: ClientCommand {
    static let configuration = CommandConfiguration(abstract: "Add a place.")

    @Argument(help: "The name of the place.")
    var name: String

    @Argument(
      help: ArgumentHelp("The coordinate of the place in any form, or here.", valueName: "coord"))
    var position: [String]

    @Option("The radius of the place.", "length") var radius: String?

    @Option("The name of its category.", completion: Completions.categories)
    var category: String?

    @Option("Longer text about the place.") var notes: String?
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let text = try Here.resolve(
        position.joined(separator: " "), option: "the place", options, context)
      let point = try PlaceArgument.coordinate(text, option: "the place")
      let metres = try radius.map { try ReminderOptions.length($0, option: "--radius") }
      let daemon = try DaemonConnection(options, context)
      var place: JSONObject = [
        "name": .string(name), "latitude": .double(point.latitude),
        "longitude": .double(point.longitude), "radius_m": .double(metres),
        "category": category.map { .string($0) }, "notes": notes.map { .string($0) },
      ]
      let answer: JSONObject
      do {
        answer = try daemon.call("AddPlace", place)
      } catch let error as UnknownName where error.subject == .category {
        answer = try CategoryCommand.adding(error.name, daemon, context) { color in
          place["color"] = .string(color)
          return try daemon.call("AddPlace", place)
        }
      }
      try PlacePrinter(context: context, json: options.json).print([answer["place"]])
    }
  }

  struct List: ClientCommand {
    enum Grouping: String, CaseIterable, ExpressibleByArgument {
      case category
    }

    static let configuration = CommandConfiguration(abstract: "List places by name.")

    @Option(name: .customLong("by"), help: "Group the places by this.")
    var grouping: Grouping?

    @Option("List places of this category only.") var category: String?
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let pages = PlacePages(try DaemonConnection(options, context), category: category)
      let printer = PlacePrinter(context: context, json: options.json)
      switch grouping {
      case nil: try pages.forEach { try printer.print($0) }
      case .category:
        var listing = GroupedListing<PlacePrinter.Named> { $0.key < $1.key }
        try pages.forEach { page in
          for place in page {
            listing.add(PlacePrinter.Named(place), under: PlacePrinter.heading(of: place))
          }
        }
        try printer.print(listing)
      }
    }
  }

  struct Remove: ClientCommand {
    static let configuration = CommandConfiguration(
      commandName: "rm", abstract: "Remove a place that no reminder uses.")

    @Argument(help: "The name of the place.", completion: Completions.places)
    var name: String

    @Flag(help: "Remove it even if reminders use it; they keep its position.")
    var force = false
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context).call(
        "RemovePlace", ["name": .string(name), "unless_used": .bool(!force)])
      guard !options.json else {
        return try PlacePrinter(context: context, json: true).print([answer["place"]])
      }
      try context.output.line("Removed \(name.printable)")
      try context.note("note: 'undo' brings no place back")
    }
  }
}

/// All places of the daemon, page by page, so that a million of them need no more room than a few.
struct PlacePages {
  private let daemon: DaemonConnection
  private let category: String?

  init(_ daemon: DaemonConnection, category: String?) {
    self.daemon = daemon
    self.category = category
  }

  func forEach(_ body: ([JSONValue]) throws -> Void) throws {
    var after = ""
    while true {
      let answer = try daemon.call(
        "PagePlaces",
        ["after": .string(after), "category": category.map { .string($0) }])
      let page = answer["places"]?.array ?? []
      guard let last = page.last?["name"]?.string, last != after else { return }
      try body(page)
      after = last
    }
  }
}

/// Places, one a line.
struct PlacePrinter {
  let context: Context
  let json: Bool

  func print(_ places: [JSONValue?]) throws {
    let display = try context.display()
    var table = Table()
    for case let place? in places {
      if json {
        try context.output.line(Self.line(place))
      } else {
        table.add(Self.cells(place, display))
      }
    }
    try context.output.lines(table)
  }

  /// A place and what it is sorted by.
  struct Named {
    let place: JSONValue
    let key: String

    init(_ place: JSONValue) {
      self.place = place
      key = (place["name"]?.string ?? "").lowercased()
    }
  }

  func print(_ listing: GroupedListing<Named>) throws {
    guard json else {
      let display = try context.display()
      return try listing.print(to: context.output) { Self.cells($0.place, display) }
    }
    try listing.forEach { try context.output.line(Self.line($0.place)) }
  }

  /// The category and its colour.
  static func heading(of place: JSONValue) -> Heading {
    var heading = Heading.named(place["category"]?.string, otherwise: "no category")
    heading.color = place["color"]?.string
    return heading
  }

  private static func line(_ place: JSONValue) -> JSONObject {
    [
      "name": place["name"], "lat": .double(place["latitude"]?.double),
      "lon": .double(place["longitude"]?.double), "radius_m": place["radius_m"],
      "category": place["category"], "color": place["color"], "notes": place["notes"],
      "region": place["region"], "width_m": place["width_m"], "distance_m": place["distance_m"],
      "bearing_deg": place["bearing_deg"], "detour_m": place["detour_m"],
    ]
  }

  private static func cells(_ place: JSONValue, _ display: Display) -> [String] {
    [
      place["distance_m"]?.double.map(display.length) ?? "",
      place["bearing_deg"]?.double.map { "\(Int($0) % 360)°" } ?? "",
      place["detour_m"]?.double.map { "detour \(display.length($0))" } ?? "",
      place["name"]?.string ?? "", place.coordinate?.formatted(.decimalDegrees) ?? "",
      display.length(place["radius_m"]?.double ?? .nan),
      place["category"]?.string ?? "", place["notes"]?.string ?? "",
    ]
  }
}
