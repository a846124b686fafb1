import ArgumentParser
import Geodesy
import JSONText

/// Places that reminders refer to by name.
struct PlaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "place", abstract: "Manage places.",
    subcommands: [Add.self, List.self, Remove.self]
  )

  struct Add: ClientCommand {
    static let configuration = CommandConfiguration(abstract: "Add a place.")

    @Argument(help: "Its name.")
    var name: String

    @Argument(help: ArgumentHelp("Where it is, in any form.", valueName: "coord"))
    var position: [String]

    @Option(
      parsing: .unconditional, help: ArgumentHelp("How far it reaches.", valueName: "length"))
    var radius: String?

    @Option(parsing: .unconditional, help: "The name of its category.")
    var category: String?

    @Option(parsing: .unconditional, help: "More words.")
    var notes: String?
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let point = try PlaceArgument.coordinate(position.joined(separator: " "), option: "the place")
      let metres = try radius.map { try ReminderOptions.length($0, option: "--radius") }
      let answer = try DaemonConnection(options, context).call(
        "AddPlace",
        [
          "name": .string(name), "latitude": .double(point.latitude),
          "longitude": .double(point.longitude), "radius_m": .double(metres),
          "category": category.map { .string($0) }, "notes": notes.map { .string($0) },
        ])
      try PlacePrinter(context: context, json: options.json).print([answer["place"]])
    }
  }

  struct List: ClientCommand {
    static let configuration = CommandConfiguration(abstract: "List places by name.")

    @Option(parsing: .unconditional, help: "Only those of a category.")
    var category: String?
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context).call(
        "ListPlaces", ["category": category.map { .string($0) }])
      try PlacePrinter(context: context, json: options.json).print(answer["places"]?.array ?? [])
    }
  }

  struct Remove: ClientCommand {
    static let configuration = CommandConfiguration(
      commandName: "rm", abstract: "Remove a place that no reminder refers to.")

    @Argument(help: "Its name.")
    var name: String
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context).call(
        "RemovePlace", ["name": .string(name)])
      guard !options.json else {
        return try PlacePrinter(context: context, json: true).print([answer["place"]])
      }
      try context.output.line("Removed \(name.printable)")
    }
  }
}

/// Places, one a line.
private struct PlacePrinter {
  let context: Context
  let json: Bool

  func print(_ places: [JSONValue?]) throws {
    var table = Table()
    for case let place? in places {
      let latitude = place["latitude"]?.double
      let longitude = place["longitude"]?.double
      if json {
        try context.output.line([
          "name": place["name"], "lat": .double(latitude), "lon": .double(longitude),
          "radius_m": place["radius_m"], "category": place["category"], "color": place["color"],
          "notes": place["notes"],
        ])
      } else {
        let position = Coordinate(latitude: latitude ?? .nan, longitude: longitude ?? .nan)
        table.add([
          place["name"]?.string ?? "", position?.formatted(.decimalDegrees) ?? "",
          Length.formatted(metres: place["radius_m"]?.double ?? .nan),
          place["category"]?.string ?? "", place["notes"]?.string ?? "",
        ])
      }
    }
    for line in table.lines() { try context.output.line(line) }
  }
}

/// Sorts of places and reminders, with their colours.
struct CategoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "category", abstract: "Manage categories.",
    subcommands: [Add.self, List.self, Remove.self])

  struct Add: ClientCommand {
    static let configuration = CommandConfiguration(abstract: "Add a category.")

    @Argument(help: "Its name.")
    var name: String

    @Argument(help: "Its colour, #RRGGBB.")
    var color: String
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let color = try Self.color(color)
      let answer = try DaemonConnection(options, context).call(
        "AddCategory", ["name": .string(name), "color": .string(color)])
      try CategoryPrinter(context: context, json: options.json).print([answer["category"]])
    }

    /// With the `#` that a shell takes for a comment, or without.
    static func color(_ text: String) throws(Failure) -> String {
      let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
      guard digits.utf8.count == 6, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
        throw Failure(.badData, "'\(text)' is not a colour; write it like '#1E90FF'")
      }
      return "#\(digits.uppercased())"
    }
  }

  struct List: ClientCommand {
    static let configuration = CommandConfiguration(abstract: "List categories by name.")

    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context).call("ListCategories")
      try CategoryPrinter(context: context, json: options.json)
        .print(answer["categories"]?.array ?? [])
    }
  }

  struct Remove: ClientCommand {
    static let configuration = CommandConfiguration(
      commandName: "rm", abstract: "Remove a category that nothing refers to.")

    @Argument(help: "Its name.")
    var name: String
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context).call(
        "RemoveCategory", ["name": .string(name)])
      guard !options.json else {
        return try CategoryPrinter(context: context, json: true).print([answer["category"]])
      }
      try context.output.line("Removed \(name.printable)")
    }
  }
}

/// Categories, one a line.
private struct CategoryPrinter {
  let context: Context
  let json: Bool

  func print(_ categories: [JSONValue?]) throws {
    var table = Table()
    for case let category? in categories {
      if json {
        try context.output.line(category.object ?? JSONObject())
      } else {
        table.add([category["name"]?.string ?? "", category["color"]?.string ?? ""])
      }
    }
    for line in table.lines() { try context.output.line(line) }
  }
}
