import ArgumentParser
import Companion
import Control
import JSONText

/// Sorts of places and reminders, with their colours.
struct CategoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "category", abstract: "Manage categories.",
    subcommands: [Add.self, List.self, Edit.self, Remove.self])

  struct Add: ClientCommand {
    static let configuration = CommandConfiguration(abstract: "Add a category.")

    @Argument(help: "Its name.")
    var name: String

    @Argument(help: "Its colour, #RRGGBB.")
    var color: String
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      try CategoryCommand.paint(name, color, "AddCategory", options, context)
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

  struct Edit: ClientCommand {
    static let configuration = CommandConfiguration(abstract: "Give a category another colour.")

    @Argument(help: "Its name.", completion: Completions.categories)
    var name: String

    @Argument(help: "Its new colour, #RRGGBB.")
    var color: String
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      try CategoryCommand.paint(name, color, "EditCategory", options, context)
    }
  }

  struct Remove: ClientCommand {
    static let configuration = CommandConfiguration(
      commandName: "rm", abstract: "Remove a category that nothing refers to.")

    @Argument(help: "Its name.", completion: Completions.categories)
    var name: String
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let answer = try CategoryCommand.call(
        "RemoveCategory", ["name": .string(name)], options, context)
      guard !options.json else {
        return try CategoryPrinter(context: context, json: true).print([answer["category"]])
      }
      try context.output.line("Removed \(name.printable)")
    }
  }
}

extension CategoryCommand {
  /// Calls a method that gives a category a colour, and prints what it is then.
  fileprivate static func paint(
    _ name: String, _ color: String, _ method: String, _ options: CommonOptions, _ context: Context
  ) throws {
    let color = try Self.color(color)
    let answer = try call(
      method, ["name": .string(name), "color": .string(color)], options, context)
    try CategoryPrinter(context: context, json: options.json).print([answer["category"]])
  }

  /// Calls a method about one category; an unknown name is reported as a category's.
  fileprivate static func call(
    _ method: String, _ parameters: JSONObject, _ options: CommonOptions, _ context: Context
  ) throws -> JSONObject {
    do {
      return try DaemonConnection(options, context).call(method, parameters)
    } catch let error as VarlinkError {
      guard let name = parameters["name"]?.string, GeoremindError(error) == .notFound(id: name)
      else { throw error }
      throw Failure(
        .badData,
        "there is no category '\(name)'; 'georemind category list' shows what there is")
    }
  }

  /// A colour with or without `#`, which begins a comment in a shell.
  private static func color(_ text: String) throws(Failure) -> String {
    let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
    guard digits.utf8.count == 6, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      throw Failure(.badData, "'\(text)' is not a colour; write it like '#1E90FF'")
    }
    return "#\(digits.uppercased())"
  }
}

/// Categories, one a line.
private struct CategoryPrinter {
  let context: Context
  let json: Bool

  func print(_ categories: [JSONValue?]) throws {
    var table = Table()
    var swatches: [String?] = []
    for case let category? in categories {
      if json {
        try context.output.line(category.object ?? JSONObject())
      } else {
        table.add([category["name"]?.string ?? "", category["color"]?.string ?? ""])
        swatches.append(category["color"]?.string.flatMap(context.output.swatch))
      }
    }
    for (line, swatch) in zip(table.lines(), swatches) {
      try context.output.line(swatch.map { "\($0) \(line)" } ?? line)
    }
  }
}
