import ArgumentParser
import Bytes
import Companion
import JSONText
import Report

/// Categories of places and reminders, with their colours.
struct CategoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "category", abstract: "Manage categories.",
    subcommands: [Add.self, List.self, Edit.self, Remove.self])

  struct Add: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a category.",
      discussion: """
        georemind category add Fuel
        georemind category add Fuel orange
        """)

    @Argument(help: "The name of the category.")
    var name: String

    @Argument(
      help: "The colour: a name such as orange, or #RRGGBB; without, one is chosen.",
      completion: .list(ColorName.names))
    var color: String?
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
    static let configuration = CommandConfiguration(abstract: "Change the colour of a category.")

    @Argument(help: "The name of the category.", completion: Completions.categories)
    var name: String

    @Argument(
      help: "The new colour: a name such as orange, or #RRGGBB.",
      completion: .list(ColorName.names))
    var color: String
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      try CategoryCommand.paint(name, color, "EditCategory", options, context)
    }
  }

  struct Remove: ClientCommand {
    static let configuration = CommandConfiguration(
      commandName: "rm", abstract: "Remove a category without places and reminders.")

    @Argument(help: "The name of the category.", completion: Completions.categories)
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

extension CategoryCommand {
  /// Calls a method that gives a category a colour, and prints what it is then.
  fileprivate static func paint(
    _ name: String, _ color: String?, _ method: String, _ options: CommonOptions, _ context: Context
  ) throws {
    let chosen = try color.map(Self.color)
    let daemon = try DaemonConnection(options, context)
    let color =
      try chosen ?? unusedColor(daemon.call("ListCategories")["categories"]?.array ?? [])
    let answer = try daemon.call(
      method, ["name": .string(name), "color": .string(color)])
    try CategoryPrinter(context: context, json: options.json).print([answer["category"]])
  }

  /// Calls a method that adds a new category in a colour of its own.
  /// - Throws: Failure where a known one has nearly that name.
  static func adding(
    _ name: String, _ daemon: DaemonConnection, _ context: Context,
    _ call: (_ color: String) throws -> JSONObject
  ) throws -> JSONObject {
    let known = try daemon.call("ListCategories")["categories"]?.array ?? []
    let names = known.compactMap { $0["name"]?.string }
    if let near = Suggestions.category(like: name, among: names) {
      throw Failure(
        .badData,
        "there is no category '\(name)'; did you mean '\(near)'? Else add it with "
          + "'georemind category add'")
    }
    let answer = try call(unusedColor(known))
    try context.note("note: the category \(name.printable) is new")
    return answer
  }

  /// The first colour of the palette that none of the categories has; the first where all are in
  /// use.
  private static func unusedColor(_ categories: [JSONValue]) -> String {
    let used = Set(categories.compactMap { $0["color"]?.string })
    return CategoryColors.row.first { !used.contains($0) } ?? CategoryColors.row[0]
  }

  /// A colour by its name, or with or without `#`, which begins a comment in a shell.
  private static func color(_ text: String) throws(Failure) -> String {
    if let color = ColorName.colors[text.lowercased()] { return color }
    let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
    guard digits.utf8.count == 6, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
      throw Failure(
        .badData, "'\(text)' is not a colour; write a name such as orange, or '#1E90FF'")
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
