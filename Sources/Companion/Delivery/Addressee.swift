import Glibc

/// The persons whom a destination serves, by the names of `--for`.
package struct Addressee: Equatable, Sendable {
  let names: Set<String>
  /// Whether it receives nothing else than firings for them.
  let isExclusive: Bool

  package init(_ names: Set<String>, isExclusive: Bool = false) {
    (self.names, self.isExclusive) = (names, isExclusive)
  }

  /// The user of this process.
  /// - Parameter name: the name of a hook, which may be another person.
  package static func own(_ name: String? = nil, isExclusive: Bool = false) -> Addressee {
    let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name).lowercased() }
    return Addressee(Set([name, user].compactMap { $0 }), isExclusive: isExclusive)
  }

  package func receives(_ firing: FiringNotice) -> Bool {
    guard let recipient = firing.recipient else { return firing.isTest || !isExclusive }
    return names.contains(recipient)
  }
}
