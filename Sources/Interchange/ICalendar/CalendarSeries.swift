import CivilTime
import Reminders

/// An event or task with its changed occurrences (RECURRENCE-ID, RFC 5545 section 3.8.4.4).
struct CalendarSeries {
  private var master: CalendarComponent?
  private var overrides: [CalendarComponent] = []
  /// Where the overrides are, by the names of their occurrences.
  private var places: [String: Int] = [:]

  /// The series of a calendar, in the order of their first component.
  static func all(in calendar: CalendarComponent) -> [CalendarSeries] {
    var series: [CalendarSeries] = []
    var places: [String: Int] = [:]
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
      if let name = component["RECURRENCE-ID"] {
        series[place].take(component, name.value + (name["RANGE"] ?? ""))
      } else if series[place].master.map({ component.sequence >= $0.sequence }) ?? true {
        series[place].master = component
      }
    }
    return series
  }

  /// Takes a changed occurrence; of several of one name the one of the highest revision.
  private mutating func take(_ component: CalendarComponent, _ name: String) {
    guard let index = places[name] else {
      places[name] = overrides.count
      return overrides.append(component)
    }
    if component.sequence >= overrides[index].sequence { overrides[index] = component }
  }

  func reminders(_ zones: CalendarZones) -> CalendarReading {
    var whole = CalendarReading()
    guard let master, var part = whole.item(master, zones) else {
      // Changed occurrences without their series.
      for component in overrides { if let item = whole.item(component, zones) { whole.add(item) } }
      return whole
    }
    var changed: [Changed] = []
    for (index, component) in overrides.enumerated() {
      guard let line = component["RECURRENCE-ID"],
        let time = whole.read(line, of: component, zones)
      else { continue }
      let name = part.names.name(of: time)
      // An occurrence that was moved once may have been removed since.
      let isRemoved = part.excludes(name) && component.sequence < master.sequence
      let range = line["RANGE"]?.uppercased()
      let isLasting = range == "THISANDFUTURE"
      if let range, !isLasting {
        whole.leftOut.add(
          line.number,
          "RANGE=\(range.shownInMessage) is not supported, so that occurrence alone is "
            + "changed; use THISANDFUTURE")
      }
      guard isLasting || !isRemoved, let item = whole.item(component, zones) else { continue }
      changed.append(
        Changed(index: index, time: time, name: name, isLasting: isLasting, item: item))
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
  }
}

extension CalendarReading {
  /// An item; nil where it cannot be read, which is named.
  fileprivate mutating func item(
    _ component: CalendarComponent, _ zones: CalendarZones
  ) -> CalendarItem? {
    reading(component) { () throws(Fault) in try CalendarItem(component, zones) }
  }

  fileprivate mutating func read(
    _ line: ContentLine, of component: CalendarComponent, _ zones: CalendarZones
  ) -> CalendarTime? {
    reading(component) { () throws(Fault) in try CalendarValue.time(line, zones) }
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
