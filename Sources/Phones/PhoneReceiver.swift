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

  /// A new value ends all lock-outs.
  package var access: PhoneAccess {
    didSet {
      guard access != oldValue else { return }
      guesses = TokenGuesses()
      let names = Set((access.phones ?? [:]).values)
      progress = progress.filter { names.contains($0.key) }
    }
  }
  private var guesses = TokenGuesses()
  /// Of senders that name themselves, and of phones, which lose nothing to the former.
  private var claimed = RateLimiter()
  private var named = RateLimiter()
  private var tally = LogTally()
  private var progress: [String: PhoneProgress] = [:]

  package init(access: PhoneAccess) { self.access = access }

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
    case admitted(PhoneAccess.Sender, PhoneApp, query: [UInt8])
  }

  private mutating func admission(of request: PhoneRequest, at now: ClockReadings) -> Admission {
    let (sender, path, query): (PhoneAccess.Sender, [String], [UInt8])
    switch entry(of: request, at: now) {
    case .refused(let answer): return .refused(answer)
    case .entered(let known, let rest, let text): (sender, path, query) = (known, rest, text)
    }
    guard let app = PhoneApp(path: path) else { return .refused(PhoneAnswer(404)) }
    guard ["GET", "POST"].contains(request.method) else { return .refused(PhoneAnswer(405)) }
    let length = max(request.body.count, request.announcedLength ?? 0)
    return length > Self.maximumBody ? .refused(.tooLong) : .admitted(sender, app, query: query)
  }

  private enum Entry {
    case refused(PhoneAnswer)
    case entered(PhoneAccess.Sender, path: [String], query: [UInt8])
  }

  /// Lets a request in by its token alone.
  ///
  /// The token of a phone counts from an address that is locked out, too: nobody guesses 256 bits,
  /// and a revoked phone that goes on sending locks out no other behind its router.
  private mutating func entry(of request: PhoneRequest, at now: ClockReadings) -> Entry {
    let verdict = access.judge(request)
    if case .admitted(.phone(let name), let path, let query) = verdict {
      return .entered(.phone(name), path: path, query: query)
    }
    if let wait = request.network.flatMap({ guesses.wait(of: $0, at: now.steady) }) {
      tally.note(.locked, at: now.steady)
      return .refused(PhoneAnswer(429, retryAfter: wait))
    }
    switch verdict {
    case .admitted(let sender, let path, let query):
      return .entered(sender, path: path, query: query)
    case .undecided: return .refused(.undecided)
    case .denied(let isGuess):
      tally.note(.denied, at: now.steady)
      if isGuess, let network = request.network { guesses.note(network, at: now.steady) }
      return .refused(PhoneAnswer(401))
    }
  }

  /// Lets the page of a phone in: its name, and what it has sent last.
  package mutating func page(
    _ request: PhoneRequest, at now: ClockReadings
  ) -> Result<(name: String, progress: PhoneProgress), PhoneAnswer> {
    switch entry(of: request, at: now) {
    case .refused(let answer): .failure(answer)
    case .entered(.phone(let name), _, _): .success((name, progress[name] ?? PhoneProgress()))
    // It has no phone of its own.
    case .entered(.unnamed, _, _): .failure(PhoneAnswer(401))
    }
  }

  /// Answers a whole request.
  /// - Parameter isFeedOpen: whether the daemon reads the lines now.
  package mutating func receive(
    _ request: PhoneRequest, at now: ClockReadings, isFeedOpen: Bool
  ) -> Outcome {
    let (sender, app, query): (PhoneAccess.Sender, PhoneApp, [UInt8])
    switch admission(of: request, at: now) {
    case .refused(let answer): return Outcome(answer: answer)
    case .admitted(let known, let first, let text):
      (sender, app, query) = (known, first.ofBody(request.body), text)
    }
    var message: PhoneMessage
    do throws(UnusableMessage) {
      message = try app.read(request, query: query)
    } catch {
      message = PhoneMessage(leftOut: [error])
    }
    if case .phone(let name) = sender { message = message.of(phone: name) }
    let (fresh, old) = message.current(at: now.real)
    // OwnTracks reads a list of commands from the answer.
    let taken = PhoneAnswer(200, app == .ownTracks ? "[]" : message.note(old: old) ?? "")
    var step = PhoneProgress.Step(message, fresh: fresh, at: now)
    defer { if case .phone(let name) = sender { progress[name, default: .init()].add(step) } }
    if let device = fresh.first?.device {
      guard isFeedOpen else {
        step = .failed(.away)
        return Outcome(answer: PhoneAnswer(503))
      }
      guard admits(sender, device, count: fresh.count, at: now.steady) else {
        step = .failed(.tooFast)
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

  private mutating func admits(
    _ sender: PhoneAccess.Sender, _ device: String, count: Int, at now: Int64
  ) -> Bool {
    switch sender {
    case .phone(let name): named.admits(name, count: count, at: now)
    case .unnamed: claimed.admits(device, count: count, at: now)
    }
  }
}
