import ArgumentParser
import Bytes
import CivilTime
import Companion
import Glibc
import Interchange
import JSONText
import LinuxRuntime
import Positioning
import Reminders

/// Speed of playing a recording.
enum ReplaySpeed: Equatable, ExpressibleByArgument {
  case unlimited
  /// Seconds of the recording a second.
  case rate(Double)

  init?(argument: String) {
    switch argument {
    case "max": self = .unlimited
    case "realtime": self = .rate(1)
    default:
      guard let rate = Double(argument), rate > 0, rate.isFinite else { return nil }
      self = .rate(rate)
    }
  }

  var defaultValueDescription: String { "max" }
}

/// A recorded feed against reminders in virtual time; changes nothing.
struct ReplayCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay", abstract: "Play a recorded feed against reminders, in virtual time.",
    discussion: """
      Shows which reminders would have fired, when and why. It changes nothing and needs no \
      daemon, except without --reminders: then it takes the daemon's reminders, as if new, but \
      for the anchor watch. It decides by the default settings and knows no trips: --config and \
      --trips give a machine's own.
      """)

  @Argument(help: "The recording: NMEA 0183, gpsd's JSON or GPX, gzip or not; - is standard input.")
  var file: String

  @Option(
    help: ArgumentHelp(
      "A file of reminders, as 'export' writes it, or a calendar.", valueName: "file"),
    completion: .file())
  var reminders: [String] = []

  @Option("Start at this time; skip earlier fixes.", "time") var from: String?

  @Option("End at this time; skip later fixes.", "time") var to: String?

  @Option(
    help: ArgumentHelp(
      "A file of places, as 'place list --json' prints it, for reminders of a category.",
      valueName: "file"), completion: .file())
  var places: [String] = []

  @Option(
    help: ArgumentHelp("Show at the end why this reminder has not fired.", valueName: "id|title"))
  var why: String?

  @Option(
    help: ArgumentHelp(
      "Draw the trip and its firings as a page for a browser.", valueName: "file"),
    completion: .file(extensions: ["html"]))
  var report: String?

  @Option(
    name: .customLong("zone"),
    help: ArgumentHelp("The zone of GPX times without one; else UTC.", valueName: "zone"))
  var pointZone: String?

  @Option(help: ArgumentHelp("The speed: max, realtime, or a factor.", valueName: "speed"))
  var speed = ReplaySpeed.unlimited

  @OptionGroup var rules: ReplayRules
  @OptionGroup var base: BaseMapOption
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if base.map != nil, report == nil { throw ValidationError("--map is for --report") }
  }

  func run(in context: Context) throws {
    let display = try context.display()
    let zone = display.zone
    let start = try from.map {
      try context.time($0, option: "--from", dayAlone: .start).stamp.instant(in: zone)
    }
    let input = try InputFile(path: file)
    let stop = try to.map {
      try context.time($0, option: "--to", dayAlone: .start).stamp.instant(in: zone)
    }
    let content = try readReminders(context)
    let reminders = content.reminders
    let questioned = try why.map { try Self.find($0, in: reminders) }
    let places = try readPlaces(for: reminders, context)
    var settings = try rules.settings(context)
    settings.units = display.units
    var replay = Replay(
      reminders: reminders, calendar: content.calendar, places: places, from: start, to: stop,
      zone: zone, settings: settings, experience: try rules.experience())
    var picture = try report.map {
      try ReplayReport(path: $0, base: base.open(), engine: replay.engine)
    }
    var decoderOptions = FixDecoder.Options()
    let recordedDate = try input.firstDate()
    decoderOptions.referenceTime = recordedDate ?? start ?? input.modified
    var decoder = FixDecoder(options: decoderOptions)
    let printer = FiringPrinter(context: context, display: display, json: options.json)
    let pace = Pace(speed)
    var times = RecordedTimes()
    var firings = 0
    var leaps = LeapFilter<Fix>()
    var ready: [Fix] = []
    func play(_ fixes: [Fix]) throws {
      for fix in fixes where !replay.isOver {
        times.add(fix.time)
        let wait: ((Instant) throws -> Void)? =
          pace.isUnlimited ? nil : { pace.wait(for: $0) }
        let taken = try replay.take(fix, wait: wait) { firing in
          firings += 1
          picture?.add(firing)
          try printer.print(firing)
          if !pace.isUnlimited { try context.output.flush() }
        }
        picture?.add(fix, taken, replay.engine)
      }
    }
    let pointZone = try pointZone.map { try context.zone(named: $0) } ?? .utc
    let track = try input.readFixes(with: &decoder, zone: pointZone, context) { fixes, _ in
      ready.removeAll(keepingCapacity: true)
      for fix in fixes { leaps.take(fix.time, fix, into: &ready) }
      try play(ready)
    }
    ready.removeAll()
    leaps.finish(into: &ready)
    try play(ready)
    let isGPX = track != nil
    guard track?.points != 0 else {
      throw Failure(
        .badData, "\(input.name): has no track point in it; give a recording of a receiver")
    }
    if replay.began == nil { try input.checkWhole() }
    if !isGPX { try Recording.check(decoder.statistics, of: input) }
    guard let began = replay.began, let end = replay.now else {
      throw Failure(
        .badData,
        "\(input.name): "
          + nothing(
            decoder, isGPX: isGPX, from: start, stop: replay.isOver ? stop : nil, times, zone))
    }
    try picture?.write(
      of: input.name, reminders: reminders, places: places, span: began...max(began, end),
      damage: Recording.damage(decoder.statistics), zone: zone)
    if let explanation = questioned.flatMap({ replay.why($0) }) {
      try WhyPrinter(context: context, display: display, json: options.json).print(explanation.json)
    }
    if let note = times.note(
      isAssumed: recordedDate == nil && start == nil && !isGPX, from: began, zone: zone)
    {
      try context.note(note)
    }
    if let note = replay.older.note { try context.note(note) }
    if leaps.dropped > 0 {
      try context.note(
        "\(counted(leaps.dropped, "fix", "fixes")) alone, up to \(leaps.largest.words) ahead, "
          + "\(leaps.dropped == 1 ? "is" : "are") skipped")
    }
    try context.output.flush()
    guard !options.json else { return try input.checkWhole() }
    var summary =
      "\(counted(replay.fixes, "fix", "fixes")) from \(display.entry(began)) to "
      + "\(display.entry(end)), \(counted(firings, "firing", "firings")), "
      + "\(counted(replay.engine.armedCount, "reminder", "reminders")) still armed"
    if let damage = Recording.damage(decoder.statistics) { summary += "; \(damage)" }
    try context.note(summary)
    try input.checkWhole()
  }

  /// The reason that no fix was played.
  /// - Parameters:
  ///   - from: the value of --from.
  ///   - stop: the value of --to, if that ended the replay.
  private func nothing(
    _ decoder: borrowing FixDecoder, isGPX: Bool, from: Instant?, stop: Instant?,
    _ times: RecordedTimes, _ zone: TimeZoneRules
  ) -> String {
    if let first = times.first, let last = times.last {
      let start = first.rfc3339(zone: zone)
      if let stop {
        return first > stop
          ? "the recording begins at \(start), which is after --to; choose a later time"
          : "no fix is between --from and --to; choose a longer span"
      }
      let given = from.map { " \($0.rfc3339(zone: zone))" } ?? ""
      return "all fixes are before --from\(given): the recording is from \(start) to "
        + "\(last.rfc3339(zone: zone)); choose a time in it"
    }
    if isGPX {
      return "its track points have no <time>; record the track with times, or give NMEA sentences"
    }
    if let untimed = decoder.statistics.reasonWithoutTime {
      return "\(untimed); record sentences with times, or ZDA"
    }
    if decoder.statistics.fixes > 0 {
      return "its fixes have no time at all; give the day it begins with --from"
    }
    return Recording.withoutFix(decoder.statistics) + "; record one where it has"
  }

  /// The id of the reminder with this id or title, or with a part of them.
  private static func find(_ text: String, in reminders: [Reminder]) throws(Failure) -> String {
    if reminders.contains(where: { $0.id == text }) { return text }
    let wanted = text.lowercased()
    let titled = reminders.filter { $0.title.lowercased() == wanted }
    let found =
      titled.isEmpty
      ? reminders.filter { $0.id.hasPrefix(text) || $0.title.lowercased().contains(wanted) }
      : titled
    guard let one = found.first else {
      throw Failure(.badData, "--why: no reminder here has the id or title '\(text)'")
    }
    guard found.count == 1 else {
      let names = found.prefix(5).map { "\($0.id) (\($0.title))" }.joined(separator: ", ")
      throw Failure(.badData, "--why: '\(text)' may be \(names.printable); give more letters")
    }
    return one.id
  }

  /// Places from the files; without files, from the daemon if the reminders are its own.
  private func readPlaces(
    for replayed: [Reminder], _ context: Context
  ) throws -> ReplayPlaces {
    let categories = Set(replayed.compactMap { $0.nearCategory?.nameKey })
    guard places.isEmpty, !categories.isEmpty else { return try ReplayPlaces(files: places) }
    guard reminders.isEmpty else {
      try context.note(
        "no places of category \(categories.sorted().joined(separator: ", ")) are known; give "
          + "them with --places FILE")
      return ReplayPlaces()
    }
    var known = ReplayPlaces()
    let daemon = try DaemonConnection(options, context)
    for category in categories.sorted() {
      try PlacePages(daemon, category: category).forEach { places in
        for place in places { _ = known.add(place) }
      }
    }
    return known
  }

  private func readReminders(_ context: Context) throws -> ReminderFile.Content {
    guard !reminders.isEmpty else {
      return ReminderFile.Content(reminders: try daemonReminders(context))
    }
    return try ReminderInput.read(reminders, context)
  }

  /// The daemon's reminders in their initial state.
  private func daemonReminders(_ context: Context) throws -> [Reminder] {
    let kept: [JSONObject]
    do {
      kept = try DaemonConnection(options, context).reminders()
    } catch let error {
      guard let failure = Failure(error) else { throw error }
      throw Failure(
        failure.status,
        "\(failure.description); or give the reminders with --reminders FILE")
    }
    return try kept.compactMap { kept in
      var object = ReminderInput.withoutProgress(kept)
      object["state"] = nil
      let reminder = try Reminder(json: object)
      guard reminder.watchesAnchor else { return reminder }
      try context.note(
        "the anchor watch of now is left out; for a recording of this night play it with "
          + "'georemind export > FILE' and --reminders FILE")
      return nil
    }
  }
}
