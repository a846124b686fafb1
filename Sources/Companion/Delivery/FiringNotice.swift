package import JSONText

/// A firing as the daemon sends it to its watchers.
package struct FiringNotice: Equatable, Sendable {
  package let id: String
  package let reminderID: String
  /// That one, or all that the firing stands for; none for a firing without a reminder.
  package let reminderIDs: [String]
  /// Its number in the ledger; 0 in none.
  package let seq: Int
  package let title: String
  /// `arrive`, `due` …
  package let event: String
  /// RFC 3339, UTC.
  package let time: String
  /// One sentence: what made it fire.
  package let why: String
  /// Whose destinations alone receive it; nil are all that serve no person.
  package let recipient: String?
  /// 0…9 as in iCalendar; 0 says nothing.
  package let priority: Int
  /// It overtakes the others on their way to a destination: a test, or its priority is 1 to 3.
  package var isUrgent: Bool { isTest || (1...3).contains(priority) }
  /// It tests the destinations, and is in no ledger.
  package var isTest: Bool { json["test"]?.bool == true }
  /// All of the daemon's message.
  package let json: JSONObject

  /// Nil where it does not say of which reminder it is.
  package init?(_ json: JSONObject) {
    guard let id = json["firing_id"]?.string, let reminderID = json["reminder_id"]?.string else {
      return nil
    }
    func text(_ name: String) -> String { json[name]?.string ?? "" }
    self.id = id
    self.reminderID = reminderID
    reminderIDs =
      json["reminder_ids"]?.array?.compactMap(\.string) ?? [reminderID].filter { !$0.isEmpty }
    seq = json["seq"]?.int ?? 0
    title = text("title")
    event = text("event")
    time = text("time")
    why = text("why")
    recipient = json["for"]?.string
    priority = json["priority"]?.int ?? 0
    self.json = json
  }
}
