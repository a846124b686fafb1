import ArgumentParser
import Companion

/// The help of the program as a whole, on one page of a terminal, and the usage lines of verbs.
enum FirstHelp {
  private static let columns = 80

  static var text: String {
    var table = ""
    for group in GeoremindCommand.configuration.groupedSubcommands
    where group.name != GeoremindCommand.more {
      let verbs = group.subcommands.compactMap { $0.configuration.commandName }
      let indent = String(repeating: " ", count: 11)
      var line = group.name + String(repeating: " ", count: 11 - group.name.count)
      for (index, verb) in verbs.enumerated() {
        let word = verb + (index == verbs.count - 1 ? "" : ", ")
        if line.count + word.count > columns {
          table += line.dropLast() + "\n"
          line = indent
        }
        line += word
      }
      table += line + "\n"
    }
    return """
      Reminders at places and times.

        georemind add 'Buy milk' --at Rewe
        georemind add 'Call Mum' --due 'tomorrow 18:00'
        georemind list --due today

      USAGE: georemind <verb> [<argument> ...]

      \(table)
      'georemind help VERB' explains a verb, and 'georemind help' lists all of them.
      'georemind --version' prints the version. See also georemind(1).
      """
  }

  /// A help text whose usage line fits a terminal, with the options in one word where need be.
  static func withShortUsage(_ help: String) -> String {
    help.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard line.hasPrefix("USAGE: "), line.count > columns,
        let options = line.firstRange(of: " [--")
      else { return String(line) }
      return line[..<options.lowerBound] + " [<options>]"
    }.joined(separator: "\n")
  }
}
