/// A version of MQTT; its raw value is the protocol level in CONNECT.
package enum ProtocolVersion: Int32, Sendable {
  /// 3.1.1: no reason codes, and the client cannot limit the size of messages.
  case threeOneOne = 4
  case five = 5
}

/// The version of the next attempt to connect: 5, and 3.1.1 where the broker takes no 5.
///
/// A broker refuses a version by CONNACK, or it closes the connection without a word. So does a
/// proxy whose broker is down. After a silent end, 3.1.1 is therefore tried, and where the broker
/// accepts it, 5 once more, since the broker has then shown that it runs.
package struct VersionChoice: Equatable, Sendable {
  /// How an attempt ended.
  package enum End: Equatable, Sendable {
    /// The broker does not speak the version.
    case refusedVersion
    /// The broker closed the connection without an answer to CONNECT.
    case silent
    /// For another reason, or after an acceptance.
    case other
  }

  private enum Knowledge: Equatable, Sendable {
    case nothing
    /// It said nothing to 5.
    case silentToFive
    /// It said nothing to 5, and accepted 3.1.1 thereafter.
    case takesOld
    /// It does not speak 5.
    case refusesFive
  }

  private var knowledge = Knowledge.nothing

  package init() {}

  package var version: ProtocolVersion {
    switch knowledge {
    case .nothing, .takesOld: .five
    case .silentToFive, .refusesFive: .threeOneOne
    }
  }

  /// The broker accepts the version.
  /// - Returns: whether the connection serves; else the next attempt follows at once.
  package mutating func accepted() -> Bool {
    guard knowledge == .silentToFive else { return true }
    knowledge = .takesOld
    return false
  }

  /// The attempt, or the connection, has ended.
  /// - Returns: whether the next attempt follows at once, with the other version.
  package mutating func ended(_ end: End) -> Bool {
    switch (knowledge, end) {
    case (.nothing, .refusedVersion), (.takesOld, .refusedVersion), (.takesOld, .silent):
      knowledge = .refusesFive
      return true
    case (.nothing, .silent): knowledge = .silentToFive
    // Another broker, which speaks 5, may come.
    default: knowledge = .nothing
    }
    return false
  }
}
