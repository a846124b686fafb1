/// The beginning of a series without a given start.
extension RepeatRule {
  /// The time of day that the rule names, the earliest of several; nil without an hour.
  package var timeOfDay: TimeOfDay? {
    hours.min().flatMap {
      TimeOfDay(hour: $0, minute: minutes.min() ?? 0, second: seconds.min() ?? 0)
    }
  }
}
