import CivilTime
import Companion
import Control
import JSONText
import LinuxRuntime
import MQTT

/// Carries out what `Publisher` decides, between the daemon, the broker and the feed's socket.
final class MQTTService {
  private let loop: EventLoop
  private let session: DaemonSession
  private let identity: Identity
  private let log: (ServiceLog.Level, String) -> Void
  private let follower: FiringFollower
  private let positions: PositionFeed?
  private var settings: MQTTSettings
  private var publisher: Publisher
  private var broker: BrokerConnection?
  private var timer: TimerSource?
  /// By the number of the firing.
  private var unfinished: [Int: FiringFollower.Done] = [:]
  private var effects: [Publisher.Effect] = []
  private var isCarryingOut = false
  private var commandsUnderWay = 0
  private var dropped = RepeatedNotice()

  private static let maximumCommands = 16
  private let addressee = Addressee.own()

  /// - Parameters:
  ///   - consumer: name of the row in the daemon.
  ///   - positions: nil takes no positions.
  init(
    _ settings: MQTTSettings, _ identity: Identity, consumer: String, session: DaemonSession,
    positions: PositionFeed?, loop: EventLoop,
    log: @escaping (ServiceLog.Level, String) -> Void
  ) throws(SystemError) {
    self.loop = loop
    self.session = session
    self.identity = identity
    self.positions = positions
    self.settings = settings
    self.log = log
    publisher = Publisher(settings, identity)
    follower = try FiringFollower(session: session, loop: loop, name: consumer)
    follower.addressee = addressee
    timer = try loop.addTimer(.monotonic, accuracy: 50_000) { [unowned self] _ in handle(.tick) }
  }

  func start() throws(SystemError) {
    session.report(to: log)
    _ = session.addListener { [unowned self] signal in
      switch signal {
      case .connected: handle(.daemonConnected)
      case .disconnected: handle(.daemonLost)
      case .firing, .test: break
      }
    }
    watchDaemon()
    follower.onFiring = { [unowned self] firing, _, done in
      unfinished[firing.seq] = done
      handle(.firing(firing))
    }
    follower.onReport = { [unowned self] report in
      if case .gaveUp(let firing, let reason) = report {
        log(.error, "'\(firing.title)' is given up: \(reason)")
      }
    }
    positions?.onChange = { [unowned self] isOpen in handle(.feedOpen(isOpen)) }
    follower.onRefusal = { [unowned self] reason in
      log(.error, "The daemon refuses a call, trying again: \(reason)")
    }
    follower.start()
    try connect()
    session.start()
  }

  func stop() {
    broker?.stop()
    positions?.stop()
    follower.stop()
    session.stop()
    timer?.close()
  }

  /// New settings: a new connection, with all that follows.
  func change(to new: MQTTSettings) throws(SystemError) {
    guard new != settings else { return }
    broker?.stop()
    handle(.disconnected(.init("the settings have changed")))
    settings = new
    publisher = Publisher(new, identity, backlog: publisher.backlog)
    handle(.feedOpen(positions?.isOpen ?? false))
    if session.isConnected { handle(.daemonConnected) }
    watchDaemon()
    try connect()
  }

  private func watchDaemon() {
    session.watchStatus { [unowned self] in handle(.status($0)) }
    let interval: JSONObject = ["interval_s": .double(Publisher.positionInterval)]
    session.watch(
      "WatchPresence", settings.published == .everything ? interval : JSONObject(),
      settings.published == .nothing ? nil : { [unowned self] in handle(.presence($0)) })
  }

  private func connect() throws(SystemError) {
    let broker = try BrokerConnection(
      settings, identity, will: publisher.will, loop: loop, log: log)
    broker.onEvent = { [unowned self] event in
      switch event {
      case .accepted(let version): handle(.connected(version))
      case .lost(let loss): handle(.disconnected(loss))
      case .acknowledged(let token): handle(.acknowledged(token))
      case .refused(let token, let reason): handle(.failed(token, reason))
      case .received(let topic, let payload, let isRetained):
        // A reader that is behind is as good as none: what it was sent could be lost with it.
        handle(.feedOpen(positions?.isOpen ?? false))
        handle(.received(topic: topic, payload: payload, isRetained: isRetained))
      }
    }
    self.broker = broker
    broker.start()
  }

  // MARK: - Events and effects

  private func handle(_ event: Publisher.Event) {
    effects += publisher.handle(event, at: .now)
    guard !isCarryingOut else { return }
    isCarryingOut = true
    defer { isCarryingOut = false }
    // An effect may bring about an event at once.
    while !effects.isEmpty { carryOut(effects.removeFirst()) }
  }

  private func carryOut(_ effect: Publisher.Effect) {
    switch effect {
    case .subscribe(let filter): broker?.subscribe(filter)
    case .publish(let message, let token):
      if let failure = broker?.publish(message, token) {
        log(.error, "A message of \(message.topic) is not sent: \(failure.reason)")
        handle(
          failure.isFinal ? .refused(token, failure.reason) : .failed(token, failure.reason))
      }
    case .ended(let seq, let outcome): unfinished.removeValue(forKey: seq)?(outcome)
    case .retry: follower.retry()
    case .condition(let failure): follower.setCondition(failure: failure)
    case .connect: broker?.retry()
    case .askLast:
      session.call("Log", ["limit": 1]) { [unowned self] result in
        guard case .success(let answer)? = result else { return }
        let firing = answer["firings"]?.array?.last?.object.flatMap { FiringNotice($0) }
        if let firing, addressee.receives(firing) { handle(.last(firing)) }
      }
    case .read(let after, let limit):
      session.call("ReadLedger", ["after": .int(after), "limit": .int(limit)]) {
        [unowned self] result in
        guard case .success(let answer)? = result else { return handle(.read(nil)) }
        let rows = (answer["rows"]?.array ?? []).compactMap { $0.object }
        handle(.read(rows.compactMap { FiringNotice($0) }.filter(addressee.receives)))
      }
    case .call(let command): call(command)
    case .feed(let line): positions?.send(line)
    case .wake(let delay): timer?.arm(in: delay)
    case .report(let text): log(.notice, text)
    }
  }

  private func call(_ command: CommandMessage) {
    guard commandsUnderWay < Self.maximumCommands else {
      guard let count = dropped.add(at: SystemClock.monotonic.microseconds) else { return }
      let many = count == 1 ? "A command is" : "\(count) commands are"
      return log(.warning, "\(many) dropped: \(Self.maximumCommands) others are under way")
    }
    commandsUnderWay += 1
    session.call(command.method, command.parameters) { [unowned self] result in
      commandsUnderWay -= 1
      let named = command.parameters["id"] ?? command.parameters["reminder"]?["title"]
      let id = (named?.string ?? "").printable
      switch result {
      case .success?: log(.info, "\(command.method) of \(id), as the broker asked")
      case .failure(let error)?:
        let reason = GeoremindError(error)?.description ?? "\(error)"
        log(.warning, "\(command.method) of \(id) is refused: \(reason)")
      case nil: log(.warning, "\(command.method) of \(id): there is no connection to the daemon")
      }
    }
  }
}
