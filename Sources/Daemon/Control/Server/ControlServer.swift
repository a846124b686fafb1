import Control
import JSONText
import LinuxRuntime
import Logging
import Reminders
import Storage

/// The control socket: connections in, calls to `ControlService`, streams out.
final class ControlServer {
  /// More clients than this are turned away: each holds a descriptor and buffers.
  static let maximumClients = 512
  /// Limit per user, so that nobody excludes others; root and the daemon's own user have none.
  static let maximumClientsOfUser = 256
  /// Places that all those others leave for root.
  static let reserved = 16

  private let timeout: Int64

  /// Behind feeds and timers: a fix or a deadline waits for one call at most.
  private static let priority = EventPriority.background

  unowned let daemon: Daemon
  let loop: EventLoop
  /// Parsed for the first client.
  private lazy var interfaces = Result {
    try VarlinkService(
      vendor: "georemind", product: "georemindd", version: DaemonCommand.version,
      url: "https://varlink.org", interfaces: [GeoremindInterface.text],
      streaming: GeoremindInterface.streamingMethods)
  }
  private let outputLimit: Int
  private let budget: StreamBudget
  private var listeners: [UnixListener] = []
  var clients: [ObjectIdentifier: Client] = [:]
  var clientCount: Int { clients.count }
  var refusedCount: Int { refused.count }
  /// Bytes of memory that all clients hold.
  var heldBytes: Int { budget.held }
  var queue = CallQueue<Client>()
  /// Behind the reading of calls, so that the queue has all to choose from.
  let turns: TurnSource
  /// For a call that waits while there is always more to read, microseconds.
  let overdue: TimerSource
  /// For the next check of the status and the places, which some clients watch, after an event.
  let statusTimer: TimerSource
  /// The same where none comes: for what time alone changes, and what a check has left.
  let laterTimer: TimerSource
  /// Follows whatever the daemon does, while there are such clients.
  let watchedTurns: TurnSource
  /// The last of these turns was a check of the status, which changes nothing.
  var hasChecked = false
  /// Steady time of the last check, microseconds.
  var checkedAt = Int64.min / 2
  let changeTimer: TimerSource
  let positionTimer: TimerSource
  var changes = ChangeNotes()
  var lastPosition = PositionMark()
  private let stallTimer: TimerSource

  /// News that no client has yet, in order.
  var unreported: [News] = []
  var isAnswering = false
  var isSending = false

  typealias Connection = VarlinkConnection<PeerCredentials>

  /// Takes the sockets that systemd passes under the name `control`, or listens at the configured
  /// path.
  /// - Parameters:
  ///   - passed: all descriptors that systemd passed.
  ///   - outputLimit: waiting bytes for a client, besides the largest reply.
  ///   - budget: bytes of memory for all clients together.
  ///   - timeout: microseconds to complete a message or read replies.
  init(
    daemon: Daemon, loop: EventLoop, passed: [ServiceManager.PassedSocket],
    outputLimit: Int = VarlinkConnection<PeerCredentials>.defaultOutputLimit,
    budget: Int = 96 << 20, timeout: Int64 = 30_000_000
  ) throws {
    self.daemon = daemon
    self.loop = loop
    self.timeout = timeout
    self.outputLimit = outputLimit
    self.budget = StreamBudget(limit: budget)
    let owner = WeakReference<ControlServer>()
    let behind = EventPriority(rawValue: Self.priority.rawValue + 1)
    turns = try loop.addDeferred(priority: behind) { owner.target?.takeTurn() }
    turns.isEnabled = false
    overdue = try loop.addTimer(.monotonic, priority: Self.priority) { _ in
      owner.target?.takeTurn()
    }
    statusTimer = try loop.addTimer(.monotonic, accuracy: 200_000) { _ in
      owner.target?.checkStatus()
    }
    laterTimer = try loop.addTimer(.monotonic, accuracy: 200_000) { _ in
      owner.target?.checkStatus()
    }
    watchedTurns = try loop.addFollower(priority: .first) { owner.target?.noteTurn() }
    watchedTurns.isEnabled = false
    positionTimer = try loop.addTimer(.monotonic, accuracy: 10_000) { _ in
      owner.target?.sendPositions()
    }
    changeTimer = try loop.addTimer(.monotonic, accuracy: 10_000) { _ in
      owner.target?.sendChanges()
    }
    stallTimer = try loop.addTimer(.monotonic, accuracy: 1_000_000) { _ in
      owner.target?.closeStalled()
    }
    owner.target = self
    self.budget.onDrop = { [unowned daemon] peer in
      daemon.refusals.report(
        "Disconnected a client of user \(peer.userID), process \(peer.processID): all clients "
          + "together hold more than \(budget >> 20) MiB, and this user's clients the most",
        user: peer.userID, process: peer.processID, .dropped)
    }
    for socket in passed where socket.name == "control" {
      listeners.append(
        try UnixListener(
          passed: socket.descriptor, loop: loop, limits: limits, budget: self.budget,
          priority: Self.priority
        ) { owner.target?.admit($0) })
    }
    isPassed = !listeners.isEmpty
    if !isPassed { try listen(at: daemon.settings.socketPath) }
  }

  /// Whether systemd's socket unit decides where to listen.
  private(set) var isPassed = false

  /// Listens at another path from now on; whoever is connected stays so.
  func listen(at path: String) throws(SystemError) {
    let listener = try UnixListener(
      path: path, loop: loop, limits: limits, budget: budget, priority: Self.priority
    ) { [unowned self] in admit($0) }
    for listener in listeners { listener.close() }
    listeners = [listener]
  }

