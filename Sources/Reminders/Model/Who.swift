/// Whose position a reminder follows; without one, it is the machine's own.
package enum Who: Hashable, Sendable, CustomStringConvertible {
  /// One tracker: a person, a vehicle, a boat.
  case tracker(String)
  /// Each tracker by itself.
  case anyone
  /// All trackers together: the last one to come, or to leave.
  case all

  /// The word for the machine itself, which no tracker may have as its name.
  package static let machine = "self"
  /// Bytes of a name.
  package static let maximumName = 32
  package static let nameRule =
    "1 to \(maximumName) letters, digits, '-', '_' and '.', none of the words "
    + "\(machine), anyone and all"

  /// Reads a name or one of the words, in any case; names are in lower case from here on.
  package init(parsing text: String) throws(ReminderError) {
    let name = text.lowercased()
    switch name {
    case "anyone": self = .anyone
    case "all": self = .all
    default:
      guard name != Self.machine, !name.isEmpty, name.utf8.count <= Self.maximumName,
        name.allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) })
      else {
        throw ReminderError(field: "", reason: "must be anyone, all, or a name: \(Self.nameRule)")
      }
      self = .tracker(name)
    }
  }

  package var description: String {
    switch self {
    case .tracker(let name): name
    case .anyone: "anyone"
    case .all: "all"
    }
  }

  /// nil for several trackers.
  package var name: String? { if case .tracker(let name) = self { name } else { nil } }
}
