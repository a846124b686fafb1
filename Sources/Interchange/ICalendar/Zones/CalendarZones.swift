import CivilTime

/// The zones of a calendar's TZIDs: from the calendar's VTIMEZONE (RFC 5545 section 3.6.5), or from
/// the system's tz database where the two agree or there is none.
struct CalendarZones {
  private var known: [String: NamedZone] = [:]

  private init() {}

  init(_ document: CalendarDocument) {
    var described: [String: CalendarComponent] = [:]
    var uses: [String: ClosedRange<Instant>] = [:]
    for calendar in document.calendars {
      for zone in calendar.components("VTIMEZONE") {
        if let id = zone["TZID"]?.text { described[id] = zone }
      }
      if let own = calendar["X-WR-TIMEZONE"]?.text { uses[own] = uses[own] ?? Self.never }
      Self.collectUses(in: calendar, into: &uses)
    }
    for name in Set(uses.keys).union(described.keys).prefix(Self.maximumZones) {
      known[name] =
        described[name].flatMap { Self.described($0, name: name, uses: uses[name] ?? Self.never) }
        ?? Self.system(name) ?? Self.fixed(name)
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

  /// The names of zones, and the first and the last time that is in them.
  private static func collectUses(
    in component: CalendarComponent, into uses: inout [String: ClosedRange<Instant>]
  ) {
    for node in component.nodes {
      switch node {
      case .line(let line):
        guard let name = line["TZID"] else { continue }
        let found = readings(line).map { TimeZoneRules.utc.instant(of: $0) }
        guard let first = found.min(), let last = found.max() else {
          uses[name] = uses[name] ?? never
          continue
        }
        let old = uses[name].flatMap { $0 == never ? nil : $0 } ?? first...last
        uses[name] = min(old.lowerBound, first)...max(old.upperBound, last)
      case .component(let inner): collectUses(in: inner, into: &uses)
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
    let name = name.trimmedText(limit: 200)
    let parts = name.split(separator: "/")
    if ["UTC", "Z", "GMT"].contains(parts.last?.uppercased()) {
      return NamedZone(name: "UTC", rules: .utc)
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
    let minutes = number % 100
    let posix =
      "<UTC>\(sign == "+" ? "-" : "")\(number / 100):\(minutes < 10 ? "0" : "")\(minutes)"
    return TimeZoneRules(posix: posix).map { NamedZone(name: posix, rules: $0) }
  }

  /// The zone of a VTIMEZONE, which beats the name where the two differ.
  ///
  /// They are compared from the first time of the calendar in that zone on: for ten years, or until
  /// the list of changes ends. A zone that agrees goes by its name, for the tz database is kept up
  /// to date.
  private static func described(
    _ component: CalendarComponent, name: String, uses: ClosedRange<Instant>
  ) -> NamedZone? {
    let system = component["X-LIC-LOCATION"].flatMap { Self.system($0.text) } ?? system(name)
    let observances = ["STANDARD", "DAYLIGHT"].flatMap { kind in
      component.components(kind).prefix(maximumObservances).compactMap {
        Self.observance($0, isDST: kind == "DAYLIGHT")
      }
    }
    guard let text = TimeZoneRules.text(of: observances, from: uses.lowerBound - .hours(48)),
      let own = NamedZone.find(text)
    else {
      return system
    }
    guard let system else { return own }
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

  private static func observance(_ component: CalendarComponent, isDST: Bool) -> ZoneObservance? {
    guard let before = component["TZOFFSETFROM"].flatMap({ seconds($0.value) }),
      let after = component["TZOFFSETTO"].flatMap({ seconds($0.value) }),
      let start = component["DTSTART"].flatMap({ readings($0).first })
    else { return nil }
    var unread: [Refusal] = []
    return ZoneObservance(
      start: start, dates: component.properties("RDATE").flatMap { readings($0) },
      rule: component["RRULE"].flatMap { CalendarRule.read($0, &unread) },
      offsets: (before, after), isDST: isDST, name: component["TZNAME"]?.text ?? "")
  }

  private static func readings(_ line: ContentLine) -> [LocalDateTime] {
    var unread: [Refusal] = []
    return CalendarValue.times(line, CalendarZones(), &unread).map(\.local)
  }

  /// `+0100`, `-023000`
  private static func seconds(_ text: String) -> Int? {
    let text = text.trimmedText(limit: 10)
    let digits = text.utf8.dropFirst()
    guard let sign = text.first, sign == "+" || sign == "-", digits.count == 4 || digits.count == 6,
      let number = Int(String(Substring(digits)))
    else { return nil }
    let whole = digits.count == 4 ? number * 100 : number
    let seconds = whole / 10_000 * 3_600 + whole / 100 % 100 * 60 + whole % 100
    return sign == "-" ? -seconds : seconds
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
