import CivilTime
import JSONText

/// The leads: seconds in `lead_s`, and in `lead_days` how many days of each go by the calendar.
extension ReminderField {
  static let leads: [ReminderField] = [
    ReminderField(
      "lead_s", .spans,
      Option(
        "lead", "Remind this long before it is due; 1d keeps the time of day, 24h is exact.",
        "span", example: "15min", for: .date, .preemptive),
      get: { $0.leads.isEmpty ? nil : $0.leads },
      print: { reminder in
        let list = reminder.leads.compactMap { JSONValue.double($0.length.seconds) }
        return list.count > 1 ? .array(list) : list.first
      },
      read: { reminder, value, document throws(ReminderError) in
        var leads = try FieldFormat.spans.read(value)
        if let days = document["lead_days"], days != .null {
          leads = try days.leads(of: leads)
        }
        reminder.leads = leads.sorted { $0.length > $1.length }
      }),
    ReminderField(
      "lead_days", .raw,
      get: { reminder in
        guard reminder.leads.contains(where: { $0.days != 0 }) else { return nil }
        return .array(reminder.leads.map { .int($0.days) })
      },
      read: { reminder, value, document throws(ReminderError) in
        guard document["lead_s"] ?? .null == .null else { return }
        throw ReminderError(field: "", reason: "goes with lead_s")
      }),
  ]
}

extension JSONValue {
  /// `lead_days`: the leads with so many of their days by the calendar.
  fileprivate func leads(of leads: [CalendarSpan]) throws(ReminderError) -> [CalendarSpan] {
    guard let days = array?.map(\.int), days.count == leads.count else {
      throw ReminderError(
        field: "lead_days", reason: "must be a list of whole days, one for each lead")
    }
    var found: [CalendarSpan] = []
    for (day, lead) in zip(days, leads) {
      guard let day, day >= 0, CalendarSpan(days: day).length <= lead.length else {
        throw ReminderError(field: "lead_days", reason: "has more days than its lead")
      }
      let rest = lead.length - CalendarSpan(days: day).length
      found.append(CalendarSpan(days: day, microseconds: rest.microseconds))
    }
    return found
  }
}

extension FieldFormat where Value == [CalendarSpan] {
  /// A number of seconds, a text such as `1d`, or a list of them, longest first. Days of a text go
  /// by the calendar.
  static let spans = FieldFormat(
    read: { value throws(ReminderError) in
      guard let list = value.array else { return [try span(value)] }
      guard list.count <= 32 else {
        throw ReminderError(field: "", reason: "has more than 32 entries")
      }
      let spans = list.compactMap { try? span($0) }
      if spans.count == list.count { return spans }
      throw ReminderError(field: "", reason: "must be a number of seconds or a list of them")
    },
    json: { spans in
      let list = spans.compactMap {
        $0.days == 0 ? JSONValue.double($0.length.seconds) : .string($0.description)
      }
      return list.count > 1 ? .array(list) : list.first
    },
    parse: { texts, _ in
      try texts.map {
        _ = try TimeSpan(typedWithUnit: $0)
        let span = try CalendarSpan(parsing: $0, behindHours: "min", hasMonths: true)
        guard span.months == 0 else {
          throw ReminderError(field: "", reason: "months differ in length; give days such as 30d")
        }
        return span
      }
    },
    texts: { $0.map(\.description) }, isList: true)

  private static func span(_ value: JSONValue) throws(ReminderError) -> CalendarSpan {
    guard let text = value.string else {
      return CalendarSpan(try FieldFormat<TimeSpan>.span.read(value))
    }
    do {
      let span = try CalendarSpan(parsing: text)
      guard let seconds = JSONValue.double(span.length.seconds) else { throw Self.tooLong }
      _ = try FieldFormat<TimeSpan>.span.read(seconds)
      return span
    } catch {
      throw ReminderError(field: "", reason: "\(error)")
    }
  }

  private static var tooLong: ReminderError { ReminderError(field: "", reason: "is too long") }
}
