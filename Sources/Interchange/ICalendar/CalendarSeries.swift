import CivilTime
import Reminders

/// An event or task with its changed occurrences (RECURRENCE-ID, RFC 5545 section 3.8.4.4).
struct CalendarSeries {
  private var master: CalendarComponent?
  private var overrides: [CalendarComponent] = []

  /// The series of a calendar, in the order of their first component.
  static func all(in calendar: CalendarComponent) -> [CalendarSeries] {
    var series: [CalendarSeries] = []
    var places: [String: Int] = [:]
    for case .component(let component) in calendar.nodes
    where component.isTask || component.isEvent {
      let uid = component.name + CalendarItem.uid(of: component)
      let place = places[uid] ?? series.count
      if place == series.count {
        places[uid] = place
        series.append(CalendarSeries())
      }
      if component["RECURRENCE-ID"] != nil {
        series[place].overrides.append(component)
      } else if series[place].master.map({ component.sequence >= $0.sequence }) ?? true {
        series[place].master = component
      }
    }
    return series
  }

  func reminders(_ zones: CalendarZones) throws(Fault) -> CalendarReading {
    guard let master else { return try alone(zones) }
    var part = try CalendarItem(master, zones)
    var changed: [Changed] = []
    for (index, component) in overrides.enumerated() {
      guard let line = component["RECURRENCE-ID"] else { continue }
      let time = try CalendarValue.time(line, zones)
      let name = part.names.name(of: time)
      // An occurrence that was moved once may have been removed since.
      let isRemoved = part.excludes(name) && component.sequence < master.sequence
      let isLasting = line["RANGE"]?.uppercased() == "THISANDFUTURE"
      guard isLasting || !isRemoved else { continue }
      changed.append(
        Changed(
          index: index, time: time, name: name, isLasting: isLasting,
          item: try CalendarItem(component, zones)))
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
    var whole = CalendarReading()
    for range in ranges.dropFirst(Self.maximumRanges) {
      whole.leftOut.append(
        Refusal(
          line: range.item.component.line,
          reason: "a series with more than \(Self.maximumRanges) changes of its rest"))
    }
    for (_, item) in readings.sorted(by: { $0.0 < $1.0 }) { whole.add(try item.reminders()) }
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
    let name: CalendarName
    let isLasting: Bool
    let item: CalendarItem
  }

  /// Changed occurrences without their series.
  private func alone(_ zones: CalendarZones) throws(Fault) -> CalendarReading {
    var reading = CalendarReading()
    for component in overrides { reading.add(try CalendarItem(component, zones).reminders()) }
    return reading
  }
}

extension CalendarReading {
  fileprivate mutating func add(_ other: CalendarReading) {
    reminders += other.reminders
    leftOut += other.leftOut
    unalarmed += other.unalarmed
  }
}

extension CalendarComponent {
  /// Revision number (RFC 5545 section 3.8.7.4).
  var sequence: Int { self["SEQUENCE"].flatMap { Int($0.value) } ?? 0 }
}
