import CMicroHTTPD
import Glibc
import LinuxRuntime
import Phones

/// libmicrohttpd on the loop: its epoll(7) descriptor is one source, and no thread is its own.
///
/// The limits of connections are its own. The library's limit of time is between two bytes, so a
/// client could hold a connection for hours. The library's limits of number know no token.
final class HTTPServer {
  /// The answer to a head, before the body is read; nil to read it.
  private let refuse: (PhoneRequest) -> PhoneAnswer?
  private let answer: (PhoneRequest) -> PhoneAnswer
  private let phonePage: (PhonePageRequest) -> PhonePage.Answer
  let map: MapService?
  private let limits: ConnectionLimits
  private let listener: Descriptor
  private var server: OpaquePointer?
  private var source: IOSource?
  private(set) var turn: TurnSource?
  private var deadline: TimerSource?
  /// When `deadline` comes.
  private var armed: Int64?
  var connections: ConnectionTable<OpaquePointer>
  private var hasRoom = false

  /// - Parameter listener: a listening socket that does not block.
  init(
    _ listener: Descriptor, loop: EventLoop, limits: ConnectionLimits = ConnectionLimits(),
    map: MapService? = nil, refuse: @escaping (PhoneRequest) -> PhoneAnswer?,
    answer: @escaping (PhoneRequest) -> PhoneAnswer,
    phonePage: @escaping (PhonePageRequest) -> PhonePage.Answer
  ) throws(SystemError) {
    self.refuse = refuse
    self.answer = answer
    self.phonePage = phonePage
    self.map = map
    self.limits = limits
    connections = ConnectionTable(limits: limits)
    self.listener = listener
    guard let server = start() else {
      throw SystemError("start the HTTP server", code: errno == 0 ? ENOMEM : errno)
    }
    self.server = server
    source = try loop.addIO(georemind_mhd_epoll(server), .readable) { [unowned self] _ in run() }
    turn = try loop.addDeferred { [unowned self] in run() }
    turn?.isEnabled = false
    deadline = try loop.addTimer(.monotonic, accuracy: 250_000) { [unowned self] _ in endLate() }
  }

  deinit { stop() }

  /// Ends all connections; harmless when repeated.
  func stop() {
    source?.close()
    turn?.close()
    deadline?.close()
    // The library cannot stop while a connection is suspended.
    map?.stop()
    if let server {
      MHD_run(server)
      // Otherwise the library closes the listening socket, which is not its own.
      _ = MHD_quiesce_daemon(server)
      MHD_stop_daemon(server)
    }
    server = nil
    listener.close()
  }

  /// Connections that are open.
  var connectionCount: Int { connections.count }

  // MARK: - The library

