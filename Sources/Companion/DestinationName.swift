import LinuxRuntime

/// The users that the system's services run as.
package struct ServiceUsers: Sendable {
  /// The kinds of destinations with a service of the system, and its user, whom sysusers.d makes.
  private static let names = [("hook", "georemind-hook"), ("mqtt", "georemind-mqtt")]

  private let users: [String: UInt32]

  /// - Parameter users: the uid of the system's service for each kind of destination.
  package init(_ users: [String: UInt32]) { self.users = users }

  /// As the machine has them now.
  package init() {
    users = Self.names.reduce(into: [:]) { $0[$1.0] = PeerCredentials.user(named: $1.1) }
  }

  package func user(of kind: String) -> UInt32? { users[kind] }

  package var all: Set<UInt32> { Set(users.values) }
}

/// Names of destinations say whose they are, so that nobody takes another one's name first.
///
/// `hook-1000-blink`, `mqtt-1000` and `notify-1000` belong to the user 1000. Without an uid, such
/// names belong to the system's service of that kind. All other names belong to whoever takes them
/// first.
package enum DestinationName {
  package enum Holder: Equatable, Sendable {
    case user(UInt32)
    /// The system's service, which has no user here; root may act for it.
    case nobody
    case anybody
  }

  private static let kinds: Set<Substring> = ["hook", "mqtt", "notify"]

  /// - Parameter users: of the system's services.
  package static func holder(of name: String, users: ServiceUsers) -> Holder {
    let words = name.split(separator: "-", maxSplits: 2, omittingEmptySubsequences: false)
    guard let kind = words.first, kinds.contains(kind) else { return .anybody }
    if words.count > 1, let user = uid(words[1]) { return .user(user) }
    return users.user(of: String(kind)).map { .user($0) } ?? .nobody
  }

  /// The name of a destination of this process, by its user.
  /// - Parameter rest: what follows the kind, nil for nothing.
  package static func own(_ kind: String, _ rest: String?) -> String {
    own(kind, rest, user: PeerCredentials.ownUser, users: ServiceUsers())
  }

  static func own(_ kind: String, _ rest: String?, user: UInt32, users: ServiceUsers) -> String {
    let isServices = user == 0 || user == users.user(of: kind)
    return [kind, isServices ? nil : "\(user)", rest].compactMap { $0 }.joined(separator: "-")
  }

  /// The name of the hook whose destination it is; nil for other destinations.
  package static func hook(_ name: String) -> String? {
    let words = name.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard words.count == 2, words[0] == "hook" else { return nil }
    let rest = words[1].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    return String(rest.count == 2 && uid(rest[0]) != nil ? rest[1] : words[1])
  }

  private static func uid(_ word: Substring) -> UInt32? {
    word.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt32(word) : nil
  }
}
