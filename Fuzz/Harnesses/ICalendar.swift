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
  guard let reading = try? CalendarReading(document, file: "f") else { return 0 }
  require((try? CalendarReading(document, file: "f")) == reading, "reading again gives others")
  for found in reading.reminders {
    guard (try? found.reminder.checkCompleteness()) != nil else { continue }
    require((try? Reminder(json: found.reminder.json)) != nil, "it is no reminder in JSON")
  }
  let now = Instant(microseconds: 1_795_253_400_000_000)
  for found in reading.reminders.prefix(4) {
    var changed = document
    let change: CalendarChange =
      choice & 1 == 0 ? .done(next: nil) : .snoozed(until: now + .hours(1))
    guard (try? changed.apply(change, to: found, at: now)) == true else { continue }
    guard let again = try? CalendarDocument(changed.bytes, name: "f") else {
      fatalError("what was written cannot be read")
    }
    require(again.bytes == changed.bytes, "what was written changes when it is read")
  }
  return 0
}
