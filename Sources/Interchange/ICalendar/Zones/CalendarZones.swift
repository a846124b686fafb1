import CivilTime

/// The zones of a calendar's TZIDs, from the system's tz database, which is kept up to date, else
/// from the calendar's VTIMEZONE (RFC 5545 section 3.6.5).
struct CalendarZones {
  private var known: [String: NamedZone] = [:]

  init(_ document: CalendarDocument) {
    var described: [String: CalendarComponent] = [:]
    var named: Set<String> = []
    for calendar in document.calendars {
      for zone in calendar.components("VTIMEZONE") {
        if let id = zone["TZID"]?.text { described[id] = zone }
      }
      if let own = calendar["X-WR-TIMEZONE"]?.text { named.insert(own) }
      Self.collectNames(in: calendar, into: &named)
    }
    for name in named.union(described.keys).prefix(Self.maximumZones) {
      known[name] =
        Self.system(name) ?? described[name].flatMap { Self.described($0, name: name) }
        ?? Self.fixed(name)
    }
    first = known.sorted { $0.key < $1.key }.prefix(Self.maximumFirst).map(\.value)
  }

  /// Limit of zones in one calendar.
  private static let maximumZones = 600

  func zone(named name: String) -> NamedZone? { known[name] }

  /// The unknown zones that an item's properties name, with their first lines. Their times count by
  /// the system's clock; `Local` means that.
  func unknown(in component: CalendarComponent) -> [Refusal] {
    var names: Set<String> = ["LOCAL", ""]
    return component.nodes.compactMap { node in
      guard case .line(let line) = node, let name = line["TZID"], known[name] == nil,
        names.insert(name.uppercased()).inserted
      else { return nil }
      return Refusal(
        line: line.number,
        reason: "the time zone '\(name.prefix(60).description.shownInMessage)' is not known here "
          + "and not described in the file, so its times count by this machine's clock; use a name "
          + "such as Europe/Berlin, or install tzdata")
    }
  }

  /// The first ones in the order of their names: a usual calendar has no more.
  private(set) var first: [NamedZone] = []

  private static let maximumFirst = 8

  private static func collectNames(
    in component: CalendarComponent, into names: inout Set<String>
  ) {
    for node in component.nodes {
      switch node {
      case .line(let line): if let name = line["TZID"] { names.insert(name) }
      case .component(let inner): collectNames(in: inner, into: &names)
      }
    }
  }

  /// The tz database's zone for a name: exact, by its end if it is prefixed
  /// (`/freeassociation.sourceforge.net/Europe/Berlin`), or from Windows.
  private static func system(_ name: String) -> NamedZone? {
    func zone(_ name: some StringProtocol) -> NamedZone? {
      let name = String(name)
      return (try? TimeZoneRules(named: name)).map { NamedZone(name: name, rules: $0) }
    }
    if name == "UTC" || name == "Z" || name == "GMT" {
      return NamedZone(name: "UTC", rules: .utc)
    }
    let parts = name.split(separator: "/")
    if !name.hasPrefix("/"), let found = zone(name) { return found }
    if parts.count > 1 {
      for count in [3, 2, 1] where count <= parts.count {
        // `Berlin` alone is no zone, but `UTC` is.
        if let found = zone(parts.suffix(count).joined(separator: "/")) { return found }
      }
    }
    return WindowsZones.zone(for: name).flatMap { zone($0) }
  }

  /// `UTC+01`, `UTC-09:30`: hours and minutes east of Greenwich.
  private static func fixed(_ name: String) -> NamedZone? {
    guard name.hasPrefix("UTC"), let sign = name.dropFirst(3).first, sign == "+" || sign == "-"
    else { return nil }
    let parts = name.dropFirst(4).split(separator: ":", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), parts.allSatisfy({ (1...2).contains($0.utf8.count) }),
      let hours = Int(parts[0]), hours <= 14, let minutes = Int(parts.dropFirst().first ?? "0"),
      (0...59).contains(minutes)
    else { return nil }
    // POSIX counts west of Greenwich.
    let posix = "<UTC>\(sign == "+" ? "-" : "")\(hours):\(minutes < 10 ? "0" : "")\(minutes)"
    return TimeZoneRules(posix: posix).map { NamedZone(name: posix, rules: $0) }
  }

