import CivilTime
import Reminders

/// An event or task with its changed occurrences (RECURRENCE-ID, RFC 5545 section 3.8.4.4).
struct CalendarSeries {
  private var master: Part?
  private var overrides: [Part] = []
  /// Where the overrides are, by the names of their occurrences.
  private var places: [String: Int] = [:]

  /// A component, and the zones of its calendar.
  fileprivate struct Part {
    let component: CalendarComponent
    let zones: CalendarZones

    var sequence: Int { component.sequence }
  }

  /// The series of all calendars of a stream, in the order of their first component: a UID is one
  /// item, whatever object it is in.
  /// - Parameter calendars: each with its own zones.
  static func all(in calendars: [(CalendarComponent, CalendarZones)]) -> [CalendarSeries] {
    var series: [CalendarSeries] = []
    var places: [String: Int] = [:]
    for (calendar, zones) in calendars {
      let isCancelled = calendar["METHOD"]?.value.uppercased() == "CANCEL"
      for var component in calendar.nodes.compactMap(\.component)
      where component.isTask || component.isEvent {
        if isCancelled { component.set("STATUS", "CANCELLED", []) }
        let uid = component.name + CalendarItem.uid(of: component)
        let place = places[uid] ?? series.count
        if place == series.count {
          places[uid] = place
          series.append(CalendarSeries())
        }
        series[place].take(Part(component: component, zones: zones))
      }
    }
    return series
  }

  /// Takes a component; of several of one name the one of the highest revision.
  private mutating func take(_ part: Part) {
    guard let name = part.component["RECURRENCE-ID"] else {
      if master.map({ part.sequence >= $0.sequence }) ?? true { master = part }
      return
    }
    let key = name.value + (name["RANGE"] ?? "")
    guard let index = places[key] else {
      places[key] = overrides.count
      return overrides.append(part)
    }
    if part.sequence >= overrides[index].sequence { overrides[index] = part }
  }

  func reminders() -> CalendarReading {
    var whole = CalendarReading()
    guard let master, var part = whole.item(master) else {
      // Changed occurrences without their series.
      for override in overrides { if let item = whole.item(override) { whole.add(item) } }
      return whole
    }
    var changed: [Changed] = []
    // One occurrence may be named on two clocks.
    var known: [Changed.Key: Int] = [:]
    for (index, override) in overrides.enumerated() {
      guard let line = override.component["RECURRENCE-ID"],
        let time = whole.read(line, of: override)
      else { continue }
      let name = part.names.name(of: time)
      // An occurrence that was moved once may have been removed since.
      let isRemoved = part.excludes(name) && override.sequence < master.sequence
      let range = line["RANGE"]?.uppercased()
      let isLasting = range == "THISANDFUTURE"
      if let range, !isLasting {
        whole.leftOut.add(
          line.number,
          "RANGE=\(range.shownInMessage) is not supported, so that occurrence alone is "
            + "changed; use THISANDFUTURE")
      }
      guard isLasting || !isRemoved, let item = whole.item(override) else { continue }
      let change = Changed(index: index, time: time, name: name, isLasting: isLasting, item: item)
      if let place = known[change.key] {
        if override.sequence >= changed[place].item.component.sequence { changed[place] = change }
      } else {
        known[change.key] = changed.count
        changed.append(change)
      }
    }
    let single = changed.filter { !$0.isLasting }
    part.exclude(single.map(\.time))
    var readings = single.map { ($0.index, $0.item) }
    var index = -1
    let ranges = changed.filter(\.isLasting).sorted { $0.name.reading < $1.name.reading }
    for range in ranges.prefix(Self.maximumRanges) {
      let name = part.names.name(of: range.time).reading
      let rest = part.cut(before: name)
      if part.first.map({ $0 < name }) ?? true { readings.append((index, part)) }
      (index, part) = (range.index, range.item)
      if part.repeats { part.exclude(single.map(\.time)) } else { part.goOn(with: rest) }
      for change in single.prefix(Self.maximumMoves) where change.name.reading > name {
        part.exclude(moved: change.name)
      }
    }
    readings.append((index, part))
    for range in ranges.dropFirst(Self.maximumRanges) {
      whole.leftOut.add(
        range.item.component.line,
        "a series with more than \(Self.maximumRanges) changes of its rest")
    }
    for (_, item) in readings.sorted(by: { $0.0 < $1.0 }) { whole.add(item) }
    return whole
  }

  /// Limits against hostile files.
  private static let maximumRanges = 50
  private static let maximumMoves = 200

  /// A changed occurrence, or the rest of a series from one on.
  private struct Changed {
    /// Its place among the overrides.
    let index: Int
    let time: CalendarTime
    let name: CompactTime
    let isLasting: Bool
    let item: CalendarItem

    struct Key: Hashable {
      let name: CompactTime
      let isLasting: Bool
    }

    var key: Key { Key(name: name, isLasting: isLasting) }
  }
}

extension CalendarReading {
  /// An item; nil where it cannot be read, which is named.
  fileprivate mutating func item(_ part: CalendarSeries.Part) -> CalendarItem? {
    reading(part.component) { () throws(Fault) in try CalendarItem(part.component, part.zones) }
  }

  fileprivate mutating func read(
    _ line: ContentLine, of part: CalendarSeries.Part
  ) -> CalendarTime? {
    reading(part.component) { () throws(Fault) in try CalendarValue.time(line, part.zones) }
  }

  /// Adds the reminders of an item.
  fileprivate mutating func add(_ item: CalendarItem) {
    let found = reading(item.component) { () throws(Fault) in try item.reminders() }
    if let found { add(found) }
  }

  private mutating func reading<Value>(
    _ component: CalendarComponent, _ read: () throws(Fault) -> Value
  ) -> Value? {
    do throws(Fault) {
      return try read()
    } catch {
      let kind = component.isTask ? "task" : "event"
      let title = component["SUMMARY"]?.text.oneLine(limit: 60) ?? "without a title"
      leftOut.add(error.line ?? component.line, "the \(kind) '\(title)': \(error.reason)")
      unread.append(CalendarItem.uid(of: component))
      return nil
    }
  }
}

extension CalendarComponent {
  /// Revision number (RFC 5545 section 3.8.7.4).
  var sequence: Int { self["SEQUENCE"].flatMap { Int($0.value) } ?? 0 }
}
