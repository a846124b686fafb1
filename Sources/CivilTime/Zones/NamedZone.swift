import Synchronization

/// A time zone that a reminder or a calendar names, with its rules.
///
/// Immutable and shared: many reminders name the same zone, and its rules take some kilobytes.
package final class NamedZone: Sendable {
  /// A name of the tz database such as `Europe/Berlin`, a rule in the form of POSIX, or a text of
  /// dated changes.
  package let name: String
  package let rules: TimeZoneRules
  /// false for a name that this system does not know: the rules are its last known offset.
  package let isKnown: Bool

  /// The name for people.
  package var title: String {
    guard isKnown else { return "\(name), which is unknown here, so by its last known offset" }
    return name.contains("<") ? "its calendar's own zone" : name
  }

  package init(name: String, rules: TimeZoneRules) {
    self.name = name
    self.rules = rules
    isKnown = true
  }

  /// A zone that this system does not know.
  /// - Parameter offset: its last known offset, seconds east of UTC.
  package init(unknown name: String, offset: Int) {
    self.name = name
    rules = TimeZoneRules(name: name, fixedOffset: offset, abbreviation: "UTC")
    isKnown = false
  }

  /// The zone of a name or a rule; nil where the text is neither.
  ///
  /// The file of a zone is read once in a run: an update of the tz database counts from the next
  /// start.
  package static func find(_ name: String) -> NamedZone? {
    if let found = found.withLock({ $0[name] }) { return found }
    let known = try? TimeZoneRules(named: name)
    guard let rules = known ?? TimeZoneRules(posix: name) ?? TimeZoneRules(dated: name) else {
      return nil
    }
    let zone = NamedZone(name: name, rules: rules)
    // Rules that files make up do not take the room of the database's zones.
    found.withLock { if known != nil || $0.count < maximumCount { $0[name] = zone } }
    return zone
  }

  /// About as many as the tz database has.
  private static let maximumCount = 600
  private static let found = Mutex<[String: NamedZone]>([:])
}

extension NamedZone: Equatable {
  package static func == (a: NamedZone, b: NamedZone) -> Bool { a.name == b.name }
}
