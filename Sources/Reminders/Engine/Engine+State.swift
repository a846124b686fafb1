import Bytes
package import CivilTime
import Containers
import Departure
import Geodesy
import Geofencing
package import JSONText

/// The state between two events, for an engine elsewhere that goes on where this one is, to the
/// bit: one life in two engines is the life in one. Reminders, histories, zone and learnt trips are
/// apart; a routing engine's answers and other trackers are left out.
///
///     other.begin(with: state)
///     // load the reminders; answer `.watch`
///     other.resume(with: state, at: now)
extension Engine {
  /// Counts the layouts of the tapes: another one's are not read.
  private static let layout = 1

  /// - Complexity: O(reminders · log n).
  package mutating func state() -> JSONValue {
    var (device, reminders) = (StateTape(), StateTape())
    passDevice(&device)
    passReminders(&reminders)
    return .object(
      JSONObject([
        "layout": .int(Self.layout), "device": .string(device.text),
        "reminders": .string(reminders.text), "excursion": excursion.map(\.json),
      ]))
  }

  /// Takes over what times to leave need, before reminders are loaded. The last fix and the track
  /// follow with `resume`, so that no presence is decided by them meanwhile.
  /// - Returns: whether the state could be read. If not, it is as after a restart.
  package mutating func begin(with state: JSONValue) -> Bool {
    guard state["layout"]?.int == Self.layout, var tape = StateTape(text: state["device"]?.string)
    else { return false }
    passDevice(&tape)
    excursion = state["excursion"].flatMap { Excursion(json: $0) }
    guard !tape.isReadWhole else { return true }
    (motion, learning.trips, excursion) = (Motion(), TripLog(), nil)
    return false
  }

  /// Takes over the rest, once the reminders of that state are loaded and places have come.
  /// - Parameter state: one that `begin` could read.
  /// - Returns: whether the state could be read. If not, it is as after a restart.
  package mutating func resume(with state: JSONValue, at now: Instant) -> Bool {
    if var tape = StateTape(text: state["reminders"]?.string) {
      passReminders(&tape)
      if tape.isReadWhole { return true }
    }
    reception = Reception()
    rebuildMonitor()
    for index in slots.indices { replan(index, at: now) }
    return false
  }

  private mutating func passDevice(_ tape: inout StateTape) {
    motion.pass(&tape)
    learning.trips.pass(&tape)
    reception.passSilence(&tape)
    var position = departures.position
    tape.pass(&position, blank: .origin) { $1.pass(&$0) }
    if tape.isReading, let position { departures.follow(position) }
  }

  private mutating func passReminders(_ tape: inout StateTape) {
    reception.pass(&tape)
    monitor.passTrack(&tape)
    tape.pass(&behindSince)
    let order = slots.indices.filter { !slots.isVacant($0) }
      .sorted { slots.id($0) < slots.id($1) }
    var (count, watchCount) = (order.count, watches.count)
    tape.pass(&count)
    tape.pass(&watchCount)
    guard !tape.hasFailed, count == order.count, watchCount == watches.count else {
      return tape.fail()
    }
    if tape.isReading { (undetermined, waiting) = ([], []) }
    for index in order { pass(slot: index, &tape) }
    let names = Dictionary(uniqueKeysWithValues: zip(order, Int64(0)...))
    monitor.passFences(
      &tape, name: { names[$0] ?? -1 },
      fence: { order.indices.contains(Int($0)) ? order[Int($0)] : nil })
    let keys = watches.map { ($0.key.category, $0.key.radius ?? 0) }
    for number in watches.indices.sorted(by: { keys[$0] < keys[$1] }) {
      watches[number].pass(&tape)
    }
  }

  private mutating func pass(slot index: Int32, _ tape: inout StateTape) {
    var since = slots.watchedSince(index)
    var (timer, left) = (timers.deadline(slot: index), backlog.deadline(slot: index))
    var (isUndetermined, waits) = (
      slots.marks(index).contains(.undetermined), waiting.contains(index)
    )
    tape.pass(&since)
    tape.pass(&timer)
    tape.pass(&left)
    tape.pass(&isUndetermined)
    tape.pass(&waits)
    departures.pass(&tape, index)
    var anchor = anchors[index]
    tape.pass(&anchor, blank: AnchorWatch(since: since)) { $0.pass(&$1) }
    guard tape.isReading, !tape.hasFailed, (anchor == nil) == (anchors[index] == nil) else {
      return tape.isReading ? tape.fail() : ()
    }
    anchors[index] = anchor
    slots.watch(index, since: since)
    if let timer { timers.push(slot: index, at: timer) } else { timers.cancel(slot: index) }
    if let left { backlog.push(slot: index, at: left) } else { backlog.cancel(slot: index) }
    slots.set(.undetermined, isUndetermined, index)
    if isUndetermined { undetermined.append(index) }
    slots.set(.waiting, waits, index)
    if waits { waiting.insert(index) }
  }
}

extension StateTape {
  fileprivate var text: String { Base64.encoded(bytes) }

  /// nil for a text of another form.
  fileprivate init?(text: String?) {
    guard let bytes = text.flatMap({ Base64.decoded($0) }) else { return nil }
    self.init(bytes)
  }
}

extension Engine.Excursion {
  fileprivate var json: JSONValue {
    var histories = JSONObject()
    for (id, history) in fired.sorted(by: { $0.key < $1.key }) {
      histories[id] = .string(history.text ?? "")
    }
    return .object(
      JSONObject([
        "began": .int(Int(began.microseconds)), "lat": .double(origin.latitude),
        "lon": .double(origin.longitude), "metres": .double(metres), "fired": .object(histories),
      ]))
  }

  fileprivate init?(json: JSONValue) {
    guard let began = json["began"]?.int, let metres = json["metres"]?.double,
      let latitude = json["lat"]?.double, let longitude = json["lon"]?.double,
      let origin = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    self.init(began: Instant(microseconds: Int64(began)), origin: origin, metres: metres)
    for (id, text) in json["fired"]?.object?.members ?? [] {
      let text = text.string.flatMap { $0.isEmpty ? nil : $0 }
      fired[id] = try? History(text: text)
    }
  }
}
