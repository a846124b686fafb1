package import Control
package import JSONText
package import LinuxRuntime

/// A helper's connection to the daemon, which is made again when it is lost.
///
/// One link has the stream of firings, one the calls. A lost daemon is retried after half a second,
/// then up to ten seconds apart. The socket is searched each time, since a user's daemon may
/// replace the system's.
package final class DaemonSession {
  package enum Signal: Equatable, Sendable {
    /// The daemon answers; from now on each firing is signalled.
    case connected
    case disconnected
    /// A firing was added to the ledger.
    case firing
    /// A test firing, which is in no ledger.
    case test(FiringNotice)
  }

  /// The daemon is connected and will answer.
  package var onConnection: () -> Void = {}
  /// The connection failed; reported once per reason until it succeeds.
  package var onLoss: (_ reason: String) -> Void = { _ in }

  private let loop: EventLoop
  private let findSocket: () -> String
  private var listeners: [Int: (Signal) -> Void] = [:]
  private var nextListener = 0
  private var stream: DaemonLink?
  /// The streams that somebody wants, by method.
  private var watches: [String: Watch] = [:]
  private var calls: DaemonLink?
  /// Whether the daemon has answered on this connection.
  package private(set) var isConnected = false
  private var backoff = Backoff(first: 500_000, longest: 10_000_000)
  private var connectedSince: Int64 = 0
  private var retry: TimerSource?
  private var lastReason: String?
  private var nextCall = 0
  private var unanswered: [Int: Answer] = [:]

  private struct Watch {
    let parameters: JSONObject
    let handler: (JSONObject) -> Void
    /// nil without a connection.
    var link: DaemonLink?
  }

  /// Nil is a lost connection: the outcome is unknown.
  package typealias Answer = (Result<JSONObject, VarlinkError>?) -> Void

  package init(loop: EventLoop, findSocket: @escaping () -> String) throws(SystemError) {
    self.loop = loop
    self.findSocket = findSocket
    retry = try loop.addTimer(.monotonic, accuracy: 100_000) { [unowned self] _ in connect() }
  }

  /// Logs the changes of the connection.
  package func report(to log: @escaping (ServiceLog.Level, String) -> Void) {
    onConnection = { log(.info, "Connected to the daemon") }
    onLoss = { log(.warning, "No connection to the daemon, trying again: \($0)") }
  }

  /// Begins; the handlers are set before.
  package func start() { retry?.arm(in: 0) }

  package func stop() {
    retry?.close()
    retry = nil
    listeners.removeAll()
    drop()
  }

  /// Signals to `listener` what happens, until `removeListener` with the number returned.
  package func addListener(_ listener: @escaping (Signal) -> Void) -> Int {
    nextListener += 1
    listeners[nextListener] = listener
    return nextListener
  }

  package func removeListener(_ number: Int) { listeners[number] = nil }

  private func signal(_ signal: Signal) {
    for (number, listener) in listeners.sorted(by: { $0.key < $1.key })
    where listeners[number] != nil { listener(signal) }
  }

  /// Calls a method. The answer is nil at once without a daemon.
  package func call(
    _ method: String, _ parameters: JSONObject = JSONObject(), answer: @escaping Answer
  ) {
    guard isConnected, let calls else { return answer(nil) }
    let number = nextCall
    nextCall &+= 1
    unanswered[number] = answer
    calls.call(method, parameters) { [unowned self] result in
      unanswered.removeValue(forKey: number)?(result)
    }
  }

  /// Reports the daemon's status, now and whenever it changes; nil ends that.
  package func watchStatus(_ handler: ((JSONObject) -> Void)?) {
    watch(
      "WatchStatus", JSONObject(),
      handler.map { handler in
        { answer in if let status = answer["status"]?.object { handler(status) } }
      })
  }

  /// Passes on each answer of a method that answers many times; a nil handler ends that.
  package func watch(
    _ method: String, _ parameters: JSONObject = JSONObject(), _ handler: ((JSONObject) -> Void)?
  ) {
    watches[method]?.link?.close()
    watches[method] = handler.map { Watch(parameters: parameters, handler: $0) }
    if isConnected { openWatch(method) }
  }

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
      case .success: connected()
      case .failure(let error): lose(error.description)
      }
    }
    stream?.call("WatchFirings", ["destination": true], more: true) { [unowned self] in
      switch $0 {
      case .success(let answer):
        let firing = answer["firing"]?.object.flatMap { FiringNotice($0) }
        if let firing, firing.isTest { signal(.test(firing)) } else { signal(.firing) }
      case .failure(let error): lose(error.description)
      }
    }
  }

  private func connected() {
    lastReason = nil
    isConnected = true
    onConnection()
    signal(.connected)
    for method in watches.keys.sorted() { openWatch(method) }
  }

  private func openWatch(_ method: String) {
    guard isConnected, let watch = watches[method], watch.link == nil else { return }
    do throws(SystemError) {
      let link = try DaemonLink(path: findSocket(), loop: loop)
      link.onLoss = { [unowned self] in lose($0) }
      watches[method]?.link = link
      link.call(method, watch.parameters, more: true) { [unowned self] in
        switch $0 {
        case .success(let answer): watches[method]?.handler(answer)
        case .failure(let error): lose(error.description)
        }
      }
    } catch {
      lose(error.description)
    }
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
    for method in watches.keys {
      watches[method]?.link?.close()
      watches[method]?.link = nil
    }
    stream = nil
    calls = nil
    let wasConnected = isConnected
    isConnected = false
    let waiting = unanswered.sorted { $0.key < $1.key }
    unanswered.removeAll()
    for (_, answer) in waiting { answer(nil) }
    if wasConnected { signal(.disconnected) }
  }
}