  private func start() -> OpaquePointer? {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let completed: MHD_RequestCompletedCallback = { context, connection, place, _ in
      HTTPServer.of(context)?.completed(connection, place)
    }
    let notify: MHD_NotifyConnectionCallback = { context, connection, _, code in
      HTTPServer.of(context)?.notice(connection, isNew: code == .CONNECTION_NOTIFY_STARTED)
    }
    let begin:
      @convention(c) (
        UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?
      ) -> UnsafeMutableRawPointer? = { _, target, _ in
        let bytes = target.map { Array(String(cString: $0).utf8) } ?? []
        return Unmanaged.passRetained(HTTPExchange(target: bytes)).toOpaque()
      }
    func option(
      _ option: MHD_OPTION, _ value: Int, _ pointer: UnsafeMutableRawPointer? = nil
    ) -> MHD_OptionItem { MHD_OptionItem(option: option, value: value, ptr_value: pointer) }
    var options = [
      option(.LISTEN_SOCKET, Int(listener.raw)),
      option(.CONNECTION_LIMIT, limits.connections),
      option(.CONNECTION_MEMORY_LIMIT, 16_384), option(.STRICT_FOR_CLIENT, 1),
      option(.NOTIFY_COMPLETED, unsafeBitCast(completed, to: Int.self), context),
      option(.NOTIFY_CONNECTION, unsafeBitCast(notify, to: Int.self), context),
      option(.URI_LOG_CALLBACK, unsafeBitCast(begin, to: Int.self)),
      option(.END, 0),
    ]
    errno = 0
    return georemind_mhd_start(
      UInt32(MHD_USE_EPOLL.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue),
      { context, connection, _, method, _, bytes, count, place in
        guard let server = HTTPServer.of(context), let connection, let method, let count else {
          return .NO
        }
        let piece = UnsafeRawBufferPointer(start: bytes, count: count.pointee)
        count.pointee = 0
        return server.advance(connection, String(cString: method), piece, place?.pointee)
      }, context, &options)
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> HTTPServer? {
    context.map { Unmanaged<HTTPServer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Called with the head, then with each piece of the body, then without bytes at the end.
  private func advance(
    _ connection: OpaquePointer, _ method: String, _ piece: UnsafeRawBufferPointer,
    _ context: UnsafeMutableRawPointer?
  ) -> MHD_Result {
    guard let context else { return .NO }
    let exchange = Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
    guard exchange.hasHead else {
      exchange.readHead(connection, method: method, network: Self.network(of: connection))
      guard exchange.isPlain else { return send(.badRequest, connection, isLast: true) }
      if map != nil, let page = exchange.page { return begin(page, exchange, connection) }
      if exchange.phonePage != nil { return .YES }
      // The library ends the connection after an answer to a head alone.
      guard method == "POST" else { return .YES }
      return refuse(exchange.request).map { send($0, connection) } ?? .YES
    }
    guard piece.isEmpty else { return exchange.add(piece) ? .YES : .NO }
    if map != nil, let page = exchange.wholePage { return advance(page, exchange, connection) }
    if let page = exchange.phonePage {
      let (answer, isAuthorized) = phonePage(page)
      return send(answer, connection, isAuthorized: isAuthorized)
    }
    guard !exchange.isTooLong else { return send(.tooLong, connection) }
    let answer = answer(exchange.request)
    connections.judge(connection, isAuthorized: answer.isOfAuthorized)
    return send(answer, connection)
  }

  /// - Parameter isLast: whether the connection ends after the answer.
  private func send(
    _ answer: PhoneAnswer, _ connection: OpaquePointer, isLast: Bool = false
  ) -> MHD_Result {
    var body = answer.body
    let response = body.withUTF8 {
      MHD_create_response_from_buffer(
        $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
    }
    guard let response else { return .NO }
    defer { MHD_destroy_response(response) }
    if !answer.body.isEmpty {
      MHD_add_response_header(response, "Content-Type", "application/json")
    }
    if isLast { MHD_add_response_header(response, "Connection", "close") }
    if let seconds = answer.retryAfter {
      MHD_add_response_header(response, "Retry-After", "\(seconds)")
    }
    if answer.status == 401 {
      MHD_add_response_header(response, "WWW-Authenticate", "Basic realm=\"georemind\"")
    }
    return MHD_queue_response(connection, UInt32(answer.status), response)
  }

  // MARK: - Connections

  private func completed(
    _ connection: OpaquePointer?, _ place: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) {
    if let context = place?.pointee { Unmanaged<HTTPExchange>.fromOpaque(context).release() }
    place?.pointee = nil
    if let connection { connections.complete(connection, at: SystemClock.monotonic.microseconds) }
  }

  private func notice(_ connection: OpaquePointer?, isNew: Bool) {
    guard let connection else { return }
    if isNew {
      let displaced = connections.add(
        connection, from: Self.network(of: connection), at: SystemClock.monotonic.microseconds)
      if let displaced { Self.end(displaced) }
    } else {
      connections.remove(connection)
      hasRoom = true
    }
  }

  /// The library hears of the end in its next run.
  private static func end(_ connection: OpaquePointer) {
    shutdown(georemind_mhd_socket(connection), Int32(SHUT_RDWR))
  }

  private static func network(of connection: OpaquePointer) -> ClientNetwork? {
    guard let peer = georemind_mhd_peer(connection) else { return nil }
    let start = UnsafeRawPointer(peer)
    switch Int32(peer.pointee.sa_family) {
    case AF_INET:
      let address = start.loadUnaligned(as: sockaddr_in.self).sin_addr
      return withUnsafeBytes(of: address) { ClientNetwork(address: $0) }
    case AF_INET6:
      let address = start.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      return withUnsafeBytes(of: address) { ClientNetwork(address: $0) }
    default: return nil
    }
  }

  private func run() {
    guard let server else { return }
    // After a connection has ended, the library accepts again only in its next run.
    repeat {
      hasRoom = false
      MHD_run(server)
    } while hasRoom
    var wait: UInt64 = 0
    if MHD_get_timeout(server, &wait) == .YES, wait == 0 { turn?.again() }
    armDeadline()
  }

  private func armDeadline() {
    guard let first = connections.deadline, first < armed ?? .max else { return }
    armed = first
    deadline?.arm(at: first)
  }

  private func endLate() {
    armed = nil
    connections.endLate(at: SystemClock.monotonic.microseconds).forEach(Self.end)
    run()
  }
}
