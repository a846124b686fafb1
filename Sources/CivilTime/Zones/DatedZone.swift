/// Zones as text: `<EET>-2;20270201T000000Z<+03>-3;<EET>-2<EEST>-3,M3.5.0/3,M10.5.0/4`.
///
/// The first part holds before all changes. The others are the changes, each an instant and the
/// zone of POSIX from then on; the last may be a rule of POSIX, for the time after them.
extension TimeZoneRules {
  /// Limit of a text, in bytes.
  private static let maximumText = 16_384
  /// Onsets of rules that POSIX cannot say are listed up to this year.
  private static let lastYear = 2100

  /// The zone of a text; nil where it is none.
  package init?(dated text: String) {
    guard text.utf8.count <= Self.maximumText else { return nil }
    var types: [LocalTimeType] = []
    var transitions: [Int64] = []
    var indexes: [UInt8] = []
    var footer: PosixTimeZone?
    let parts = text.split(separator: ";", omittingEmptySubsequences: false)
    for (number, part) in parts.enumerated() {
      guard footer == nil else { return nil }
      var zone = part
      if number > 0, part.first?.isNumber == true {
        guard let end = part.firstIndex(of: "Z"),
          case .local(let local)? = CompactTime(part[..<end]),
          transitions.last.map({ $0 * 1_000_000 < local.microseconds }) ?? true
        else { return nil }
        transitions.append(local.microseconds / 1_000_000)
        zone = part[part.index(after: end)...]
      } else if number > 0 {
        guard number == parts.count - 1 else { return nil }
        footer = PosixTimeZone(Array(part.utf8))
        guard footer != nil else { return nil }
        continue
      }
      guard let found = PosixTimeZone(Array(zone.utf8)), found.daylight == nil else { return nil }
      let index = types.firstIndex(of: found.standard) ?? types.count
      if index == types.count { types.append(found.standard) }
      guard let index = UInt8(exactly: index) else { return nil }
      if number > 0 { indexes.append(index) }
    }
    guard !types.isEmpty else { return nil }
    self.init(
      name: text, transitions: transitions, typeIndexes: indexes, types: types, footer: footer)
  }

  /// The text of the zone that observances describe from an instant on; nil where there is none, or
  /// more than can be kept.
  package static func text(of observances: [ZoneObservance], from start: Instant) -> String? {
    let open = observances.filter(\.isOpen)
    let rule = posixRule(open)
    // Where a rule says the rest, its onsets are listed until the others have ended.
    let limits = observances.map { observance in
      observance.isOpen
        ? observance.start : observance.onsets(through: lastYear).max() ?? observance.start
    }
    let year = rule == nil ? lastYear : limits.max()?.date.year ?? lastYear
    var changes: [Int64: ZoneObservance] = [:]
    for observance in observances {
      for onset in observance.onsets(through: year) {
        changes[observance.seconds(onset)] = observance
      }
    }
    let sorted = changes.sorted { $0.key < $1.key }
    guard let first = sorted.first?.value else { return nil }
    let before = sorted.last { $0.key <= start.wholeSeconds }?.value
    var last = before?.type ?? ZoneObservance.type("STD", first.offsets.before)
    var parts = [last]
    for (seconds, observance) in sorted
    where seconds > start.wholeSeconds && observance.type != last {
      last = observance.type
      parts.append(Instant(microseconds: seconds * 1_000_000).compact + observance.type)
    }
    // After all changes the rule alone says it.
    if let rule { parts = parts.count == 1 ? [rule] : parts + [rule] }
    let text = parts.joined(separator: ";")
    return text.utf8.count <= maximumText ? text : nil
  }

  /// Two rules without an end that take turns, as one of POSIX.
  private static func posixRule(_ open: [ZoneObservance]) -> String? {
    guard open.count == 2 else { return nil }
    let (standard, daylight) = open[0].isDST ? (open[1], open[0]) : (open[0], open[1])
    guard standard.offsets.before == daylight.offsets.after,
      daylight.offsets.before == standard.offsets.after, let summer = daylight.change,
      let winter = standard.change
    else { return nil }
    return "\(standard.type)\(daylight.type),\(summer),\(winter)"
  }

  /// Whether two zones have the same offsets from one instant to another.
  package func agrees(with other: TimeZoneRules, from start: Instant, to end: Instant) -> Bool {
    var moment = start
    for _ in 0..<2_000 {
      guard offset(at: moment) == other.offset(at: moment) else { return false }
      let next = [nextTransition(after: moment), other.nextTransition(after: moment)]
        .compactMap { $0 }.min()
      guard let next, next <= end else { return true }
      moment = next
    }
    return true
  }
}
