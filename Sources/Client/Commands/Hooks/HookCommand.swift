import ArgumentParser
import Companion
import JSONText

/// Hooks from the recipes that come with the program.
struct HookCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hook", abstract: "Add, list and remove hooks of the shipped recipes.",
    discussion: "docs/how-to/hook-recipes.md says what each of them needs.",
    subcommands: [Add.self, List.self, Remove.self])

  struct Place: ParsableArguments {
    @Option(
      help: ArgumentHelp(
        "Install below another folder than /, and start nothing.", valueName: "folder"))
    var root: String?
  }

  struct Add: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "Install a recipe with its settings, and start it.",
      discussion: """
        georemind hook add ntfy url=https://ntfy.sh/TOPIC
        georemind hook add home-assistant --name ha phone=mobile_app_pixel token=TOKEN
        Without settings it prints the ones that are missing. The hook is of the system for root, \
        and else of the user.
        """)

    @Argument(help: "ntfy, apprise, home-assistant, speak or relay.")
    var recipe: String
    @Argument(help: "Settings of the recipe, NAME=VALUE.")
    var settings: [String] = []
    @Option(help: "The name of the hook; without, the name of the recipe.")
    var name: String?
    @Option(help: ArgumentHelp("The folder of the recipes.", valueName: "folder"))
    var recipes = HookRecipe.folder
    @OptionGroup var place: Place
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let installation = try HookInstallation(root: place.root, context)
      var values: [String: String] = [:]
      for setting in settings {
        guard let equals = setting.firstIndex(of: "=") else {
          throw Failure(.usage, "'\(setting)' is not of the form NAME=VALUE")
        }
        values[String(setting[..<equals])] = String(setting[setting.index(after: equals)...])
      }
      let script = try HookRecipe(recipe, in: recipes).filled(values)
      let name = name ?? String(recipe.prefix(13))
      try installation.add(name, script: script)
      try context.note(
        "added \(installation.unit(name)); try it with 'georemind test hook-\(name)'")
    }
  }

  struct List: ClientCommand {
    static let configuration = CommandConfiguration(abstract: "List the hooks that were added.")

    @OptionGroup var place: Place
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let names = try HookInstallation(root: place.root, context).names
      guard !options.json else {
        return try context.output.line(["hooks": .array(names.map { .string($0) })])
      }
      for name in names { try context.output.line(name) }
      if names.isEmpty {
        try context.note(
          "no hook was added by 'georemind hook add'; 'georemind-hook --list' shows the hooks of "
            + "the configuration")
      }
    }
  }

  struct Remove: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "Stop a hook that was added, and remove it.")

    @Argument(help: "The name of the hook.")
    var name: String
    @OptionGroup var place: Place
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      try HookInstallation(root: place.root, context).remove(name)
      try context.note(
        "removed \(name.printable); its row stays until 'georemind delivery forget'")
    }
  }
}

extension HookRecipe {
  /// As the package installs them.
  static let folder = "/usr/share/doc/georemind/examples/hooks"

  /// - Throws: `Failure` for a recipe that is not in the folder.
  init(_ name: String, in folder: String) throws {
    guard HookInstallation.isName(name) || name == "home-assistant" else {
      throw Failure(.usage, "no recipe is named '\(name.printable)'")
    }
    do {
      let file = try InputFile(path: "\(folder)/\(name)")
      var bytes = [UInt8](repeating: 0, count: InputFile.chunkSize)
      let count = try file.read(into: &bytes)
      self.init(name: name, text: String(decoding: bytes.prefix(count), as: UTF8.self))
    } catch {
      throw Failure(
        .usage, "no recipe '\(name)' can be read in \(folder); --recipes= names another folder")
    }
  }
}
