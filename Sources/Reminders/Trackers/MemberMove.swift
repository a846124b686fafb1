package import CivilTime
package import Geofencing

/// The move of one of several trackers at the place of a reminder.
package struct MemberMove: Sendable {
  package var reminderID: String
  /// Its name.
  package var name: String
  package var kind: Kind
  /// The names of all trackers that the reminder is about.
  package var group: [String]
  /// Where it was, as far as that is the place's business.
  package var sample: PositionSample
  package var since: Instant

  package enum Kind: Sendable {
    /// It was found inside, or outside, for the first time.
    case foundInside, foundOutside
    case arrive, depart
    /// It went through between two positions.
    case pass

    /// Whether it is inside afterwards.
    var isInside: Bool { self == .foundInside || self == .arrive }
  }

  package init(
    of name: String, _ kind: Kind, reminder: String, group: [String], at sample: PositionSample,
    since: Instant
  ) {
    reminderID = reminder
    self.name = name
    self.kind = kind
    self.group = group
    self.sample = sample
    self.since = since
  }
}

/// When the move of one tracker counts for all that a reminder is about: a requirement for the
/// others. Their presences are facts; this is the only rule about several of them.
enum MemberRule {
  case always
  case othersNotInside
  case othersInside
  case othersOutside

  /// - Parameter comes: whether it came, or left.
  init(_ who: Who, _ trigger: Reminder.Trigger, comes: Bool) {
    self =
      switch (who, trigger, comes) {
      // Each by itself: a visit lasts until the last one leaves.
      case (.anyone, .depart, _): .always
      case (.anyone, .arrive, true): .always
      case (.anyone, _, _): .othersNotInside
      // All together: the last to come, the last to leave.
      case (_, .depart, true): .always
      case (_, .depart, false): .othersOutside
      case (_, _, true): .othersInside
      case (_, _, false): .always
      }
  }

  /// - Parameters:
  ///   - others: the other trackers.
  ///   - inside: which trackers are inside, as far as that is known.
  /// - Complexity: O(others).
  func holds(for others: [String], _ inside: [String: Bool]) -> Bool {
    switch self {
    case .always: true
    case .othersNotInside: others.allSatisfy { inside[$0] != true }
    case .othersInside: others.allSatisfy { inside[$0] == true }
    case .othersOutside: others.allSatisfy { inside[$0] == false }
    }
  }
}
