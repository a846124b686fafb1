import CivilTime
import Geodesy
import Geofencing
import Positioning
import Reminders
import Storage

private let now = Instant(seconds: 1_800_000_000)

/// Places all over a country, 1 000 km by 1 000 km; the same for each run.
func position(_ index: Int) -> Coordinate {
  var state = UInt64(index) &* 0x9E37_79B9_7F4A_7C15
  state = (state ^ (state >> 31)) &* 0xBF58_476D_1CE4_E5B9
  let x = Double(state >> 40) / Double(1 << 24)
  let y = Double((state >> 16) & 0xFF_FFFF) / Double(1 << 24)
  return Coordinate(clampingLatitude: 46 + 9 * y, wrappingLongitude: 4 + 13 * x)
}

/// One in four has a date, one in eight is a time to leave; the others wait for a place.
private func reminder(_ index: Int) -> Reminder {
  let place = Reminder.Place(name: "Place \(index)", position: position(index), radius: 150)
  let id = "reminder-\(index)"
  let due = TimeStamp.absolute(now + .hours(Double(index % 5_000 + 400)))
  switch index % 8 {
  case 1, 5: return Reminder(id: id, kind: .date, title: "Reminder \(index)", due: due)
  case 3:
    return Reminder(
      id: id, kind: .preemptive, title: "Reminder \(index)", place: place, due: due)
  default: return Reminder(id: id, kind: .location, title: "Reminder \(index)", place: place)
  }
}

/// From a database of `count` reminders to an engine that is ready, and what one more costs then.
func loadBench(count: Int) throws -> String {
  let folder = try BenchFolder(in: "/tmp")
  try fill(folder, count)
  let start = wallTime()
  let store = try Store(path: "\(folder.path)/bench.db", now: now)
  let opened = wallTime()
  var engine = Engine(zone: .utc)
  if let fix = try store.state.lastFix() { engine.remember(fix.fix, from: fix.arrival) }
  engine.beginLoading(count: try store.reminders.count())
  let problems = try store.reminders.forEach {
    engine.load($0.reminder, $0.history, $0.standing)
  }
  var effects: [Effect] = []
  engine.finishLoading(at: now, into: &effects)
  let loaded = wallTime()
  guard engine.count == count, problems.isEmpty else {
    throw BenchError("\(engine.count) of \(count) reminders came back")
  }

  var adds: [Double] = []
  var removes: [Double] = []
  for index in count..<count + 1_000 {
    let one = reminder(index)
    let start = wallTime()
    engine.handle(.add(one, nil), at: now, into: &effects)
    let added = wallTime()
    engine.handle(.remove(id: "reminder-\(index - count)"), at: now, into: &effects)
    adds.append(added - start)
    removes.append(wallTime() - added)
  }
  adds.sort()
  removes.sort()
  store.close()
  return "open_ms=\(rounded((opened - start) * 1e3)) load_ms=\(rounded((loaded - opened) * 1e3))"
    + " effects=\(effects.count)"
    + " add_p50_us=\(rounded(adds[500] * 1e6)) add_p99_us=\(rounded(adds[990] * 1e6))"
    + " add_max_us=\(rounded(adds[999] * 1e6))"
    + " remove_p50_us=\(rounded(removes[500] * 1e6)) remove_p99_us=\(rounded(removes[990] * 1e6))"
    + " remove_max_us=\(rounded(removes[999] * 1e6))"
}

/// The database as a daemon that has run for a while leaves it.
private func fill(_ folder: BenchFolder, _ count: Int) throws {
  let store = try Store(path: "\(folder.path)/bench.db", now: now)
  var engine = Engine(zone: .utc)
  let fix = Fix(time: now, position: position(0), mode: .threeD, source: .gnss)
  var effects: [Effect] = []
  engine.handle(.fix(fix), at: now, into: &effects)
  for first in stride(from: 0, to: count, by: 10_000) {
    var changes = Changes()
    for index in first..<min(count, first + 10_000) {
      let one = reminder(index)
      effects.removeAll(keepingCapacity: true)
      engine.handle(.add(one, nil), at: now, into: &effects)
      guard case .persist(_, var history, let standing) = effects.first else {
        throw BenchError("a reminder was not to be kept")
      }
      if one.kind == .location { history.stay = .outside(since: nil) }
      changes.saved.append((one, history, standing))
    }
    changes.lastFixes[nil] = KeptFix(fix: fix, arrival: now)
    try store.commit(changes)
  }
  store.close()
}

/// One reminder for any of `count` places, from the database to fixes.
func placeBench(count: Int) throws -> String {
  let folder = try BenchFolder(in: "/tmp")
  let store = try Store(path: "\(folder.path)/bench.db", now: now)
  try store.database.transaction { () throws(StoreError) in
    for index in 0..<count {
      try store.places.add(
        SavedPlace(
          name: "Place \(index)", position: position(index), radius: 60, category: "Shopping"))
    }
  }
  var engine = Engine(zone: .utc)
  var effects: [Effect] = []
  let start = wallTime()
  var milk = Reminder(id: "milk", kind: .location, title: "Milk", everyVisit: true)
  milk.nearCategory = "shopping"
  engine.handle(.add(milk, nil), at: now, into: &effects)
  var part = try store.places.numbered(inCategory: "shopping")
  engine.handle(
    .places(category: "shopping", part.rows.values, isWhole: part.next == nil), at: now,
    into: &effects)
  while let last = part.next {
    part = try store.places.numbered(inCategory: "shopping", after: last)
    engine.handle(
      .morePlaces(category: "shopping", part.rows.values, isLast: part.next == nil), at: now,
      into: &effects)
  }
  let filled = wallTime()

  var firings = 0
  let fixes = 20_000
  let drive = wallTime()
  var here = position(0)
  for index in 0..<fixes {
    effects.removeAll(keepingCapacity: true)
    let time = now + .seconds(Double(index + 1))
    here = here.destination(bearing: 75, distance: 25)
    let fix = Fix(time: time, position: here, mode: .threeD, source: .gnss, speed: 25)
    engine.handle(.fix(fix), at: time, into: &effects)
    for case .fire(_) in effects { firings += 1 }
  }
  let driven = wallTime()
  store.close()
  return "fill_ms=\(rounded((filled - start) * 1e3))"
    + " bytes_per_place=\(rounded(Double(engine.placeBytes) / Double(count)))"
    + " us_per_fix=\(rounded((driven - drive) / Double(fixes) * 1e6)) firings=\(firings)"
}
