package import CivilTime

/// Decides what becomes of a request: its answer, and the lines for the daemon.
///
/// An app sends a message again until it gets 200. So a message that can never be used gets 200,
/// and each message gets 503 while the daemon is away.
package struct PhoneReceiver: Sendable {
  package struct Outcome: Equatable, Sendable {
    package let answer: PhoneAnswer
    /// Lines of gpsd, for the daemon.
    package var reports = ""
  }

  /// Bytes of a body.
  package static let maximumBody = 65_536

  /// Nil lets everybody send.
  package var token: AccessToken? { didSet { guesses = TokenGuesses() } }
  private var guesses = TokenGuesses()
  private var limiter = RateLimiter()
  private var tally = LogTally()

  package init(token: AccessToken?) { self.token = token }

  /// When `logLines` has something, on the steady clock; nil while there is nothing to log.
  package var logDue: Int64? { tally.due }

  /// Lines for the log; all that were counted at the end.
  package mutating func logLines(at now: Int64, isEnd: Bool = false) -> [String] {
    tally.lines(at: now, isEnd: isEnd)
  }

  /// The answer that the head of a request deserves, before its body is read; nil to read it.
  package mutating func refusal(_ request: PhoneRequest, at now: ClockReadings) -> PhoneAnswer? {
    if case .refused(let answer) = admission(of: request, at: now) { answer } else { nil }
  }

  private enum Admission {
    case refused(PhoneAnswer)
    case admitted(PhoneApp, query: [UInt8])
  }

  private mutating func admission(of request: PhoneRequest, at now: ClockReadings) -> Admission {
    if let wait = request.network.flatMap({ guesses.wait(of: $0, at: now.steady) }) {
      tally.note(.locked, at: now.steady)
      return .refused(PhoneAnswer(429, retryAfter: wait))
    }
    guard let (path, query) = admittedPath(request) else {
      tally.note(.denied, at: now.steady)
      if let network = request.network, Self.hasToken(request) {
        guesses.note(network, at: now.steady)
      }
      return .refused(PhoneAnswer(401))
    }
    guard let app = PhoneApp(path: path) else { return .refused(PhoneAnswer(404)) }
    guard ["GET", "POST"].contains(request.method) else { return .refused(PhoneAnswer(405)) }
    let length = max(request.body.count, request.announcedLength ?? 0)
    return length > Self.maximumBody ? .refused(.tooLong) : .admitted(app, query: query)
  }

  /// Answers a whole request.
  /// - Parameter isFeedOpen: whether the daemon reads the lines now.
  package mutating func receive(
    _ request: PhoneRequest, at now: ClockReadings, isFeedOpen: Bool
  ) -> Outcome {
    let app: PhoneApp
    let query: [UInt8]
    switch admission(of: request, at: now) {
    case .refused(let answer): return Outcome(answer: answer)
    case .admitted(let known, let text): (app, query) = (known.ofBody(request.body), text)
    }
    var message: PhoneMessage
    do throws(UnusableMessage) {
      message = try app.read(request, query: query)
    } catch {
      message = PhoneMessage(leftOut: [error])
    }
    let (fresh, old) = message.current(at: now.real)
    // OwnTracks reads a list of commands from the answer.
    let taken = PhoneAnswer(200, app == .ownTracks ? "[]" : message.note(old: old) ?? "")
    if let device = fresh.first?.device {
      guard isFeedOpen else { return Outcome(answer: PhoneAnswer(503)) }
      guard limiter.admits(device, count: fresh.count, at: now.steady) else {
        tally.note(.limited, device, at: now.steady)
        return Outcome(answer: PhoneAnswer(429))
      }
    }
    for reason in message.leftOut { tally.note(.unusable, reason.rawValue, at: now.steady) }
    if let device = message.positions.last?.device, old > 0 {
      tally.note(.old, device, count: old, at: now.steady)
    }
    return Outcome(answer: taken, reports: fresh.map(\.report).joined())
  }

  /// Whether a request has a word that could be a token: others guess nothing.
  private static func hasToken(_ request: PhoneRequest) -> Bool {
    let path = request.target.prefix { $0 != UInt8(ascii: "?") }
    let first = path.split(separator: UInt8(ascii: "/")).first
    return request.authorization != nil
      || first.flatMap { AccessToken(String(decoding: $0, as: UTF8.self)) } != nil
  }

  /// The path without the token, and the query; nil where the token is missing.
  private func admittedPath(_ request: PhoneRequest) -> (path: [String], query: [UInt8])? {
    let mark = UInt8(ascii: "?")
    let end = request.target.firstIndex(of: mark) ?? request.target.endIndex
    let segments = request.target[..<end].split(separator: UInt8(ascii: "/")).map(Array.init)
    let query = Array(request.target[end...].dropFirst())
    func names(_ segments: some Sequence<[UInt8]>) -> [String] {
      segments.map { String(decoding: percentDecoded($0), as: UTF8.self) }
    }
    guard let token else { return (names(segments), query) }
    if let first = segments.first, token.matches(first) {
      return (names(segments.dropFirst()), query)
    }
    return token.isPassword(of: request.authorization) ? (names(segments), query) : nil
  }
}
