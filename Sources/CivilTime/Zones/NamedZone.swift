import Synchronization

/// A time zone that a reminder or a calendar names, with its rules.
///
/// Immutable and shared: many reminders name the same zone, and its rules take some kilobytes.
package final class NamedZone: Sendable {
  /// A name of the tz database such as `Europe/Berlin`, or a rule in the form of POSIX.
  package let name: String
  package let rules: TimeZoneRules

  package init(name: String, rules: TimeZoneRules) {
    self.name = name
    self.rules = rules
  }

  /// The zone of a name or a rule; nil where the text is neither.
  ///
  /// The file of a zone is read once in a run: an update of the tz database counts from the next
  /// start.
  package static func find(_ name: String) -> NamedZone? {
    if let found = found.withLock({ $0[name] }) { return found }
    guard let rules = try? TimeZoneRules(named: name) else {
      return TimeZoneRules(posix: name).map { NamedZone(name: name, rules: $0) }
    }
    let zone = NamedZone(name: name, rules: rules)
    found.withLock { if $0.count < maximumCount { $0[name] = zone } }
    return zone
  }

  /// About as many as the tz database has.
  private static let maximumCount = 600
  private static let found = Mutex<[String: NamedZone]>([:])
}

extension NamedZone: Equatable {
  package static func == (a: NamedZone, b: NamedZone) -> Bool { a.name == b.name }
}
