import CivilTime
import Geofencing

/// The trackers that a reminder about several is about.
package struct MemberGroup: Equatable, Sendable {
  package var names: [String]
  /// Which of them are at its place, as far as that is known.
  package var inside: [String: Bool]

  package init(_ names: [String], inside: [String: Bool]) {
    self.names = names
    self.inside = inside
  }
}

/// The move of one of several trackers at the place of a reminder.
package struct MemberMove: Sendable {
  package let reminderID: String
  /// Its name.
  let name: String
  var kind: Kind
  /// Where it was, as far as that is the place's business.
  let sample: PositionSample
  let since: Instant

  enum Kind: Sendable {
    /// It was found inside, or outside, for the first time.
    case foundInside, foundOutside
    case arrive, depart
    /// It went through between two positions.
    case pass

    /// Whether it is inside afterwards.
    var isInside: Bool { self == .foundInside || self == .arrive }
  }
}

/// When the move of one tracker counts for all that a reminder is about: a requirement for the
/// others. Their presences are facts; this is the only rule about several of them.
enum MemberRule {
  case always
  case othersNotInside
  case othersInside
  case othersOutside

  init(_ who: Who, _ trigger: Reminder.Trigger, _ move: MemberMove.Kind) {
    self =
      switch (who, trigger, move) {
      // Each by itself: a visit lasts until the last one leaves. A tracker that is found beside
      // another one brings nobody back.
      case (.anyone, .depart, .foundInside): .othersNotInside
      case (.anyone, .depart, _): .always
      case (.anyone, .arrive, .arrive), (.anyone, .arrive, .pass), (.anyone, .arrive, .foundInside):
        .always
      case (.anyone, _, _): .othersNotInside
      // All together: the last to come, the last to leave.
      case (_, .depart, .arrive), (_, .depart, .foundInside): .othersNotInside
      case (_, .depart, _): .othersOutside
      case (_, _, .arrive), (_, _, .pass), (_, _, .foundInside): .othersInside
      case (_, _, .depart), (_, _, .foundOutside): .always
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
