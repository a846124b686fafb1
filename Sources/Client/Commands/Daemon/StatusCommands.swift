import ArgumentParser
import CivilTime
import Companion
import Departure
import Geodesy
import JSONText
import Reminders

/// The daemon's health.
struct StatusCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Show the daemon's health: feeds, fix, next due time.",
    discussion: """
      georemind status
      georemind status --quiet || notify-send "georemind: see its status"

      The exit code is 69 if no daemon answers, and 1 if something is wrong. Something is wrong if \
      a feed or the position is lost, the store or a delivery fails, a reminder or a line of the \
      configuration cannot be read, or the clock is not trusted. With --json and --metrics the \
      exit code is 0 then: the output has it.
      """)

  @Flag(name: .shortAndLong, help: "Print nothing; the exit code alone is the answer.")
  var quiet = false

  @Flag(help: "Print metrics in the text format of OpenMetrics, for Prometheus.")
  var metrics = false

  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    do {
      try show(context)
    } catch {
      guard quiet, let failure = Failure(error) else { throw error }
      throw Failure(failure.status, "")
    }
  }

  private func show(_ context: Context) throws {
    let daemon = try DaemonConnection(options, context)
    let status = try daemon.call("Status")["status"]?.object ?? JSONObject()
    if metrics {
      return try context.output.part(Metrics(status, try daemon.call("ListConsumers")).text)
    }
    guard !options.json || quiet else { return try context.output.line(status) }
    if !quiet {
      let lines = Self.lines(status, try context.display())
      for line in lines { try context.output.line(line) }
    }
    let problems = Self.problems(status)
    guard problems.isEmpty else {
      throw Failure(.noAnswer, problems.joined(separator: "; "))
    }
  }

  static func lines(_ status: JSONObject, _ display: Display) -> [String] {
    var table = Table()
    let version = status["version"]?.string.map { " \($0)" } ?? ""
    let isRecording = status["clock"]?.string == "recording"
    table.add("daemon", "georemindd\(version)\(isRecording ? ", playing a recording" : "")")
    table.add("store", status["store_trouble"]?.string.map { "failure: \($0)" })
    for line in status["configuration_errors"]?.array ?? [] { table.add("wrong line", line.string) }
    table.add("time", status["time"].map { Answer.time($0, display.entry) } ?? "not begun")
    if status["clock_trusted"]?.bool == false {
      let waiting = status["dates_waiting_for_clock"]?.int ?? 0
      table.add(
        "clock", "not trusted yet; dates wait" + (waiting > 0 ? ", \(waiting) of them due" : ""))
    }
    let armed = status["armed"]?.int ?? 0
    table.add("reminders", "\(status["reminders"]?.int ?? 0), \(armed) of them armed")
    for problem in unreadable(status) { table.add("unreadable", problem) }
    for zone in status["unknown_zones"]?.array ?? [] { table.add("zone", zone.string) }
    table.add("next due", status["next_due"].map { Answer.time($0, display.due) } ?? "nothing")
    table.add("quiet", MuteCommand.words(status["quiet"], display))
    table.add("position", position(status, display))
    table.add("anchor", status["anchor"]?.object.map { anchor($0, display) })
    for tracker in status["trackers"]?.array ?? [] {
      let count = tracker["reminders"]?.int ?? 0
      let age = tracker["age_s"]?.double.map { "last fix \(Answer.age($0)) ago" } ?? "no fix yet"
      table.add(
        "tracker",
        "\(tracker["name"]?.string ?? "?"): \(age), \(count) reminder\(count == 1 ? "" : "s")")
    }
    for line in travelLines(status) { table.add("travel", line) }
    table.add("routing", status["routing"]?.object.map(Self.routing))
    for line in CalendarsCommand.lines(status) { table.add("calendar", line) }
    for row in status["delivery"]?.array ?? [] { table.add("delivery", delivery(row, display)) }
    let feeds = status["feeds"]?.array ?? []
    if feeds.isEmpty { table.add("feed", "none; set Feed= in georemind.conf") }
    for feed in feeds {
      for (index, line) in feedLines(feed.object ?? JSONObject()).enumerated() {
        table.add(index == 0 ? "feed" : "", line)
      }
    }
    return table.lines()
  }

  /// The rows that the daemon cannot read, and where their text is; empty if there is none.
  static func unreadable(_ status: JSONObject) -> [String] {
    let problems = (status["unreadable"]?.array ?? []).compactMap(\.string)
    guard !problems.isEmpty, let path = status["unreadable_text"]?.string else { return [] }
    return problems + ["their text is in \(path); add them again from it"]
  }

  /// Learnt travel times, one line per mode; empty before there are any.
  static func travelLines(_ status: JSONObject) -> [String] {
    (status["travel"]?.object?.members ?? []).compactMap { mode, learnt in
      guard let trips = learnt["trips"]?.int, trips > 0 else { return nil }
      let count = "\(mode): \(trips) trip\(trips == 1 ? "" : "s")"
      func percent(_ key: String) -> String {
        learnt[key]?.double.map { "\(Int(max(-1e9, min(1e9, $0 * 100)).rounded())) %" } ?? "?"
      }
      return "\(count), half of them within \(percent("factor")) of the usual time, and times to "
        + "leave count \(percent("punctual_factor"))"
    }
  }

  /// A destination that has failed for an hour or longer.
  private static func delivery(_ delivery: JSONValue, _ display: Display) -> String {
    "\(delivery["name"]?.string ?? "?") failing since "
      + Answer.time(delivery["failing_since"], display.entry)
      + ", \(delivery["waiting"]?.int ?? 0) waiting: \(delivery["text"]?.string ?? "?")"
  }

  private static func routing(_ routing: JSONObject) -> String {
    let answered = routing["answered"]?.int ?? 0
    let failed = routing["failed"]?.int ?? 0
    var text = "\(answered) answers, \(failed) failures"
    if let refused = routing["refused"]?.int, refused > 0 {
      text += ", \(refused) implausible times"
    }
    if failed > 0, let reason = routing["reason"]?.string { text += "; last failure: \(reason)" }
    return text
  }

  /// A feed's state, its counts, its errors and its senders.
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
          !["baud", "retry_in_s", "fix_age_s", "dropped_by_s"].contains(name)
        else { return nil }
        return "\(count) \(name.split(separator: "_").joined(separator: " "))"
      }
    }
    let counters = counts(feed)
    if !counters.isEmpty { lines.append(counters.joined(separator: ", ")) }
    let sentences = counts(feed["sentences"]?.object ?? JSONObject())
    if !sentences.isEmpty { lines.append("sentences: \(sentences.joined(separator: ", "))") }
    let receivers = feed["receivers"]?.array ?? []
    for (number, receiver) in receivers.enumerated() {
      let scatter = scatter(receiver)
      let name = receiver["name"]?.string
      guard receivers.count > 1 || name != nil else {
        if let scatter { lines.append(scatter) }
        continue
      }
      let talker = receiver["talker"]?.string.map { " (\($0))" } ?? ""
      let head = name ?? "receiver \(number + 1)"
      var line = "\(head)\(talker): \(receiver["fixes"]?.int ?? 0) fixes"
      if let age = receiver["fix_age_s"]?.double { line += ", last \(Answer.age(age)) ago" }
      if receiver["followed"]?.bool == true { line += ", followed" }
      if let reason = receiver["reason"]?.string { line += ", not used: \(reason)" }
      if let scatter { line += ", \(scatter)" }
      lines.append(line)
    }
    let silent = (feed["talkers_without_position"]?.array ?? []).compactMap(\.string)
    if !silent.isEmpty { lines.append("without a position: \(silent.joined(separator: ", "))") }
    for key in ["last_error", "decoder_error"] {
      if let error = feed[key]?.string { lines.append("last error: \(error)") }
    }
    return lines
  }

  /// The scale of a receiver's claims in words; nil for a receiver that was never followed.
  private static func scatter(_ receiver: JSONValue) -> String? {
    guard let scale = receiver["error_scale"]?.double else { return nil }
    let minutes = receiver["error_scale_minutes"]?.int ?? 0
    let ratio = "\(Decimal.rounded(scale, digits: 1))"
    return minutes == 0
      ? "taken to scatter \(ratio) times as much as it claims"
      : "scatters \(ratio) times as much as it claims (\(minutes) minutes at rest)"
  }

  /// `84 m at 45°, outside the circle of 40 m; ALARM: dragging since 02:14`.
  private static func anchor(_ anchor: JSONObject, _ display: Display) -> String {
    let circle = "the circle of \(display.length(anchor["radius_m"]?.double ?? .nan))"
    var text =
      switch anchor["place"]?.string {
      case "inside"?: "inside \(circle)"
      case "outside"?: "outside \(circle)"
      case "lost"?: "position lost, \(circle)"
      default: "no fix yet, \(circle)"
      }
    if let distance = anchor["distance_m"]?.double, let bearing = anchor["bearing_deg"]?.double {
      text = "\(display.length(distance)) at \(Int(bearing) % 360)°, \(text)"
    }
    if let says = anchor["says"]?.string { text += "; \(says)" }
    if let end = anchor["silenced_until"]?.instant {
      text += "; silenced until \(display.entry(end))"
    }
    return text
  }

  private static func position(_ status: JSONObject, _ display: Display) -> String {
    guard let fix = status["fix"] else { return status["position"]?.string ?? "none" }
    let loss = status["position_lost"]
    var text = status["position"]?.string ?? "known"
    if let loss, let says = loss["says"]?.string {
      text += " since \(Answer.time(loss["since"], display.entry)): \(says)"
    }
    text += fix["mode"]?.int == 3 ? ", 3D" : ", 2D"
    if let error = fix["eph_m"]?.double { text += ", ±\(display.length(error))" }
    // A receiver that hangs sends its old position anew.
    if loss?["cause"]?.string != "frozen", let age = fix["age_s"]?.double {
      text += ", \(Answer.age(age)) old"
    }
    return text
  }
}
