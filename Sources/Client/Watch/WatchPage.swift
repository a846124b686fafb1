import CivilTime
import Companion
import Geodesy
import JSONText

/// The page of `watch`: the daemon's answers as lines of a given size, by the daemon's clock.
struct WatchPage {
  /// The daemon's last answer to each question.
  struct State {
    var status = JSONObject()
    var position = JSONObject()
    var next = JSONObject()
    /// The latest last.
    var firings: [JSONObject] = []
    /// Why there is no daemon, if there is none.
    var failure: String?

    static let keptFirings = 200

    mutating func add(_ firing: JSONObject) {
      firings.append(firing)
      if firings.count > Self.keptFirings {
        firings.removeFirst(firings.count - Self.keptFirings)
      }
    }
  }

  private struct Section {
    let title: String
    var rows: [[String]]
    /// The text of a section without rows.
    let absence: String
    /// Marks the first row.
    var isFirstStrong = false

    /// Lines it would like to have: its title, its rows or their absence, and a gap.
    var wanted: Int { 2 + max(1, rows.count) }
  }

  /// Width from which the page has two columns.
  static let wideColumns = 120

  let state: State
  let display: Display

  /// Exactly `rows` lines, none wider than `columns`.
  func lines(columns: Int, rows: Int) -> [PageLine] {
    guard columns > 0, rows > 0 else { return [] }
    var lines = head(columns)
    lines.append(PageLine())
    let room = max(0, rows - lines.count - 1)
    if columns >= Self.wideColumns {
      let left = (columns - 3) / 2
      let a = stacked([times, fences], width: left, height: room)
      let b = stacked([firings, places], width: columns - 3 - left, height: room)
      for index in 0..<room {
        var line = (index < a.count ? a[index] : PageLine()).filled(to: left)
        line.append("   ")
        if index < b.count { line.append(b[index]) }
        lines.append(line)
      }
    } else {
      lines += stacked([times, fences, firings], width: columns, height: room)
    }
    lines = lines.prefix(max(0, rows - 1)).map { $0.clipped(to: columns) }
    while lines.count < rows - 1 { lines.append(PageLine()) }
    lines.append(PageLine("q quits", .faint).clipped(to: columns))
    return lines
  }

  // MARK: - Head

  private func head(_ columns: Int) -> [PageLine] {
    var first = PageLine("georemind", .strong)
    first.append("  ")
    first.append(position)
    let clock = now.map(display.time.clock) ?? ""
    first = first.filled(to: max(0, columns - clock.columns - 2))
    first.append("  \(clock)", .faint)
    var lines = [first]
    if let failure = state.failure {
      lines.append(PageLine("no daemon, trying again: \(failure)", .alarm))
    }
    if let failure = state.status["store_trouble"]?.string {
      lines.append(PageLine("store failure: \(failure)", .alarm))
    }
    let feeds = state.status["feeds"]?.array ?? []
    // The followed feed first, then as many others as fit.
    let ordered =
      feeds.filter { $0["followed"]?.bool == true }
      + feeds.filter { $0["followed"]?.bool != true }
    for feed in ordered.prefix(3) { lines.append(self.feed(feed)) }
    if feeds.isEmpty, !state.status.isEmpty { lines.append(PageLine("no feed", .alarm)) }
    return lines
  }

  private var now: Instant? { state.status["time"]?.instant }

  private var position: PageLine {
    guard let fix = state.position["fix"], let position = fix.coordinate else {
      return PageLine("no fix yet", .alarm)
    }
    let isLost = state.status["position"]?.string == "lost"
    var line = PageLine(position.formatted(.decimalDegrees), isLost ? .faint : .plain)
    var parts: [String] = []
    if let error = fix["eph"]?.double { parts.append("±\(display.length(error))") }
    parts.append(fix["mode"]?.int == 3 ? "3D" : "2D")
    if let speed = fix["speed"]?.double {
      let course = fix["track"]?.double.flatMap { CompassPoint(bearing: $0)?.rawValue }
      parts.append("\(display.units.speed(metresPerSecond: speed))\(course.map { " \($0)" } ?? "")")
    }
    line.append("  " + parts.joined(separator: "  "))
    if let age = state.position["age_s"]?.double {
      line.append("  ")
      line.append("\(Answer.age(age)) old", isLost ? .alarm : .faint)
    }
    return line
  }

  private func feed(_ feed: JSONValue) -> PageLine {
    let condition = (feed["condition"] ?? feed["state"])?.string ?? "?"
    var text = "\(feed["url"]?.string ?? "?"): \(condition)"
    if feed["followed"]?.bool == true { text += ", followed" }
    if let age = feed["fix_age_s"]?.double { text += ", last fix \(Answer.age(age)) ago" }
    return PageLine(text, condition.hasPrefix("open") ? .faint : .alarm)
  }

  // MARK: - Sections

