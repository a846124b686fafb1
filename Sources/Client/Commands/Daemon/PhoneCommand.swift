import ArgumentParser
import Bytes
import Companion
import Configuration
import JSONText
import Phones

/// Phones that send their positions to `georemind-web`, each with a token of its own.
struct PhoneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "phone", abstract: "Add, list and revoke phones that send their positions.",
    discussion: "georemind-web takes the positions. docs/how-to/phones.md says how to set it up.",
    subcommands: [Add.self, List.self, Revoke.self])

  struct Add: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a phone, and show its settings with a QR code for OwnTracks.",
      discussion: """
        The token in them is shown this once. It sends positions of this phone, and opens nothing \
        else.
        georemind phone add anna
        georemind phone add anna --push --addressed
        """)

    @Argument(help: "A name: letters of a to z, digits, - and _.")
    var name: String
    @Flag(help: "Send firings to the phone too, by a hook for the app ntfy.")
    var push = false
    @Flag(help: "With --push: only the firings of reminders with --for and this name.")
    var addressed = false
    @Option(help: ArgumentHelp("The server of ntfy.", valueName: "address"))
    var server = "https://ntfy.sh"
    @Option(help: ArgumentHelp("The folder of the recipes.", valueName: "folder"))
    var recipes = HookRecipe.folder
    @OptionGroup var place: HookCommand.Place
    @OptionGroup var owner: WebCommand.LinkOwner
    @OptionGroup var options: CommonOptions

    func validate() throws {
      if addressed, !push { throw ValidationError("--addressed goes with --push") }
    }

    func run(in context: Context) throws {
      let connection = try DaemonConnection(options, context)
      let user = try owner.user()
      let web = WebAddress(context)
      let push = try push ? PhonePush(phone: name, server: server) : nil
      // Failures come before the token, which is shown once.
      let recipe = try push.map { _ in try HookRecipe("ntfy", in: recipes) }
      let installation = try push.map { _ in try HookInstallation(root: place.root, context) }
      let answer = try connection.call(
        "AddPhone", JSONObject(["name": .string(name), "user": user]))
      let token = answer["token"]?.string ?? ""
      let setups = PhoneSetup.all(address: web.text, name: name, token: token)
      let page =
        PhoneSetup.page(address: web.text, token: token) + (push.map { "&ntfy=\($0.url)" } ?? "")
      if options.json {
        var document = answer
        document["page"] = .string(page)
        document["push"] = push.map { .string($0.subscription) }
        document["setups"] = .array(setups.map { .object($0.json) })
        try context.output.line(document)
      } else {
        try show(setups, page, context)
        if let push {
          try context.output.line(
            "ntfy: install the app, and open this link on the phone:\n  \(push.subscription)")
        }
      }
      if let push, let recipe, let installation {
        try push.install(
          recipe, in: installation, web: web, user: user, isAddressed: addressed, connection)
        try context.note("added \(installation.unit(push.hook))")
      }
      try advise(web, connection, context)
    }

    private func show(_ setups: [PhoneSetup], _ page: String, _ context: Context) throws {
      let output = context.output
      for setup in setups {
        guard let link = setup.link else { continue }
        let code = output.isTerminal ? QRCode(link) : nil
        for line in code?.lines ?? [] { try output.line(line) }
        let scan = code == nil ? "" : "scan the code, or "
        try output.line("\(setup.app): \(scan)open this link on the phone:\n  \(link)")
      }
      try output.line("All apps, and a check: open this page on the phone:\n  \(page)")
      for setup in setups {
        var table = Table()
        for field in setup.fields { table.add(field) }
        try output.line("\(setup.app):")
        for line in table.lines(indent: 2) { try output.line(line) }
      }
    }

    /// Notes the settings that keep positions from arriving.
    private func advise(
      _ web: WebAddress, _ connection: DaemonConnection, _ context: Context
    ) throws {
      if web.settings.isLocal {
        try context.note(
          "georemind-web is for this machine alone: set Listen= or Address= in section [Web]")
      }
      try web.noteNumber(context)
      if push, !web.settings.hasPage {
        try context.note("Done and Snooze work once section [Web] has Page=yes")
      }
      let feeds = try connection.call("Status")["status"]?["feeds"]?.array ?? []
      let isRead = feeds.contains { $0["url"]?.string?.contains("/positions") == true }
      if !isRead {
        try context.note(
          "georemindd reads no positions of phones: set "
            + "Feed=unix://\(ServiceFolders().positionSocket)?max-age=5min in section [Feed]")
      }
    }
  }

  struct List: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "List one's phones; for root, all.")

    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let display = try context.display()
      let answer = try DaemonConnection(options, context).call("ListPhones")
      let phones = answer["phones"]?.array?.compactMap(\.object) ?? []
      guard !options.json else { return try phones.forEach { try context.output.line($0) } }
      guard !phones.isEmpty else {
        return try context.note("no phones yet; add one with 'georemind phone add NAME'")
      }
      var table = Table()
      for phone in phones {
        table.add([
          phone["name"]?.string ?? "?", UserName.of(phone["user"]?.int ?? -1),
          "added " + Answer.time(phone["made"], display.entry),
        ])
      }
      for line in table.lines(width: context.output.columns) { try context.output.line(line) }
    }
  }

  struct Revoke: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a phone: its next position is refused.")

    @Argument(help: "The name of the phone.")
    var name: String
    @OptionGroup var place: HookCommand.Place
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let connection = try DaemonConnection(options, context)
      let answer = try connection.call("RevokePhone", JSONObject(["name": .string(name)]))
      // A phone without --push has no such link.
      _ = try? connection.call(
        "RevokeLink",
        JSONObject([
          "name": .string(PhonePush.link(of: name)), "user": answer["phone"]?["user"],
        ]))
      if try HookInstallation(root: place.root, context).names.contains(name.lowercased()) {
        try context.note(
          "its hook stays; remove it with 'georemind hook remove \(name.lowercased())'")
      }
      guard !options.json else { return try context.output.line(answer) }
      try context.note("revoked \(name.printable)")
    }
  }
}