  private static func described(_ component: CalendarComponent, name: String) -> NamedZone? {
    if let place = component["X-LIC-LOCATION"]?.text, let found = system(place) { return found }
    return Observances(component).flatMap { observances in
      TimeZoneRules(posix: observances.posix).map {
        NamedZone(name: observances.posix, rules: $0)
      }
    }
  }
}

extension CalendarDocument {
  /// The calendars in the stream.
  var calendars: [CalendarComponent] {
    nodes.compactMap {
      if case .component(let component) = $0, component.name == "VCALENDAR" {
        component
      } else {
        nil
      }
    }
  }
}

/// The latest rules of a VTIMEZONE as a POSIX rule; reminders need no earlier ones.
private struct Observances {
  /// `<STD>-1<DST>-2,M3.5.0/2,M10.5.0/3`
  let posix: String

  private struct Observance {
    let start: LocalDateTime
    /// Seconds east of UTC.
    let offset: Int
    /// The yearly change in the form of POSIX, where it comes again.
    let change: String?
  }

  init?(_ component: CalendarComponent) {
    func latest(_ name: String) -> Observance? {
      let all = component.components(name).compactMap { Self.observance($0) }
      // A rule that has ended is no rule of today.
      return all.filter { $0.change != nil }.max { $0.start < $1.start }
        ?? all.max { $0.start < $1.start }
    }
    let standard = latest("STANDARD")
    let daylight = latest("DAYLIGHT")
    guard let base = standard ?? daylight else { return nil }
    if let standard, let daylight, let winter = standard.change, let summer = daylight.change {
      posix =
        "<STD>\(Self.posix(standard.offset))<DST>\(Self.posix(daylight.offset)),\(summer),\(winter)"
    } else {
      posix = "<STD>\(Self.posix(base.offset))"
    }
  }

  private static func observance(_ component: CalendarComponent) -> Observance? {
    guard let offset = component["TZOFFSETTO"].flatMap({ seconds($0.value) }),
      let digits = component["DTSTART"].map({ Array($0.value.utf8) }), digits.count >= 15,
      let date = CalendarValue.date(digits.prefix(8)),
      let hour = Int(String(decoding: digits[9..<11], as: UTF8.self)),
      let minute = Int(String(decoding: digits[11..<13], as: UTF8.self)),
      let time = TimeOfDay(hour: hour, minute: minute)
    else { return nil }
    var change: String?
    if let text = component["RRULE"]?.value, !text.uppercased().contains("UNTIL"),
      let rule = try? RepeatRule(parsing: text), rule.frequency == .yearly, rule.interval == 1,
      rule.days.count == 1, let day = rule.days.first, let week = week(of: day, rule)
    {
      let month = rule.months.first ?? date.month
      change = "M\(month).\(week).\(day.weekday.rawValue % 7)/\(hour)"
      if minute > 0 { change? += ":\(minute < 10 ? "0" : "")\(minute)" }
    }
    return Observance(start: LocalDateTime(date: date, time: time), offset: offset, change: change)
  }

  /// 1 to 4, or 5 for the last.
  private static func week(of day: RepeatRule.Day, _ rule: RepeatRule) -> Int? {
    if let ordinal = day.ordinal {
      return ordinal == -1 ? 5 : (1...5).contains(ordinal) ? ordinal : nil
    }
    // The Sunday among the 8th to the 14th is the second one.
    guard let first = rule.monthDays.min(), first > 0 else { return nil }
    return first > 22 ? 5 : (first - 1) / 7 + 1
  }

  /// `+0100`, `-023000`
  private static func seconds(_ text: String) -> Int? {
    let digits = text.utf8.dropFirst()
    guard let sign = text.first, sign == "+" || sign == "-", digits.count == 4 || digits.count == 6,
      let number = Int(String(Substring(digits)))
    else { return nil }
    let whole = digits.count == 4 ? number * 100 : number
    let seconds = whole / 10_000 * 3_600 + whole / 100 % 100 * 60 + whole % 100
    return seconds > 93_600 ? nil : sign == "-" ? -seconds : seconds
  }

  /// POSIX counts west of Greenwich.
  private static func posix(_ offset: Int) -> String {
    let size = offset.magnitude
    var text = "\(offset > 0 ? "-" : "")\(size / 3_600)"
    if size % 3_600 > 0 {
      text += ":\(size % 3_600 / 60 < 10 ? "0" : "")\(size % 3_600 / 60)"
    }
    return text
  }
}