  private var times: Section {
    let rows = (state.next["timers"]?.array ?? []).map { entry -> [String] in
      let moment = entry["time"]?.instant
      return [
        moment.map { Self.distance(to: $0, from: now) } ?? "",
        moment.map(self.moment) ?? "", entry["title"]?.string ?? "",
        entry["waits_for_clock"]?.bool == true ? "waits for a trusted clock" : "",
        entry["repeated"]?.bool == true ? "again" : "",
      ].filter { !$0.isEmpty }
    }
    return Section(title: "Next times", rows: rows, absence: "nothing is due")
  }

  private var fences: Section {
    let rows = (state.next["places"]?.array ?? []).map { entry -> [String] in
      let distance = entry["distance_m"]?.double ?? .nan
      let place = entry["place"]?.string.map { " \($0)" } ?? ""
      return [
        distance <= 0 ? "here" : display.length(distance), Self.bearing(entry),
        entry["title"]?.string ?? "", "\(entry["on"]?.string ?? "")\(place)",
      ]
    }
    return Section(title: "Nearest fences", rows: rows, absence: "no fence is armed")
  }

  private var places: Section {
    let rows = (state.position["nearest"]?.array ?? []).map { entry -> [String] in
      [
        display.length(entry["distance_m"]?.double ?? .nan), Self.bearing(entry),
        entry["name"]?.string ?? "",
      ]
    }
    return Section(title: "Nearest places", rows: rows, absence: "no place is known nearby")
  }

  private var firings: Section {
    let rows = state.firings.reversed().map { firing -> [String] in
      let why = firing["why"]?.string ?? ""
      return [
        firing["time"]?.instant.map { moment($0) } ?? "",
        firing["event"]?.string ?? "",
        "\(firing["title"]?.string ?? ""): \(why.lowercasedFirst)",
      ]
    }
    return Section(
      title: "Last firings", rows: rows, absence: "nothing has fired yet", isFirstStrong: true)
  }

  private static func bearing(_ entry: JSONValue) -> String {
    entry["bearing_deg"]?.double.flatMap { CompassPoint(bearing: $0)?.rawValue } ?? ""
  }

  /// Sections one below the other, each with a fair share of the lines; unused lines go to others.
  private func stacked(_ sections: [Section], width: Int, height: Int) -> [PageLine] {
    var shares = sections.map { _ in 0 }
    var left = height
    var hungry = Array(sections.indices)
    while left > 0, !hungry.isEmpty {
      let portion = max(1, left / hungry.count)
      for index in hungry where left > 0 {
        let given = min(portion, sections[index].wanted - shares[index], left)
        shares[index] += given
        left -= given
      }
      hungry = hungry.filter { shares[$0] < sections[$0].wanted }
    }
    return zip(sections, shares).flatMap { lines($0, width: width, height: $1) }
  }

  private func lines(_ section: Section, width: Int, height: Int) -> [PageLine] {
    // A title needs at least one row below it.
    guard height >= 2 else { return [] }
    var lines = [PageLine(section.title, .strong).clipped(to: width)]
    let shown = section.rows.prefix(height - 2)
    if section.rows.isEmpty {
      lines.append(PageLine("  \(section.absence)", .faint).clipped(to: width))
    }
    var table = Table()
    for var row in shown {
      // A long title leaves room for the place behind it.
      if row.count == 4 { row[2] = PageLine(row[2]).clipped(to: max(8, width / 2 - 6)).text }
      table.add(row)
    }
    for (index, line) in table.lines(indent: 2).enumerated() {
      let isStrong = section.isFirstStrong && index == 0
      lines.append(PageLine(line, isStrong ? .strong : .plain).clipped(to: width))
    }
    if shown.count < section.rows.count {
      lines[0].append("  +\(section.rows.count - shown.count)", .faint)
    }
    while lines.count < height { lines.append(PageLine()) }
    return lines
  }

  // MARK: - Times

  /// `18:18` today, `Sat 18:18` within six days, else `2026-06-20 18:18`.
  private func moment(_ instant: Instant) -> String {
    let zone = display.zone
    let local = zone.localDateTime(at: instant)
    let time = display.time.clock(instant).prefix(5)
    guard let now else { return "\(local.date) \(time)" }
    let days = local.date.dayNumber - zone.localDateTime(at: now).date.dayNumber
    let name = local.date.weekday.name.prefix(3)
    switch days {
    case 0: return String(time)
    case -6...6: return "\(name.uppercasedFirst) \(time)"
    default: return "\(local.date) \(time)"
    }
  }

  /// `in 18min`, `in 2d 3h`; two units at most, so that the page does not fidget.
  private static func distance(to instant: Instant, from now: Instant?) -> String {
    guard let now else { return "" }
    let seconds = (instant - now).seconds
    guard seconds > 0 else { return "now" }
    if seconds >= 172_800 {
      let hours = Int64((seconds / 3_600).rounded(.up))
      return "in \(hours / 24)d" + (hours % 24 > 0 ? " \(hours % 24)h" : "")
    }
    let unit = seconds < 120 ? 1.0 : 60
    return "in \(TimeSpan(seconds: (seconds / unit).rounded(.up) * unit))"
  }
}