  private var limits: StreamConnection.Limits { .init(queue: outputLimit) }

  func stop() {
    turns.close()
    overdue.close()
    statusTimer.close()
    laterTimer.close()
    watchedTurns.close()
    changeTimer.close()
    positionTimer.close()
    stallTimer.close()
    for listener in listeners { listener.close() }
    for client in clients.values { client.stream.close() }
    clients.removeAll()
    for stream in refused.values { stream.close() }
    refused.removeAll()
  }

  // MARK: - Clients

  private func admit(_ stream: StreamConnection) {
    if let objection = objection(to: stream.peer) { return refuse(stream, because: objection) }
    guard let service = try? interfaces.get() else {
      return refuse(stream, because: "the text of the interface cannot be read")
    }
    let client = Client(stream: stream, service: service, outputLimit: outputLimit)
    let key = ObjectIdentifier(client)
    clients[key] = client
    stream.onOwing = { [unowned self] in watchForStalls() }
    stream.onClose = { [unowned self] reason in
      daemon.log.debug("A client disconnected: \(reason)")
      clients[key] = nil
    }
    stream.onSent = { [unowned self] count in
      guard let client = clients[key] else { return }
      client.taken += count
      // While it is being served, `carryOut` sees to it next.
      guard !client.isBeingServed else { return }
      carryOut([], for: client)
      sendFirings()
    }
    stream.onPending = { [unowned self] message in
      guard let client = clients[key] else { return }
      wait(client, with: message)
    }
    stream.onMessage = { [unowned self] bytes in
      guard let client = clients[key] else { return }
      let message = Array(bytes) + [0]
      carryOut(exchange(with: client) { $0.receive(message, handler: $1) }, for: client)
      sendFirings()
    }
  }

  /// Whether a timer runs for clients that owe something. A client that only watches costs none.
  var isWatchingForStalls: Bool { stallTimer.isEnabled }

  private func watchForStalls() {
    if !stallTimer.isEnabled { stallTimer.arm(in: timeout / 2) }
  }

  private func closeStalled() {
    let streams = clients.values.map(\.stream) + Array(refused.values)
    for stream in streams where stream.stalled > timeout { stream.giveUp() }
    if streams.contains(where: { $0.isOpen && $0.isOwing }) { watchForStalls() }
  }

  /// Runs one step of a client's protocol. Firings wait for its end, since a call may cause one.
  private func exchange(
    with client: Client,
    _ step: (inout Connection, Connection.Handler) -> [Connection.Action]
  ) -> [Connection.Action] {
    isAnswering = true
    defer { isAnswering = false }
    return step(&client.protocolState) { call, _ in answer(call, of: client) }
  }

  private func answer(_ call: VarlinkCall, of client: Client) -> VarlinkAnswer {
    if call.georemindMethod == .watchStatus {
      client.lastStatus = news(in: daemon.statusJSON)
      watchTurns()
    }
    if call.georemindMethod == .watchChanges { changes.isWatched = true }
    let caller: Caller
    do {
      caller = try self.caller(client)
    } catch let error as GeoremindError {
      return .error(error.varlink)
    } catch {
      return .error(GeoremindError.storeFailure(reason: "\(error)").varlink)
    }
    let answer = ControlService(daemon: daemon, caller: caller).answer(call)
    if call.georemindMethod == .watchPresence, case .stream(let first) = answer {
      client.presence = first.first.map(PresenceMark.init)
      watchTurns()
    }
    if case .reply(let reply) = answer { note(call, reply, of: client) }
    return answer
  }

  private func refuse(_ stream: StreamConnection, because reason: String) {
    let peer = stream.peer
    daemon.refusals.report(
      "Refused a client of user \(peer.userID), process \(peer.processID): \(reason)",
      user: peer.userID, process: peer.processID, .client)
    let key = ObjectIdentifier(stream)
    refused[key] = stream
    stream.onOwing = { [unowned self] in watchForStalls() }
    stream.onClose = { [unowned self] _ in refused[key] = nil }
    stream.send(VarlinkReply(VarlinkServiceError.permissionDenied.varlink).encoded)
    stream.finish()
  }

  /// Refused clients, kept until their answer is sent.
  private var refused: [ObjectIdentifier: StreamConnection] = [:]

  /// Carries out actions and reports sent bytes to the protocol, which may add actions.
  func carryOut(_ actions: [Connection.Action], for client: Client) {
    client.isBeingServed = true
    defer { client.isBeingServed = false }
    perform(actions, for: client)
    while client.taken > 0, client.stream.isOpen {
      let taken = client.taken
      client.taken = 0
      perform(exchange(with: client) { $0.sent(taken, handler: $1) }, for: client)
    }
    // A client that calls again before its reply waits, and so does all its input.
    client.stream.isHeld =
      client.stream.isOpen && !client.protocolState.isClosed
      && !client.protocolState.wantsInput
  }

  private func perform(_ actions: [Connection.Action], for client: Client) {
    for action in actions {
      switch action {
      case .send(let bytes): client.stream.send(bytes)
      case .close(let reason):
        let peer = client.stream.peer
        daemon.refusals.report(
          "Closing a connection of user \(peer.userID), process \(peer.processID): \(reason)",
          user: peer.userID, process: peer.processID, .invalid)
        client.stream.finish()
      }
    }
  }
}
