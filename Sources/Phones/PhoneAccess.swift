import Bytes

/// The right to send positions: of a phone by its own token, of all senders with the shared one.
///
/// Without a shared token and without a phone, everybody may send to an address that no other
/// machine can reach.
package struct PhoneAccess: Equatable, Sendable {
  /// The token of the settings: its senders name themselves.
  package var shared: AccessToken?
  /// The names of the phones by the hash of their tokens; nil until the daemon has said them.
  package var phones: [String: String]?
  /// Whether no other machine can reach the address.
  package var isLocal: Bool

  package init(shared: AccessToken?, phones: [String: String]? = [:], isLocal: Bool = true) {
    self.shared = shared
    self.phones = phones
    self.isLocal = isLocal
  }

  enum Sender: Equatable {
    /// The phone of a token, by its name.
    case phone(String)
    /// It names itself.
    case unnamed
  }

  enum Verdict: Equatable {
    case admitted(Sender, path: [String], query: [UInt8])
    /// It may be the token of a phone: nobody can say yet.
    case undecided
    /// - Parameter isGuess: whether the request had a word that could be a token.
    case denied(isGuess: Bool)
  }

  /// Judges a request by its word: the first segment of the path, or the password of Basic.
  /// Complexity: O(bytes of the head).
  func judge(_ request: PhoneRequest) -> Verdict {
    let mark = UInt8(ascii: "?")
    let end = request.target.firstIndex(of: mark) ?? request.target.endIndex
    let segments = request.target[..<end].split(separator: UInt8(ascii: "/")).map(Array.init)
    func admitted(_ sender: Sender, _ path: some Sequence<[UInt8]>) -> Verdict {
      .admitted(
        sender, path: path.map { String(decoding: percentDecoded($0), as: UTF8.self) },
        query: Array(request.target[end...].dropFirst()))
    }
    let password = AccessToken.password(of: request.authorization)
    let first = segments.first
    if let first, let sender = sender(of: first) { return admitted(sender, segments.dropFirst()) }
    if let password, let sender = sender(of: password) { return admitted(sender, segments) }
    if shared == nil, isLocal, phones?.isEmpty == true { return admitted(.unnamed, segments) }
    let words = [first, password].compactMap(\.self)
    if phones == nil, words.contains(where: SecretToken.isOne) || shared == nil && isLocal {
      return .undecided
    }
    return .denied(
      isGuess: request.authorization != nil
        || first.flatMap { AccessToken(String(decoding: $0, as: UTF8.self)) } != nil)
  }

  private func sender(of word: [UInt8]) -> Sender? {
    if let phones, SecretToken.isOne(word), let name = phones[SecretToken.hash(word)] {
      return .phone(name)
    }
    return shared?.matches(word) == true ? .unnamed : nil
  }
}
