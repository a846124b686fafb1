import ArgumentParser
import CivilTime
import Geodesy
import Interchange
import JSONText
import Positioning

/// The trips that the daemon has kept.
struct TripsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "trips", abstract: "List, export and forget the trips of the device.",
    discussion: """
      The daemon keeps trips with Keep=30d in section [Track] of georemind.conf. A trip goes from \
      one stay of five minutes to the next.
      """,
    subcommands: [List.self, Export.self, Forget.self], defaultSubcommand: List.self)

  struct List: ClientCommand {
    static let configuration = CommandConfiguration(abstract: "List trips, the latest last.")

    @Option(help: "List this many trips at most, the latest.")
    var limit = 50
    @Option("List trips that ended after this time: today, -7d …", "time") var since: String?
    @OptionGroup var options: CommonOptions

    func validate() throws {
      if !(1...1000).contains(limit) { throw ValidationError("--limit is 1 to 1000") }
    }

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context).call(
        "ListTrips", ["limit": .int(limit), "since": since.map { .string($0) }])
      let trips = answer["trips"]?.array?.compactMap(\.object) ?? []
      guard !options.json else { return try trips.forEach { try context.output.line($0) } }
      guard !trips.isEmpty else {
        return try context.note("no trips yet; one is listed once you have stayed for five minutes")
      }
      let display = try context.display()
      var table = Table()
      for trip in trips.reversed() {
        table.add([
          trip["id"]?.string ?? "", Answer.time(trip["start"], display.entry), "to",
          Answer.time(trip["end"], display.entry), display.length(trip["distance_m"]?.double ?? 0),
          Answer.age(trip["time_s"]?.double ?? 0),
        ])
      }
      try context.output.lines(table)
    }
  }

  struct Export: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the track of a trip.")

    @Argument(help: "The id of the trip, the beginning of it, or last.")
    var id: String
    @Option(help: "The format.") var format = TrackWriter.Format.gpx
    @OptionGroup var options: CommonOptions

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context).call(
        "ReadTrack", ["trip": .string(id)])
      guard !options.json else { return try context.output.line(answer) }
      let points = RecordedTrack(answer["track"]).points
      let name = answer["trip"]?["id"]?.string ?? id
      try context.output.part(TrackWriter.text(points, name: name, format: format))
    }
  }

  struct Forget: ClientCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete trips and the track.",
      discussion: "Deleted positions are overwritten on disk, and no undo brings them back.")

    @Option("Delete what ended before this time: today, -7d …", "time") var before: String?
    @Flag(help: "Delete everything.") var all = false
    @OptionGroup var options: CommonOptions

    func validate() throws {
      if all == (before != nil) { throw ValidationError("give --before TIME or --all") }
    }

    func run(in context: Context) throws {
      let answer = try DaemonConnection(options, context).call(
        "ForgetTrack", JSONObject(["before": before.map { .string($0) }]))
      guard !options.json else { return try context.output.line(answer) }
      try context.note("forgot \(counted(answer["trips"]?.int ?? 0, "trip", "trips"))")
    }
  }
}

extension TrackWriter.Format: ExpressibleByArgument {}

/// The columns of `ReadTrack`, read.
struct RecordedTrack {
  private(set) var fixes: [Fix] = []
  private(set) var points: [TrackWriter.Point] = []

  init(_ track: JSONValue?) {
    func column(_ name: String) -> [Int] { track?[name]?.array?.map { $0.int ?? 0 } ?? [] }
    let (times, latitudes, longitudes) = (column("t"), column("lat"), column("lon"))
    let (speeds, errors, gaps) = (column("speed"), column("eph"), Set(column("gaps")))
    var sums = (time: 0, latitude: 0, longitude: 0)
    let count = [times, latitudes, longitudes, speeds, errors].map(\.count).min() ?? 0
    for index in 0..<count {
      sums.time &+= times[index]
      sums.latitude &+= latitudes[index]
      sums.longitude &+= longitudes[index]
      let position = Coordinate(
        clampingLatitude: Double(sums.latitude) / 1e6,
        wrappingLongitude: Double(sums.longitude) / 1e6)
      let time = Instant(seconds: Double(sums.time) / 1e3)
      points.append(.init(time: time, position: position, isAfterGap: gaps.contains(index)))
      fixes.append(
        Fix(
          time: time, position: position, speed: Double(speeds[index]) / 10,
          eph: errors[index] < 0 ? nil : Double(errors[index]) / 10))
    }
  }
}
