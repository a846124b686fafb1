import ArgumentParser
import CivilTime
import Geodesy
import JSONText

/// What fires next.
struct NextCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "next", abstract: "Show what fires next: timers by time, places by distance.")

  @Option(help: "How many of each at most.")
  var limit = 10
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let zone = try context.zone()
    let daemon = try DaemonConnection(options, context)
    let answer = try daemon.call("Next", ["limit": .int(limit)])
    guard !options.json else { return try context.output.line(answer) }
    let timers = answer["timers"]?.array ?? []
    let places = answer["places"]?.array ?? []
    let ids = ShortIDs(Array(Set((timers + places).compactMap { $0["id"]?.string })))
    var table = Table()
    for entry in timers {
      table.add([
        ids[entry["id"]?.string ?? ""], Answer.time(entry["time"], zone),
        entry["title"]?.string ?? "",
      ])
    }
    for entry in places {
      let place = entry["place"]?.string.map { " \($0)" } ?? ""
      let distance = entry["distance_m"]?.double ?? .nan
      table.add([
        ids[entry["id"]?.string ?? ""],
        distance <= 0 ? "here" : "in \(Length.formatted(metres: distance))",
        entry["title"]?.string ?? "", "\(entry["on"]?.string ?? "")\(place)",
      ])
    }
    if table.isEmpty {
      let status = try daemon.call("Status")["status"]
      let isWithoutFix = status?["armed"]?.int ?? 0 > 0 && status?["fix"] == nil
      try context.note(
        isWithoutFix
          ? "no date waits, and without a fix no place has a distance; see 'georemind status'"
          : "nothing waits to fire")
    }
    for line in table.lines() { try context.output.line(line) }
  }
}

