import ArgumentParser
import CivilTime
import JSONText

struct MuteCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "mute", abstract: "Hold notifications and hooks for a while, but urgent ones.",
    discussion: """
      Firings that wait arrive as one summary at the end. Urgent ones do not wait: priority 1 \
      to 3, an anchor watch, a lost position. QuietHours= in georemind.conf does this each day. \
      Where several users have reminders, it is for your own notifications and hooks; root's is \
      for all. \
      Examples: mute 2h, mute until tomorrow 8:00, mute off.
      """)

  @Argument(help: ArgumentHelp("A span, 'until' and a time, or 'off'; nothing has no end."))
  var until: [String] = []
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let hasJoint = until.count > 1 && SnoozeCommand.joints.contains(until[0])
    let words = until[(hasJoint ? 1 : 0)...]
    let text = words.joined(separator: " ")
    let answer = try DaemonConnection(options, context).call(
      "Mute",
      text == "off" ? ["off": true] : JSONObject(["until": text.isEmpty ? nil : .string(text)]))
    guard !options.json else { return try context.output.line(answer) }
    let sentence = Self.words(answer["quiet"], try context.display()) ?? "no more"
    try context.output.line("quiet: \(sentence)")
  }

  /// A sentence about `quiet` of an answer; nil without any quiet.
  static func words(_ quiet: JSONValue?, _ display: Display) -> String? {
    guard let quiet else { return nil }
    guard quiet["now"]?.bool == true else {
      return quiet["hours"]?.string.map { "not now; each day \($0)" }
    }
    let end = quiet["until"] == nil ? "" : " until \(Answer.time(quiet["until"], display.due))"
    let held = quiet["held"]?.int ?? 0
    let whose = quiet["all"]?.bool == false ? " for your own destinations" : ""
    return "now\(whose)\(end)\(held > 0 ? ", \(held) waiting" : ""); 'georemind mute off' ends it"
  }
}
