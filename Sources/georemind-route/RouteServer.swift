import CivilTime
import Control
import Departure
import Glibc
import JSONText
import LinuxRuntime
import Logging
import Routing

/// The socket of `georemind-route`: answers one call after another with times or an error.
final class RouteServer {
  private typealias Connection = VarlinkConnection<PeerCredentials>

  private final class Client {
    let stream: StreamConnection
    var state: Connection

    init(_ stream: StreamConnection, _ service: VarlinkService) {
      self.stream = stream
      state = Connection(service: service, peer: stream.peer)
    }
  }

  private static let maximumClients = 16

  private let interfaces: VarlinkService
  private let fetcher: HTTPFetcher
  private let log: Logger
  private var service: RouteService
  private var listeners: [UnixListener] = []
  private var clients: [ObjectIdentifier: Client] = [:]
  /// Modes with a failing engine, so that each failure is logged once.
  private var troubled: Set<Transport> = []

  init(
    _ settings: RouteSettings, loop: EventLoop, passed: [ServiceManager.PassedSocket],
    path: String?, log: Logger
  ) throws {
    self.log = log
    service = RouteService(engine: settings.engine, bases: settings.bases)
    fetcher = try HTTPFetcher(timeout: Int(RouteSettings.timeout.microseconds / 1_000))
    interfaces = try VarlinkService(
      vendor: "georemind", product: "georemind-route", version: RouteCommand.version,
      url: "https://varlink.org", interfaces: [RouteInterface.text])
    if let path {
      listeners = [
        try UnixListener(path: path, mode: 0o600, loop: loop) { [unowned self] in admit($0) }
      ]
    }
    for socket in passed {
      listeners.append(
        try UnixListener(passed: socket.descriptor, loop: loop) { [unowned self] in admit($0) })
    }
  }

  func stop() {
    for listener in listeners { listener.close() }
    for client in clients.values { client.stream.close() }
  }

  private func admit(_ stream: StreamConnection) {
    guard clients.count < Self.maximumClients else { return stream.close() }
    let client = Client(stream, interfaces)
    let key = ObjectIdentifier(client)
    clients[key] = client
    stream.onClose = { [unowned self] _ in clients[key] = nil }
    stream.onSent = { [unowned self] count in
      guard let client = clients[key] else { return }
      perform(client.state.sent(count, handler: answer), for: client)
    }
    stream.onMessage = { [unowned self] bytes in
      guard let client = clients[key] else { return }
      perform(client.state.receive(Array(bytes) + [0], handler: answer), for: client)
    }
  }

  private func perform(_ actions: [Connection.Action], for client: Client) {
    for action in actions {
      switch action {
      case .send(let bytes): client.stream.send(bytes)
      case .close: client.stream.finish()
      }
    }
  }

  private func answer(_ call: VarlinkCall, _ peer: PeerCredentials) -> VarlinkAnswer {
    guard let query = RouteInterface.query(call.parameters) else {
      return .error(
        VarlinkError(
          name: "org.varlink.service.InvalidParameter",
          parameters: ["parameter": "destinations"]))
    }
    do throws(RouteService.Refusal) {
      let times = try service.answer(
        query, at: SystemClock.monotonic.microseconds, random: Double.random(in: 0..<1),
        fetch: { request throws(RouteFailure) in try fetcher.fetch(request) })
      if troubled.remove(query.transport) != nil {
        log.notice("The engine for \(query.transport.rawValue) answers again")
      }
      return .reply(["times": .array(times.map { $0.flatMap { JSONValue.double($0) } ?? .null })])
    } catch {
      return .error(refusal(error, of: query))
    }
  }

  private func refusal(_ refusal: RouteService.Refusal, of query: RouteQuery) -> VarlinkError {
    let transport = query.transport
    switch refusal {
    case .notConfigured:
      return VarlinkError(
        name: "\(RouteInterface.name).NotConfigured",
        parameters: ["transport": .string(transport.rawValue)])
    case .failure(let reason):
      if troubled.insert(transport).inserted {
        log.warning("The engine for \(transport.rawValue) fails: \(reason)")
      }
      return VarlinkError(
        name: "\(RouteInterface.name).EngineTrouble", parameters: ["reason": .string(reason)])
    }
  }
}
