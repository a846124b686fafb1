import CivilTime

/// The zones of a calendar's TZIDs: from the calendar's VTIMEZONE (RFC 5545 section 3.6.5), or from
/// the system's tz database where the two agree or there is none. Another calendar of the stream
/// may mean another zone by the same TZID.
struct CalendarZones {
  private var known: [String: NamedZone] = [:]
  /// Parts of VTIMEZONEs that cannot be read. Their zones go by the system's rules of their names.
  private(set) var leftOut: [Refusal] = []

  /// No zones.
  init() {}

  /// The VTIMEZONEs of calendars, by their TZIDs; of several the last one.
  static func descriptions(in calendars: [CalendarComponent]) -> [String: CalendarComponent] {
    var described: [String: CalendarComponent] = [:]
    for zone in calendars.lazy.flatMap({ $0.components("VTIMEZONE") }) {
      if let id = zone["TZID"]?.text { described[id] = zone }
    }
    return described
  }

  /// - Parameter others: the descriptions of the whole stream. They count for a zone that the
  ///   calendar only names.
  init(_ calendar: CalendarComponent, _ others: [String: CalendarComponent] = [:]) {
    let described = Self.descriptions(in: [calendar])
    var uses: [String: ClosedRange<Instant>] = [:]
    for zone in calendar.components("VTIMEZONE") where zone["TZID"] == nil {
      leftOut.add(zone.line, "a VTIMEZONE has no TZID")
    }
    if let own = calendar["X-WR-TIMEZONE"]?.text { uses[own] = Self.never }
    Self.collectUses(in: calendar, into: &uses)
    for name in Set(uses.keys).union(described.keys).prefix(Self.maximumZones) {
      known[name] =
        (described[name] ?? others[name]).flatMap {
          Self.described($0, name: name, uses: uses[name] ?? Self.never, &leftOut)
        } ?? Self.system(name) ?? Self.fixed(name)
    }
    first = known.sorted { $0.key < $1.key }.prefix(Self.maximumFirst).map(\.value)
  }

  /// Where no time is known: the beginning of the epoch.
  private static let never = Instant(microseconds: 0)...Instant(microseconds: 0)

  /// Limit of zones in one calendar.
  private static let maximumZones = 600

  func zone(named name: String) -> NamedZone? { known[name] }

