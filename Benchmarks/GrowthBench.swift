import CivilTime
import Geodesy
import Geofencing
import Positioning
import Reminders
import Storage

private let now = Instant(seconds: 1_800_000_000)
private let home = Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99)

/// What the daemon does more of where it holds more; `growthBench` measures one at one size.
enum GrowthEvent: String, CaseIterable {
  /// A reminder of each category, with one place, is added.
  case addCategories = "add-categories"
  /// A fix of a drive past so many reminders at places.
  case fixReminders = "fix-reminders"
  /// … past so many categories.
  case fixCategories = "fix-categories"
  /// A fix at home, where so many reminders wait for their hours and a low speed.
  case fixWaiting = "fix-waiting"
  /// A fix along the edge of ten polygons of so many corners.
  case fixCorners = "fix-corners"
  /// A fix with so many times to leave within the next day.
  case fixDepartures = "fix-departures"
  /// A place is added to a category of so many.
  case addPlace = "add-place"
  /// So many dates are due at once, and stored.
  case dates
  /// So many delivered firings are removed.
  case prune
}

/// Processor time of one event at a size, as `us=…`.
///
/// - Parameter isBare: prepares it, and does not let it happen: a difference of counted instructions
///   is the event's.
func growthBench(_ event: GrowthEvent, size: Int, isBare: Bool) throws -> String {
  let cost: Double
  let meter = Meter(isBare: isBare)
  switch event {
  case .addCategories: cost = meter.once { _ = categories(size) }
  case .fixReminders:
    cost = meter.drive(engine((0..<size).map { at("r\($0)", position($0)) }))
  case .fixCategories: cost = meter.drive(categories(size))
  case .fixWaiting:
    cost = meter.stand(
      engine(
        (0..<size).map {
          var one = at("r\($0)", home)
          one.hours = try? HourRange(parsing: "03:00-03:10")
          one.maximumSpeed = 3
          one.ifInside = .fire
          return one
        }))
  case .fixCorners:
    let area = try corners(size)
    cost = meter.stand(
      engine(
        (0..<10).map {
          var one = Reminder(id: "r\($0)", kind: .location, title: "Remind")
          one.area = area
          return one
        }),
      metres: 2_000)
  case .fixDepartures:
    cost = meter.drive(
      engine(
        (0..<size).map {
          var one = at("r\($0)", position($0))
          one.kind = .preemptive
          one.due = .absolute(now + .hours(23 + Double($0 % 60) / 60))
          return one
        }))
  case .addPlace: cost = meter.addPlaces(to: size)
  case .dates: cost = try meter.dates(size)
  case .prune: cost = try meter.prune(size)
  }
  return "us=\(rounded(cost * 1e6))"
}

// MARK: - Engines

private func at(_ id: String, _ position: Coordinate) -> Reminder {
  Reminder(
    id: id, kind: .location, title: "Remind",
    place: Reminder.Place(name: "Place", position: position, radius: 150), everyVisit: true)
}

private final class Driven {
  var engine = Engine(zone: .utc)
  var effects: [Effect] = []
  var time = now

  func take(_ position: Coordinate) {
    effects.removeAll(keepingCapacity: true)
    time = time + .seconds(1)
    let fix = Fix(time: time, position: position, mode: .threeD, source: .gnss, speed: 25, eph: 5)
    engine.handle(.fix(fix), at: time, into: &effects)
  }
}

/// An engine that has been at home for a minute with these reminders.
private func engine(_ reminders: [Reminder]) -> Driven {
  let driven = Driven()
  driven.engine.handle(
    reminders.map { .add($0, nil) }, at: now, into: &driven.effects)
  for _ in 0..<60 { driven.take(home) }
  return driven
}

private func categories(_ count: Int) -> Driven {
  let driven = Driven()
  driven.take(home)
  for index in 0..<count {
    var one = Reminder(id: "r\(index)", kind: .location, title: "Remind", everyVisit: true)
    one.nearCategory = "category \(index)"
    driven.engine.handle(.add(one, nil), at: driven.time, into: &driven.effects)
    let place = NumberedPlace(number: Int64(index), position: position(index), radius: 100)
    driven.engine.handle(
      .places(category: "category \(index)", [place]), at: driven.time, into: &driven.effects)
  }
  return driven
}

