import ArgumentParser
import CivilTime
import Geodesy
import JSONText

struct NextCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "next", abstract: "Show the next reminders: dates by time, places by distance.")

  @Option(help: "Show this many of each at most.")
  var limit = 10
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let display = try context.display()
    let daemon = try DaemonConnection(options, context)
    let answer = try daemon.call("Next", ["limit": .int(limit)])
    guard !options.json else { return try context.output.line(answer) }
    let timers = answer["timers"]?.array ?? []
    let places = answer["places"]?.array ?? []
    let ids = ShortIDs(Array(Set((timers + places).compactMap { $0["id"]?.string })))
    // The daemon sorts both: by the moment, and by the distance.
    var listing = GroupedListing<[String]> { _, _ in false }
    for entry in timers {
      listing.add(
        [
          ids[entry["id"]?.string ?? ""], Answer.time(entry["time"], display.due),
          entry["title"]?.string ?? "",
          entry["waits_for_clock"]?.bool == true ? "waits until the clock is trusted" : "",
          entry["repeated"]?.bool == true ? "again, until it is done" : "",
        ], under: Heading(rank: 0, text: "by time"))
    }
    for entry in places {
      let place = entry["place"]?.string.map { " \($0)" } ?? ""
      let distance = entry["distance_m"]?.double ?? .nan
      listing.add(
        [
          ids[entry["id"]?.string ?? ""],
          distance <= 0 ? "here" : "in \(display.length(distance))",
          entry["title"]?.string ?? "", "\(entry["on"]?.string ?? "")\(place)",
        ], under: Heading(rank: 1, text: "by distance"))
    }
    try listing.print(to: context.output) { $0 }
    if places.isEmpty {
      let status = try daemon.call("Status")["status"]
      let dates = Set(timers.compactMap { $0["id"]?.string }).count
      let isWithoutFix =
        dates < limit && status?["armed"]?.int ?? 0 > dates && status?["fix"] == nil
      if isWithoutFix {
        let begin = timers.isEmpty ? "no date waits, and " : ""
        try context.note("\(begin)without a fix no place has a distance; see 'georemind status'")
      } else if timers.isEmpty {
        try context.note("nothing waits to fire")
      }
    }
    if let words = MuteCommand.words(answer["quiet"], display) {
      try context.note("quiet: \(words)")
    }
    for problem in answer["problems"]?.array ?? [] { try context.note(problem.string ?? "") }
  }
}