  /// The unknown zones that an item's properties name, with their first lines. Their times count by
  /// the system's clock; `Local` means that.
  func unknown(in component: CalendarComponent) -> [Refusal] {
    var names: Set<String> = ["LOCAL", ""]
    return component.lines.compactMap { line in
      guard let name = line["TZID"], known[name] == nil, names.insert(name.uppercased()).inserted
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

  /// The names of zones, and the first and the last time that is in them.
  private static func collectUses(
    in component: CalendarComponent, into uses: inout [String: ClosedRange<Instant>]
  ) {
    for line in component.lines {
      guard let name = line["TZID"] else { continue }
      var unread: [Refusal] = []
      let found = readings(line, &unread).map { TimeZoneRules.utc.instant(of: $0) }
      guard let first = found.min(), let last = found.max() else {
        uses[name] = uses[name] ?? never
        continue
      }
      let old = uses[name].flatMap { $0 == never ? nil : $0 } ?? first...last
      uses[name] = min(old.lowerBound, first)...max(old.upperBound, last)
    }
    for inner in component.nodes.compactMap(\.component) { collectUses(in: inner, into: &uses) }
  }

  /// The tz database's zone for a name: exact, by its end if it is prefixed
  /// (`/freeassociation.sourceforge.net/Europe/Berlin`), or from Windows.
  private static func system(_ name: String) -> NamedZone? {
    func zone(_ name: some StringProtocol) -> NamedZone? {
      let name = String(name)
      return (try? TimeZoneRules(named: name)).map { NamedZone(name: name, rules: $0) }
    }
    let name = name.trimmedText(limit: 200)
    let parts = name.split(separator: "/")
    if ["UTC", "Z", "GMT"].contains(parts.last?.uppercased()) {
      return .utc
    }
    if !name.hasPrefix("/"), let found = zone(name) { return found }
    if parts.count > 1 {
      for count in [3, 2, 1] where count <= parts.count {
        // `Berlin` alone is no zone, but `UTC` is.
        if let found = zone(parts.suffix(count).joined(separator: "/")) { return found }
      }
    }
    let words = parts.map { part in
      part.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        .joined(separator: "_")
    }
    return WindowsZones.zone(for: name).flatMap { zone($0) }
      ?? (parts.count > 1 ? zone(words.joined(separator: "/")) : nil)
  }

  /// `UTC+01`, `GMT-09:30`, `+0100`: hours and minutes east of Greenwich.
  private static func fixed(_ name: String) -> NamedZone? {
    var text = name.trimmedText(limit: 40).uppercased().filter { $0 != " " }
    if text.hasPrefix("UTC") || text.hasPrefix("GMT") { text.removeFirst(3) }
    guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
    var digits = text.dropFirst().filter { $0 != ":" }
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), (1...4).contains(digits.count) else {
      return nil
    }
    if digits.count <= 2 { digits += "00" }
    guard let number = Int(digits), number / 100 <= 14, number % 100 < 60 else { return nil }
    // POSIX counts west of Greenwich.
    let posix = "<UTC>\(sign == "+" ? "-" : "")\(number / 100):\((number % 100).padded(2))"
    return TimeZoneRules(posix: posix).map { NamedZone(name: posix, rules: $0) }
  }

  /// The zone of a VTIMEZONE, which beats the name where the two differ.
  ///
  /// They are compared from the first time of the calendar in that zone on: for ten years, or until
  /// the list of changes ends. A zone that agrees goes by its name, for the tz database is kept up
  /// to date.
  private static func described(
    _ component: CalendarComponent, name: String, uses: ClosedRange<Instant>,
    _ leftOut: inout [Refusal]
  ) -> NamedZone? {
    let system = component["X-LIC-LOCATION"].flatMap { Self.system($0.text) } ?? system(name)
    let count = leftOut.count
    let observances = ["STANDARD", "DAYLIGHT"].flatMap { kind in
      component.components(kind).prefix(maximumObservances).compactMap {
        Self.observance($0, isDST: kind == "DAYLIGHT", &leftOut)
      }
    }
    let text = TimeZoneRules.text(of: observances, from: uses.lowerBound - .hours(48))
    guard let own = text.flatMap(NamedZone.find) else { return system }
    guard let system else { return own }
    // The rest of a description is none.
    guard leftOut.count == count else { return system }
    // Before its first change a description says nothing.
    let first = observances.map(\.first).min() ?? uses.lowerBound
    var end = uses.upperBound
    let isList = observances.count > 1 && observances.allSatisfy { !$0.isOpen }
    if !isList {
      end = end + .hours(24 * 3_653)
    } else {
      while let next = own.rules.nextTransition(after: end) { end = next }
    }
    let start = max(uses.lowerBound, first)
    return system.rules.agrees(with: own.rules, from: start, to: end) ? system : own
  }

  private static let maximumObservances = 500

  private static func observance(
    _ component: CalendarComponent, isDST: Bool, _ leftOut: inout [Refusal]
  ) -> ZoneObservance? {
    let count = leftOut.count
    func required<Value>(
      _ name: String, _ read: (ContentLine) throws(Fault) -> Value
    ) -> Value? {
      guard let line = component[name] else {
        leftOut.add(component.line, "a part of a VTIMEZONE has no \(name)")
        return nil
      }
      return line.read(&leftOut, read)
    }
    let start = required("DTSTART") { (line) throws(Fault) in
      try CalendarValue.time(line, CalendarZones()).local
    }
    let before = required("TZOFFSETFROM", offset)
    let after = required("TZOFFSETTO", offset)
    let dates = component.properties("RDATE").flatMap { readings($0, &leftOut) }
    let rule = component["RRULE"].flatMap { CalendarRule.read($0, &leftOut) }
    guard leftOut.count == count, let start, let before, let after else { return nil }
    return ZoneObservance(
      start: start, dates: dates, rule: rule, offsets: (before, after), isDST: isDST,
      name: component["TZNAME"]?.text ?? "")
  }

  private static func readings(_ line: ContentLine, _ leftOut: inout [Refusal]) -> [LocalDateTime] {
    CalendarValue.times(line, CalendarZones(), &leftOut).map(\.local)
  }

  /// `+0100`, `-023000`: seconds east of Greenwich.
  private static func offset(_ line: ContentLine) throws(Fault) -> Int {
    let text = line.value.trimmedText(limit: 10)
    let digits = text.utf8.dropFirst()
    if let sign = text.first, sign == "+" || sign == "-", digits.count == 4 || digits.count == 6,
      let number = Int(String(Substring(digits)))
    {
      let whole = digits.count == 4 ? number * 100 : number
      let seconds = whole / 10_000 * 3_600 + whole / 100 % 100 * 60 + whole % 100
      if seconds <= 86_400 { return sign == "-" ? -seconds : seconds }
    }
    throw Fault(
      "\(line.name) '\(line.value.shownInMessage)' is no offset; write for example +0100",
      line: line.number)
  }
}

extension CalendarDocument {
  /// The calendars in the stream, and the items outside of one as another.
  var calendars: [CalendarComponent] {
    let components = nodes.compactMap(\.component)
    var outside = CalendarComponent("VCALENDAR")
    outside.nodes = components.filter { $0.isTask || $0.isEvent || $0.name == "VTIMEZONE" }
      .map { .component($0) }
    return components.filter { $0.name == "VCALENDAR" }
      + (outside.nodes.isEmpty ? [] : [outside])
  }
}