private func corners(_ count: Int) throws -> Reminder.Area {
  let ring = (0..<count).map { index in
    let bearing = 360 * Double(index) / Double(count)
    let wave = Double(index % 2) * 20
    return home.destination(bearing: bearing, distance: 2_000 + wave)
  }
  let text = ring.map { "[\($0.longitude),\($0.latitude)]" }
  let line = (text + [text[0]]).joined(separator: ",")
  let json = "{\"type\":\"Polygon\",\"coordinates\":[[\(line)]]}"
  guard let area = SavedPlace(name: "Shape", position: home, radius: 2_100, region: json).area
  else { throw BenchError("the polygon is none") }
  return area
}

// MARK: - Measuring

private struct Meter {
  let isBare: Bool

  /// Seconds a fix of a drive from home to the north-east.
  func drive(_ driven: Driven) -> Double {
    var here = home
    return least(of: 9, each: 200) {
      here = here.destination(bearing: 60, distance: 25)
      driven.take(here)
    }
  }

  /// Seconds a fix that goes to and fro some metres, so far from home.
  func stand(_ driven: Driven, metres: Double = 0) -> Double {
    var step = 0
    return least(of: 9, each: 100) {
      step += 1
      driven.take(
        home.destination(
          bearing: Double(step % 40), distance: metres + Double(step % 5)))
    }
  }

  func addPlaces(to count: Int) -> Double {
    let driven = engine([])
    var milk = Reminder(id: "milk", kind: .location, title: "Milk", everyVisit: true)
    milk.nearCategory = "shops"
    driven.engine.handle(.add(milk, nil), at: driven.time, into: &driven.effects)
    func place(_ index: Int) -> NumberedPlace {
      NumberedPlace(number: Int64(index), position: position(index), radius: 60)
    }
    driven.engine.handle(
      .places(category: "shops", (0..<count).map(place)), at: driven.time, into: &driven.effects)
    var next = count
    return least(of: 5, each: 20) {
      driven.engine.handle(
        .place(number: Int64(next), place(next), category: "shops"), at: driven.time,
        into: &driven.effects)
      next += 1
    }
  }

  // MARK: - The store

  func dates(_ count: Int) throws -> Double {
    let folder = try BenchFolder(in: "/dev/shm")
    let store = try Store(path: "\(folder.path)/bench.db", now: now)
    defer { store.close() }
    let driven = Driven()
    let due = now + .hours(1)
    driven.engine.handle(
      (0..<count).map {
        .add(Reminder(id: "r\($0)", kind: .date, title: "Remind", due: .absolute(due)), nil)
      }, at: now, into: &driven.effects)
    driven.effects.removeAll()
    return try once {
      var stored = 0
      repeat {
        driven.engine.handle(.tick, at: due, into: &driven.effects)
        var changes = Changes()
        for effect in driven.effects {
          if case .fire(let firing) = effect { changes.firings.append(firing) }
        }
        driven.effects.removeAll()
        stored += changes.firings.count
        try store.commit(changes)
      } while driven.engine.isBehind
      guard stored == count else { throw BenchError("\(stored) of \(count) dates have fired") }
    }
  }

  func prune(_ count: Int) throws -> Double {
    let folder = try BenchFolder(in: "/dev/shm")
    let store = try Store(path: "\(folder.path)/bench.db", now: now)
    defer { store.close() }
    for first in stride(from: 0, to: count, by: 1_000) {
      var changes = Changes()
      for index in first..<min(count, first + 1_000) {
        changes.firings.append(
          Firing(
            id: "firing-\(index)", reminderID: "r\(index % 100)", kind: .location, title: "Remind",
            time: now + .seconds(Double(index)), event: .arrive, position: home, why: "Arrived"))
      }
      try store.commit(changes)
    }
    try store.ledger.markDelivered(Array(1...Int64(count)), at: now)
    let end = now + .hours(24 * 366 * 10)
    return try once {
      var next: Instant?
      repeat {
        next = try store.ledger.prune(olderThan: end, heldUntil: end, from: next).next
      } while next != nil
    }
  }

  // MARK: - Time

  func once(_ body: () throws -> Void) rethrows -> Double { isBare ? 0 : try spent(body) }

  /// The least seconds a call, of several rounds: other users of the processor only add to it.
  private func least(of rounds: Int, each calls: Int, _ body: () -> Void) -> Double {
    (0..<(isBare ? 0 : rounds)).map { _ in spent { for _ in 0..<calls { body() } } / Double(calls) }
      .min() ?? 0
  }
}
