import Reminders

/// Zones that this system does not know: another version of the tz database had them.
extension EngineHost {
  func note(_ reminder: Reminder) {
    if reminder.unknownZone != nil { withUnknownZone.insert(reminder.id) }
  }

  /// A sentence about each zone of a reminder that this system does not know.
  var unknownZones: [String] {
    let names = withUnknownZone.compactMap { holder(of: $0).engine.reminder($0)?.unknownZone }
    return Dictionary(grouping: names) { $0 }.sorted { $0.key < $1.key }.map { name, all in
      "\(name), of \(all.count) reminder\(all.count == 1 ? "" : "s"), is not known here; its last "
        + "known offset counts until the package tzdata has it"
    }
  }
}
