// Support: Input Living
import CivilTime
import Geodesy
import Interchange
import JSONText
import Reminders

/// Files of reminders: what is taken comes back from its JSON as it was, and an engine can live
/// with it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReminders(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let reminders: [Reminder]
  do {
    reminders = try ReminderFile.parse(Input(start, count).rest, file: "input").reminders
  } catch {
    require(error.description.hasPrefix("input"), "an error does not say where: \(error)")
    return 0
  }
  let now = Instant(microseconds: 1_795_253_400_000_000)
  var engine = Engine(zone: TimeZoneRules(posix: "CET-1CEST,M3.5.0,M10.5.0/3") ?? .utc)
  var effects: [Effect] = []
  for reminder in reminders.prefix(4) {
    // What says nothing, as a stay's length without a stay, is not kept.
    let json = reminder.json
    require((try? Reminder(json: json).json) == json, "\(reminder.id) comes back otherwise")
    engine.handle(.add(reminder, nil), at: now, into: &effects)
  }
  let place = reminders.first?.place?.position
  live(
    &engine, from: now,
    at: place ?? Coordinate(clampingLatitude: 53.55, wrappingLongitude: 9.99),
    ids: reminders.map(\.id))
  return 0
}
