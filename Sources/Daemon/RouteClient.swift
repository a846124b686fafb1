import CivilTime
import Control
import Departure
import LinuxRuntime
import Logging
import Reminders
import Routing

/// Client of `georemind-route`: sends the engine's requests and takes the answers, never blocking.
///
/// Every request is answered once, with times or a reason, and never from within `ask`.
final class RouteClient {
  /// For an answer that does not come, microseconds. `georemind-route` asks its engine for one mode
  /// after the other, and gives up on each sooner.
  private static let timeout =
    Int64(Transport.allCases.filter(\.hasRoads).count + 1)
    * RouteSettings.timeout.microseconds

  let path: String
  private let loop: EventLoop
  private let log: Logger
  private let onAnswer: (RouteAnswer) -> Void
  private var stream: StreamConnection?
  private var session = VarlinkClientSession(replyLimit: 1 << 20)
  /// Requests under way, oldest first, with when they are given up, on the monotonic clock.
  private var waiting: [(call: VarlinkClientSession.CallID, number: Int, end: Int64)] = []
  /// Requests that failed at once, to be answered in the next turn.
  private var refused: [RouteAnswer] = []
  private var turn: TurnSource?
  private var timer: TimerSource?
  private(set) var isConnected = false

  init(
    path: String, loop: EventLoop, log: Logger, onAnswer: @escaping (RouteAnswer) -> Void
  ) throws(SystemError) {
    self.path = path
    self.loop = loop
    self.log = log
    self.onAnswer = onAnswer
    turn = try loop.addDeferred { [unowned self] in reportRefused() }
    turn?.isEnabled = false
    timer = try loop.addTimer(.monotonic, accuracy: 500_000) { [unowned self] _ in
      drop("georemind-route does not answer")
    }
  }

  /// Answers all open requests, at once.
  func stop() {
    drop("the connection to georemind-route was closed")
    reportRefused()
    turn?.close()
    timer?.close()
  }

  func ask(_ request: RouteRequest) {
    do {
      let stream = try connection()
      let (call, bytes) = try session.call(
        "\(RouteInterface.name).Table", RouteInterface.parameters(of: request))
      waiting.append((call, request.number, SystemClock.monotonic.microseconds + Self.timeout))
      armTimer()
      stream.send(bytes)
    } catch {
      refused.append(RouteAnswer(number: request.number, times: .failure(RouteFailure("\(error)"))))
      turn?.again()
    }
  }

  private func connection() throws(SystemError) -> StreamConnection {
    if let stream, stream.isOpen { return stream }
    let stream = try StreamConnection(path: path, loop: loop, priority: .background)
    session = VarlinkClientSession(replyLimit: 1 << 20)
    stream.onMessage = { [unowned self] bytes in take(Array(bytes) + [0]) }
    stream.onClose = { [unowned self] reason in drop("georemind-route disconnected: \(reason)") }
    self.stream = stream
    isConnected = true
    return stream
  }

  private func take(_ bytes: [UInt8]) {
    do {
      for reply in try session.receive(bytes) {
        guard let place = waiting.firstIndex(where: { $0.call == reply.call }) else { continue }
        let number = waiting.remove(at: place).number
        armTimer()
        onAnswer(RouteAnswer(number: number, times: RouteInterface.times(reply.result)))
      }
    } catch {
      drop("georemind-route does not speak as it should: \(error)")
    }
  }

  private func armTimer() {
    if let first = waiting.first { timer?.arm(at: first.end) } else { timer?.disarm() }
  }

  /// Ends the connection; whatever was asked over it has failed.
  private func drop(_ reason: String) {
    if isConnected { log.info("\(reason)") }
    stream?.close()
    stream = nil
    isConnected = false
    for (_, number, _) in waiting {
      refused.append(RouteAnswer(number: number, times: .failure(RouteFailure(reason))))
    }
    waiting = []
    timer?.disarm()
    turn?.again()
  }

  private func reportRefused() {
    let answers = refused
    refused = []
    for answer in answers { onAnswer(answer) }
  }
}
