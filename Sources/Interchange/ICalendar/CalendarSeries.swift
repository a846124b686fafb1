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
    var reading = CalendarReading()
    var replaced: [CalendarTime] = []
    var successor: CalendarTime?
    for component in overrides {
      guard let line = component["RECURRENCE-ID"] else { continue }
      let time = try CalendarValue.time(line, zones)
      let isLasting = line["RANGE"]?.uppercased() == "THISANDFUTURE"
      if isLasting {
        successor = successor.map { $0.local < time.local ? $0 : time } ?? time
      } else {
        replaced.append(time)
      }
      var item = try CalendarItem(component, zones)
      if isLasting { item.inherit(from: master) }
      reading.add(try item.reminders())
    }
    guard let master else { return reading }
    var item = try CalendarItem(master, zones)
    item.exclude(replaced)
    if let successor { item.end(before: successor) }
    var whole = CalendarReading()
    whole.add(try item.reminders())
    whole.add(reading)
    return whole
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
