import CivilTime
import Companion
import Configuration
import Glibc
import LinuxRuntime
import Phones

/// The parts of `georemind-web`: phones on one side, the daemon on the other.
final class WebServer {
  private let log: (ServiceLog.Level, String) -> Void
  private let realTime: () -> Instant
  private var receiver: PhoneReceiver
  private let feed: PositionFeed
  private let phones: PhoneList?
  private var http: HTTPServer?
  private var logTimer: TimerSource?

  init(
    listener: Descriptor, feedPath: String, access: PhoneAccess, loop: EventLoop,
    limits: ConnectionLimits = ConnectionLimits(), phones: PhoneList? = nil,
    map: MapService? = nil,
    realTime: @escaping () -> Instant = { Instant(microseconds: SystemClock.now()) },
    log: @escaping (ServiceLog.Level, String) -> Void
  ) throws(SystemError) {
    self.log = log
    self.realTime = realTime
    receiver = PhoneReceiver(access: access)
    self.phones = phones
    feed = try PositionFeed(path: feedPath, loop: loop)
    feed.onChange = { isOpen in
      log(
        .info, isOpen ? "The daemon reads the positions" : "The daemon is away: phones must wait")
    }
    http = try HTTPServer(
      listener, loop: loop, limits: limits, map: map,
      refuse: { [unowned self] request in
        defer { armLog() }
        return receiver.refusal(request, at: now)
      },
      answer: { [unowned self] in answer($0) },
      phonePage: { [unowned self] request in
        defer { armLog() }
        return PhonePage.answer(request, receiver: &receiver, at: now)
      })
    logTimer = try loop.addTimer(.monotonic, accuracy: 1_000_000) { [unowned self] _ in
      writeLog(isEnd: false)
    }
    phones?.start { [unowned self] in receiver.access.phones = $0 }
  }

  /// Connections of phones.
  var connectionCount: Int { http?.connectionCount ?? 0 }

  func change(to token: AccessToken?) { receiver.access.shared = token }

  func stop() {
    writeLog(isEnd: true)
    phones?.stop()
    http?.stop()
    feed.stop()
  }

  private func answer(_ request: PhoneRequest) -> PhoneAnswer {
    let outcome = receiver.receive(request, at: now, isFeedOpen: feed.isOpen)
    if !outcome.reports.isEmpty { feed.send(outcome.reports) }
    armLog()
    return outcome.answer
  }

  private func armLog() {
    if let due = receiver.logDue, logTimer?.isEnabled == false { logTimer?.arm(at: due) }
  }

  private func writeLog(isEnd: Bool) {
    for line in receiver.logLines(at: SystemClock.monotonic.microseconds, isEnd: isEnd) {
      log(.warning, line)
    }
  }

  private var now: ClockReadings {
    ClockReadings(steady: SystemClock.monotonic.microseconds, real: realTime())
  }
}

extension WebServer {
  /// A listening socket at a numeric address; port 0 takes a free one.
  static func listen(at place: WebSettings.Listener) throws(SystemError) -> Descriptor {
    let address = try SocketAddress(numeric: place.host, port: place.port)
    let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let listener = Descriptor(socket(address.family, Int32(type), 0))
    var yes: Int32 = 1
    setsockopt(
      listener.raw, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard listener.raw >= 0, address.withPointer({ bind(listener.raw, $0, $1) }) == 0,
      Glibc.listen(listener.raw, SOMAXCONN) == 0
    else {
      throw .last("listen at \(address)", remedy: "change Listen= in section [Web]")
    }
    return listener
  }
}
