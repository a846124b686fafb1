// Support: Input
import CivilTime
import Interchange
import Reminders

/// Calendars of any bytes. What is read gives back its bytes; reading again gives the same
/// reminders; what is written back reads as done or put off, and all that is not concerned stays.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzICalendar(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  let choice = input.choice()
  guard let document = try? CalendarDocument(input.rest, name: "f") else { return 0 }
  require(document.bytes == input.rest, "the bytes are others")
  let reading = CalendarReading(document)
  require(CalendarReading(document) == reading, "reading again gives others")
  for found in reading.reminders {
    guard (try? found.reminder.checkCompleteness()) != nil else { continue }
    require((try? Reminder(json: found.reminder.json)) != nil, "it is no reminder in JSON")
  }
  let now = Instant(microseconds: 1_795_253_400_000_000)
  for found in reading.reminders.prefix(4) {
    var changed = document
    let name = choice & 2 == 0 ? nil : found.reminder.series(in: .utc)?.next()?.name
    let change: CalendarChange =
      choice & 1 == 0 ? .done(through: name) : .snoozed(until: now + .hours(1))
    guard (try? changed.apply(change, to: found, at: now, in: .utc)) == true else { continue }
    guard let again = try? CalendarDocument(changed.bytes, name: "f") else {
      fatalError("what was written cannot be read")
    }
    require(again.bytes == changed.bytes, "what was written changes when it is read")
    guard let name, change == .done(through: name), found.item.recurrence == nil,
      let next = CalendarReading(again).reminders.first(where: {
        $0.reminder.id == found.reminder.id
      })
    else { continue }
    var twice = again
    _ = try? twice.apply(change, to: next, at: now, in: .utc)
    let isOver = next.reminder.state == .done || !next.reminder.repeats
    require(isOver || twice == again, "written twice, a completion counts twice")
  }
  return 0
}
