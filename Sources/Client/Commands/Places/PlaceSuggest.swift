import ArgumentParser
import Geodesy
import JSONText

/// Where the device stays often without a place there.
struct PlaceSuggest: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "suggest", abstract: "Suggest places: where you stay often.",
    discussion: """
      It takes the stays between the trips that the daemon has kept (Keep= in section [Track]): \
      three or more within 150 m. 'place add NAME LAT,LON' makes a place of one.
      """)

  @Option(help: "Suggest this many places at most.")
  var limit = 10
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let answer = try DaemonConnection(options, context).call(
      "SuggestPlaces", ["limit": .int(limit)])
    let places = answer["places"]?.array?.compactMap(\.object) ?? []
    guard !options.json else { return try places.forEach { try context.output.line($0) } }
    guard !places.isEmpty else {
      return try context.note("nowhere without a place have you stayed three times")
    }
    let display = try context.display()
    var table = Table()
    for place in places {
      table.add([
        JSONValue.object(place).coordinate?.formatted(.decimalDegrees) ?? "",
        counted(place["visits"]?.int ?? 0, "visit", "visits"),
        Answer.age(place["time_s"]?.double ?? 0),
        "last " + Answer.time(place["last"], display.entry),
      ])
    }
    try context.output.lines(table)
  }
}