/// The daemon's health.
struct StatusCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the daemon's health: feeds, fix, what is due.")

  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let zone = try context.zone()
    let answer = try DaemonConnection(options, context).call("Status")
    let status = answer["status"]?.object ?? JSONObject()
    guard !options.json else { return try context.output.line(status) }
    for line in Self.lines(status, zone: zone) { try context.output.line(line) }
  }

  static func lines(_ status: JSONObject, zone: TimeZoneRules) -> [String] {
    var table = Table()
    let version = status["version"]?.string.map { " \($0)" } ?? ""
    let isRecording = status["clock"]?.string == "recording"
    table.add([
      "daemon", "georemindd\(version)\(isRecording ? ", playing a recording" : "")",
    ])
    if let trouble = status["store_trouble"]?.string {
      table.add(["store", "trouble: \(trouble)"])
    }
    table.add(["time", status["time"] == nil ? "not begun" : Answer.time(status["time"], zone)])
    if status["clock_trusted"]?.bool == false {
      let waiting = status["dates_waiting_for_clock"]?.int ?? 0
      table.add([
        "clock",
        "not trusted yet, dates wait"
          + (waiting > 0 ? ": \(waiting) would be due by it" : ""),
      ])
    }
    table.add([
      "reminders",
      "\(status["reminders"]?.int ?? 0), \(status["armed"]?.int ?? 0) of them armed",
    ])
    table.add(["next due", status["next_due"] == nil ? "-" : Answer.time(status["next_due"], zone)])
    table.add(["position", position(status)])
    for line in travelLines(status) { table.add(["travel", line]) }
    if let routing = status["routing"]?.object { table.add(["routing", Self.routing(routing)]) }
    let feeds = status["feeds"]?.array ?? []
    if feeds.isEmpty { table.add(["feed", "none; set Feed= in georemind.conf"]) }
    for feed in feeds {
      for (index, line) in feedLines(feed.object ?? JSONObject()).enumerated() {
        table.add([index == 0 ? "feed" : "", line])
      }
    }
    return table.lines()
  }

  /// What own trips have taught; nothing where they have not yet.
  static func travelLines(_ status: JSONObject) -> [String] {
    (status["travel"]?.object?.members ?? []).compactMap { mode, learnt in
      guard let trips = learnt["trips"]?.int, trips > 0 else { return nil }
      let count = "\(mode): \(trips) trip\(trips == 1 ? "" : "s")"
      guard let factor = learnt["factor"]?.double else { return "\(count), too few to learn from" }
      return "\(count), \(Int((factor * 100).rounded())) % of the usual time"
    }
  }

  private static func routing(_ routing: JSONObject) -> String {
    let answered = routing["answered"]?.int ?? 0
    let failed = routing["failed"]?.int ?? 0
    var text = "\(answered) answers, \(failed) failures"
    if let refused = routing["refused"]?.int, refused > 0 {
      text += ", \(refused) times that cannot be"
    }
    if failed > 0, let reason = routing["reason"]?.string { text += "; last trouble: \(reason)" }
    return text
  }

  /// What a feed is doing, what came over it, what of that was wrong, and who sends it.
  private static func feedLines(_ feed: JSONObject) -> [String] {
    var head = "\(feed["url"]?.string ?? "?"): "
    head += (feed["condition"] ?? feed["state"])?.string ?? "?"
    if let wait = feed["retry_in_s"]?.double { head += ", trying again in \(Answer.age(wait))" }
    if feed["followed"]?.bool == true { head += ", followed" }
    if let age = feed["fix_age_s"]?.double { head += ", last fix \(Answer.age(age)) ago" }
    var lines = [head]
    func counts(_ object: JSONObject) -> [String] {
      object.members.compactMap { name, value in
        guard let count = value.int, count > 0 || name == "fixes",
          !["baud", "retry_in_s", "fix_age_s"].contains(name)
        else { return nil }
        return "\(count) \(name.split(separator: "_").joined(separator: " "))"
      }
    }
    let counters = counts(feed)
    if !counters.isEmpty { lines.append(counters.joined(separator: ", ")) }
    let sentences = counts(feed["sentences"]?.object ?? JSONObject())
    if !sentences.isEmpty { lines.append("sentences: \(sentences.joined(separator: ", "))") }
    let receivers = feed["receivers"]?.array ?? []
    for (number, receiver) in receivers.enumerated() where receivers.count > 1 {
      var line = "receiver \(number + 1): \(receiver["fixes"]?.int ?? 0) fixes"
      if let age = receiver["fix_age_s"]?.double { line += ", last \(Answer.age(age)) ago" }
      if receiver["followed"]?.bool == true { line += ", followed" }
      lines.append(line)
    }
    for key in ["last_error", "decoder_error"] {
      if let error = feed[key]?.string { lines.append("last error: \(error)") }
    }
    return lines
  }

  private static func position(_ status: JSONObject) -> String {
    guard let fix = status["fix"] else { return status["position"]?.string ?? "none" }
    var text = status["position"]?.string ?? "known"
    text += fix["mode"]?.int == 3 ? ", 3D" : ", 2D"
    if let error = fix["eph_m"]?.double { text += ", ±\(Length.formatted(metres: error))" }
    if let age = fix["age_s"]?.double { text += ", \(Answer.age(age)) old" }
    return text
  }
}

/// Past firings.
struct LogCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show past firings, the latest last.")

  @Option(help: "How many at most.")
  var limit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only those since: today, -2h, 2026-11-21 …", valueName: "time"))
  var since: String?

  @Option(help: ArgumentHelp("Only those of one reminder.", valueName: "id"))
  var reminder: String?
  @OptionGroup var options: CommonOptions

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit is at least 1") }
  }

  func run(in context: Context) throws {
    let zone = try context.zone()
    let since = try since.map { try context.stamp($0, option: "--since").instant(in: zone).json }
    let answer = try DaemonConnection(options, context).call(
      "Log",
      [
        "limit": limit.map { .int($0) }, "since": since.map { .string($0) },
        "reminder": reminder.map { .string($0) },
      ])
    let printer = FiringPrinter(context: context, zone: zone, json: options.json)
    for firing in answer["firings"]?.array ?? [] { try printer.print(firing.object ?? [:]) }
  }
}

/// Values of the daemon's answers, for people.
enum Answer {
  static func time(_ value: JSONValue?, _ zone: TimeZoneRules) -> String {
    let text = value?.string ?? ""
    return (try? Instant(rfc3339: text))?.rfc3339(zone: zone) ?? text
  }

  static func age(_ seconds: Double) -> String {
    let unit = seconds >= 3600 ? 60.0 : 1
    let rounded = max(0, (seconds / unit).rounded() * unit)
    return rounded == 0 ? "0s" : TimeSpan(seconds: rounded).description
  }
}
