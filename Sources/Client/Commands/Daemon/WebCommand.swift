import ArgumentParser
import Bytes
import Companion
import Configuration
import Glibc
import JSONText

/// Links by which a browser opens the map.
struct WebCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "web", abstract: "Make, list and revoke links to the map in a browser.",
    discussion: """
      georemind-web serves the map with Page=yes in section [Web] of georemind.conf. A browser \
      with a link acts as the user who made it.
      """,
    subcommands: [Link.self, Links.self, Revoke.self])

  struct LinkOwner: ParsableArguments {
    @Option(
      name: .customLong("for"), help: ArgumentHelp("For root: who owns it.", valueName: "user"))
    var owner: String?

    /// The id of another user, whose link only root may make or revoke; nil for one's own.
    func user() throws(Failure) -> JSONValue? {
      guard let owner else { return nil }
      guard let entry = getpwnam(owner) else { throw Failure(.badData, "no user '\(owner)'") }
      return .int(Int(entry.pointee.pw_uid))
    }
  }

  struct Link: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a link, and show it with a QR code.",
      discussion: """
        georemind web link --name phone
        georemind web link --name guest --view --expires 2d
        """)

    @Option(help: "A name by which the link is listed and revoked.")
    var name = "browser"
    @Flag(help: "The page may change nothing.")
    var view = false
    @Flag(help: "For buttons of notifications: it completes and snoozes, and opens no page.")
    var answers = false
    @Option(help: "When the link ends: a span or a time; without, by 'georemind web revoke'.")
    var expires: String?
    @OptionGroup var owner: LinkOwner
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context).call(
        "MakeLink",
        JSONObject([
          "name": .string(name), "may_change": .bool(!view),
          "only_answers": answers ? true : nil, "expires": expires.map { .string($0) },
          "user": try owner.user(),
        ]))
      guard !options.json else { return try context.output.line(answer) }
      let token = answer["token"]?.string ?? ""
      let web = WebAddress(context)
      guard !answers else { return try context.output.line(token) }
      let url = "\(web.text)/map/#\(token)"
      if context.output.isTerminal, let code = QRCode(url) {
        for line in code.lines { try context.output.line(line) }
      }
      try context.output.line(url)
      try web.noteNumber(context)
      if !web.settings.hasPage {
        try context.note("georemind-web serves the map once section [Web] has Page=yes")
      }
    }
  }

  struct Links: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "List one's links; for root, all.")

    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let display = try context.display()
      let answer = try DaemonConnection(options, context).call("ListLinks")
      let links = answer["links"]?.array?.compactMap(\.object) ?? []
      guard !options.json else { return try links.forEach { try context.output.line($0) } }
      guard !links.isEmpty else {
        return try context.note("no links yet; make one with 'georemind web link'")
      }
      var table = Table()
      for link in links {
        let used = link["used"] == nil ? "never used" : "used "
        let ends = link["expires"] == nil ? "" : "ends "
        table.add([
          link["name"]?.string ?? "?", UserName.of(link["user"]?.int ?? -1),
          link["may_change"]?.bool == true
            ? "may change" : link["only_answers"]?.bool == true ? "may answer" : "may view",
          used + Answer.time(link["used"], display.entry),
          ends + Answer.time(link["expires"], display.entry),
        ])
      }
      for line in table.lines(width: context.output.columns) { try context.output.line(line) }
    }
  }

  struct Revoke: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revoke a link: its pages end at once.")

    @Argument(help: "The name of the link.")
    var name: String
    @OptionGroup var owner: LinkOwner
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context).call(
        "RevokeLink", JSONObject(["name": .string(name), "user": try owner.user()]))
      guard !options.json else { return try context.output.line(answer) }
      try context.note("revoked \(name.printable)")
    }
  }
}
