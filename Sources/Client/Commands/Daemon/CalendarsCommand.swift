import ArgumentParser
import JSONText

/// The followed calendar folders and what cannot be read in them.
struct CalendarsCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "calendars", abstract: "Show the calendar folders, and what cannot be read there.",
    discussion: """
      Lists each problem with file, line and reason until it is mended. The rest of the file counts.
      """)

  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let status = try DaemonConnection(options, context).call("Status")["status"]?.object
    guard !options.json else {
      for folder in status?["calendars"]?.array ?? [] {
        try context.output.line(folder.object ?? JSONObject())
      }
      return
    }
    let lines = Self.lines(status ?? JSONObject())
    for line in lines { try context.output.line(line) }
    if lines.isEmpty {
      try context.note("no folder is followed; set Folder= of [Calendar] in georemind.conf")
    }
  }

  /// A line for each folder of a status, and below it one for each problem.
  static func lines(_ status: JSONObject) -> [String] {
    (status["calendars"]?.array ?? []).flatMap { folder in
      let files = counted(folder["files"]?.int ?? 0, "file", "files")
      let reminders = counted(folder["reminders"]?.int ?? 0, "reminder", "reminders")
      let head = "\(folder["folder"]?.string ?? "?"): \(files), \(reminders)"
      return [head] + (folder["problems"]?.array ?? []).compactMap(\.string)
    }
  }
}
