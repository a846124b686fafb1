package import Control
package import JSONText
package import LinuxRuntime

/// Follows the daemon's firings, each once and in order, including those missed while this program
/// or the daemon was down.
///
/// One link is for the stream of firings, one for calls. A lost daemon is retried after half a
/// second, then up to ten seconds apart. The socket is searched each time, since a user's daemon
/// may replace the system's.
package final class FiringFollower {
  /// A new firing; whether it came while nobody was listening.
  package var onFiring: (_ firing: FiringNotice, _ isMissed: Bool) -> Void = { _, _ in }
  /// Called with the number of missed firings above the limit.
  package var onPassedOver: (_ count: Int) -> Void = { _ in }
  /// The daemon is connected and will answer.
  package var onConnection: () -> Void = {}
  /// The connection failed; reported once per reason until it succeeds.
  package var onLoss: (_ reason: String) -> Void = { _ in }

  private let loop: EventLoop
  private let maximumMissed: Int
  private let findSocket: () -> String
  private let memory: StateFile?
  private var seen: SeenFirings
  private var stream: DaemonLink?
  private var calls: DaemonLink?
  private var backoff = Backoff(first: 500_000, longest: 10_000_000)
  private var connectedSince: Int64 = 0
  private var retry: TimerSource?
  private var lastReason: String?

  /// The ledger is asked for at most so many missed firings.
  private static let longestLog = 1_000

  /// - Parameters:
  ///   - maximumMissed: at most so many of the missed firings are delivered, the latest of them.
  ///   - memory: stores seen firings for the next run.
  ///   - now: RFC 3339 in UTC; without stored firings, those before it are ignored.
  package init(
    loop: EventLoop, maximumMissed: Int, memory: StateFile? = nil, now: String,
    findSocket: @escaping () -> String
  ) throws(SystemError) {
    self.loop = loop
    self.maximumMissed = maximumMissed
    self.memory = memory
    self.findSocket = findSocket
    seen = memory?.read().flatMap { SeenFirings(json: $0) } ?? SeenFirings(since: now)
    retry = try loop.addTimer(.monotonic, accuracy: 100_000) { [unowned self] _ in connect() }
  }

  /// Begins; the handlers are set before.
  package func start() { retry?.arm(in: 0) }

  package func stop() {
    retry?.close()
    retry = nil
    drop()
  }

  /// Whether a call would be sent.
  package var isConnected: Bool { calls != nil }

  /// Calls a method. The answer is nil at once without a daemon, and for a lost connection, when
  /// the outcome is unknown.
  package func call(
    _ method: String, _ parameters: JSONObject = JSONObject(),
    answer: @escaping (Result<JSONObject, VarlinkError>?) -> Void
  ) {
    guard let calls else { return answer(nil) }
    let number = nextCall
    nextCall &+= 1
    unanswered[number] = answer
    calls.call(method, parameters) { [unowned self] result in
      unanswered.removeValue(forKey: number)?(result)
    }
  }

  private var nextCall = 0
  private var unanswered: [Int: (Result<JSONObject, VarlinkError>?) -> Void] = [:]

  // MARK: - The connection

  private func connect() {
    do throws(SystemError) {
      let path = findSocket()
      let stream = try DaemonLink(path: path, loop: loop)
      let calls = try DaemonLink(path: path, loop: loop)
      stream.onLoss = { [unowned self] in lose($0) }
      calls.onLoss = { [unowned self] in lose($0) }
      self.stream = stream
      self.calls = calls
    } catch {
      return lose(error.description)
    }
    connectedSince = loop.now(.monotonic)
    // The daemon takes both before calls of the other link: after the first answer, every firing is
    // in the stream or in the ledger.
    stream?.call("Status") { [unowned self] in
      switch $0 {
      case .success: isListening()
      case .failure(let error): lose(error.description)
      }
    }
    stream?.call("WatchFirings", more: true) { [unowned self] in
      switch $0 {
      case .success(let answer): take(answer["firing"], isMissed: false)
      case .failure(let error): lose(error.description)
      }
    }
  }

  private func isListening() {
    lastReason = nil
    onConnection()
    guard maximumMissed > 0, let since = seen.latest else { return }
    call("Log", ["since": .string(since), "limit": .int(Self.longestLog)]) { [unowned self] in
      guard case .success(let answer)? = $0 else { return }
      catchUp(answer["firings"]?.array ?? [])
    }
  }

  private func catchUp(_ firings: [JSONValue]) {
    let missed = firings.compactMap { $0.object.flatMap { FiringNotice($0) } }
      .filter { !isSeen($0) }
    let passedOver = max(0, missed.count - maximumMissed)
    if passedOver > 0 { onPassedOver(passedOver) }
    for (index, firing) in missed.enumerated() {
      if index < passedOver {
        _ = seen.note(firing)
      } else {
        take(.object(firing.json), isMissed: true)
      }
    }
  }

  private func isSeen(_ firing: FiringNotice) -> Bool {
    var copy = seen
    return !copy.note(firing)
  }

  private func take(_ value: JSONValue?, isMissed: Bool) {
    guard let firing = value?.object.flatMap({ FiringNotice($0) }), seen.note(firing) else {
      return
    }
    onFiring(firing, isMissed)
    // A memory that cannot be kept costs a repetition after a restart, and no firing.
    try? memory?.write(seen.json)
  }

  private func lose(_ reason: String) {
    guard retry != nil else { return }
    if stream != nil { backoff.connectionEnded(after: loop.now(.monotonic) - connectedSince) }
    drop()
    if reason != lastReason { onLoss(reason) }
    lastReason = reason
    retry?.arm(in: backoff.next(random: .random(in: 0..<1)))
  }

  private func drop() {
    stream?.close()
    calls?.close()
    stream = nil
    calls = nil
    let waiting = unanswered.sorted { $0.key < $1.key }
    unanswered.removeAll()
    for (_, answer) in waiting { answer(nil) }
  }
}
