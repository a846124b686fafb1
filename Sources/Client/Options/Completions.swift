import ArgumentParser
import CivilTime
import JSONText

/// Shell completions: names from the daemon, and times. Without a daemon there are none, silently.
enum Completions {
  /// Titles of waiting reminders; an id where a title would mean several, or an id is typed.
  static let reminders = names { daemon, typed in
    let all = try daemon.reminders().filter { !["done", "expired"].contains($0["state"]?.string) }
    let titled = all.map { (id: $0["id"]?.string ?? "", title: $0["title"]?.string ?? "") }
    let sets = titled.map { wordSet(of: $0.title) }
    func isUnique(_ title: String) -> Bool {
      let wanted = wordSet(of: title)
      return !wanted.isEmpty && sets.count { $0.isSuperset(of: wanted) } == 1
    }
    let ids = typed.isEmpty ? [] : titled.map(\.id).filter { $0.hasPrefix(typed) }
    return ids
      + titled.filter { begins($0.title, typed) }.prefix(maximumCount)
      .map { isUnique($0.title) ? $0.title : $0.id }
  }

  static let places = names { daemon, typed in
    try daemon.call(
      "FindPlaces", ["words": typed.isEmpty ? nil : .string(typed), "limit": .int(maximumCount)])[
        "places"]?.array?.compactMap { $0["name"]?.string } ?? []
  }

  static let categories = names { daemon, _ in try Suggestions.categories(daemon) }

  static let calendarLists = names { daemon, _ in
    let folders = try daemon.call("Status")["status"]?["calendars"]?.array ?? []
    return folders.flatMap { $0["lists"]?.array ?? [] }.compactMap(\.string)
  }

  /// Some times and repeats; any other that `when` reads will do.
  static let times = CompletionKind.list(timePhrases)
  static let repeats = CompletionKind.list(repeatPhrases)
  static let phrases = timePhrases + repeatPhrases

  private static let timePhrases =
    [
      "in 20 minutes", "in half an hour", "in an hour", "in 2 hours", "today 18:00", "tonight",
      "tomorrow", "tomorrow 9:00", "tomorrow 18:00", "day after tomorrow",
    ] + Weekday.allCases.map(\.name)
    + ["weekend", "next week", "end of month", "next month", "in 3 days", "in 2 weeks"]

  private static let repeatPhrases =
    [
      "every day", "weekdays", "weekends", "every week", "every 2 weeks", "every month",
      "every year", "every last friday of the month", "every month on the last day",
    ] + Weekday.allCases.map { "every \($0.name)" }

  /// A longer list helps nobody, and costs time.
  private static let maximumCount = 100

  private static func wordSet(of title: String) -> Set<String> {
    Set(title.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
  }

  private static func begins(_ title: String, _ typed: String) -> Bool {
    title.lowercased().hasPrefix(typed.lowercased())
  }

  /// Asks the daemon of the command line, or the usual one.
  /// - Parameter find: gets what is typed of the word, without quotes.
  private static func names(
    _ find: @escaping @Sendable (DaemonConnection, _ typed: String) throws -> [String]
  ) -> CompletionKind {
    let complete: @Sendable ([String], Int, String) -> [String] = { words, _, prefix in
      let socket = words.firstIndex(of: "--socket").flatMap { words.dropFirst($0 + 1).first }
      let typed = prefix.filter { !"'\"\\".contains($0) }
      var context = Context.process()
      // Nobody waits a second for a list.
      context.retryDelay = 0
      let daemon = try? DaemonConnection(socket: socket, context)
      return daemon.flatMap { try? find($0, typed) } ?? []
    }
    return .custom(complete)
  }
}
