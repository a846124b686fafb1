import ArgumentParser
import Reminders

/// Short forms for what does not happen: nobody comes, or nothing is heard.
struct AbsenceOptions: ParsableArguments {
  @Option(
    "Ring then unless the place was reached that day.", "time",
    completion: Completions.times)
  var notBy: String?

  @Option("Ring when nothing was heard for so long.", "span")
  var silentFor: String?

  /// Sets the fields that they stand for.
  func set(in reminder: inout ReminderOptions) throws {
    func set(
      _ option: String, _ trigger: Reminder.Trigger, _ field: String, _ text: String,
      _ path: WritableKeyPath<ReminderOptions, TypedField?>
    ) throws {
      guard reminder.on == nil, reminder[keyPath: path] == nil else {
        throw ValidationError("--\(option) stands for --on and --\(field); give one of them")
      }
      reminder.on = try TypedField(trigger.rawValue, .named("on"))
      reminder[keyPath: path] = try TypedField(text, .named(field), as: "--\(option)")
    }
    if let notBy { try set("not-by", .absent, "due", notBy, \.due) }
    if let silentFor { try set("silent-for", .silent, "dwell", silentFor, \.dwell) }
  }
}
