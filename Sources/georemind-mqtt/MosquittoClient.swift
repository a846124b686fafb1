import CMosquitto
import Glibc
import LinuxRuntime
import MQTT

/// One connection to a broker by libmosquitto, served from the loop.
///
/// Each connection has a client of its own, so nothing of an earlier one is sent again. Its
/// callbacks only note what has come: `onEvent` is called when the library has returned.
final class MosquittoClient {
  enum Event {
    case accepted
    case acknowledged(Int32)
    case received(topic: String, payload: [UInt8], isRetained: Bool)
    /// The last event.
    case lost(reason: String)
  }

  struct Failure: Error {
    let reason: String
  }

  /// Seconds. The broker publishes the will after one and a half of it.
  static let keepAlive: Int32 = 60
  private static let maximumUnderWay: UInt32 = 20
  /// For the broker to accept the connection, microseconds.
  private static let acceptTimeout: Int64 = 15_000_000

  var onEvent: (Event) -> Void = { _ in }

  private let handle: OpaquePointer
  private let loop: EventLoop
  private var source: IOSource?
  private var timer: TimerSource?
  private var events: [Event] = []
  private var isAccepted = false
  private var isOpen = false
  /// The kernel has connected the socket: until then the library asks for no event.
  private var isWritable = false
  /// The last words of the library or the broker about a failure.
  private var lastWords: String?

  init(id: String, loop: EventLoop) throws(Failure) {
    mosquitto_lib_init()
    self.loop = loop
    guard let handle = mosquitto_new(id, true, nil) else {
      throw Failure(reason: "libmosquitto has no memory")
    }
    self.handle = handle
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    mosquitto_max_inflight_messages_set(handle, Self.maximumUnderWay)
    setCallbacks()
  }

  deinit {
    close()
    mosquitto_destroy(handle)
  }

  private func setCallbacks() {
    mosquitto_connect_callback_set(handle) { _, context, code in
      MosquittoClient.at(context)?.answered(code)
    }
    mosquitto_publish_callback_set(handle) { _, context, id in
      MosquittoClient.at(context)?.events.append(.acknowledged(id))
    }
    mosquitto_message_callback_set(handle) { _, context, message in
      guard let message = message?.pointee, let topic = message.topic else { return }
      let bytes = UnsafeRawBufferPointer(
        start: message.payload, count: max(0, Int(message.payloadlen)))
      MosquittoClient.at(context)?.events.append(
        .received(
          topic: String(cString: topic), payload: Array(bytes), isRetained: message.retain))
    }
    mosquitto_log_callback_set(handle) { _, context, level, text in
      guard level == MOSQ_LOG_ERR, let text else { return }
      MosquittoClient.at(context)?.lastWords = String(cString: text)
    }
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> MosquittoClient? {
    context.map { Unmanaged<MosquittoClient>.fromOpaque($0).takeUnretainedValue() }
  }

  private func answered(_ code: Int32) {
    if code == 0 {
      isAccepted = true
      events.append(.accepted)
    } else {
      lastWords = String(cString: mosquitto_connack_string(code))
    }
  }

  // MARK: - Opening

  /// Opens the sandbox of the service for brokers anywhere.
  private static let dropIn = "remote-broker.conf"

  /// Begins to connect. Looking a name up blocks.
  /// - Parameters:
  ///   - will: the broker publishes it when the connection ends.
  ///   - isIPv4: by IPv4 alone; the library tries one address of a name.
  func connect(
    to settings: MQTTSettings, password: String?, will: Message?, isIPv4: Bool
  ) throws(Failure) {
    if let will {
      let payload = Array(will.payload.utf8)
      try check(
        mosquitto_will_set(
          handle, will.topic, Int32(payload.count), payload, 1, will.isRetained))
    }
    if let user = settings.user {
      try check(mosquitto_username_pw_set(handle, user, password))
    }
    if settings.broker.usesTLS { try setTLS(settings) }
    errno = 0
    let result = mosquitto_connect_bind_async(
      handle, settings.broker.host, Int32(settings.broker.port), Self.keepAlive,
      isIPv4 ? "0.0.0.0" : nil)
    if result == MOSQ_ERR_ERRNO.code, errno == EPERM {
      throw Failure(
        reason: "the sandbox permits localhost and private networks only; to reach this broker, "
          + "install the drop-in \(Self.dropIn)")
    }
    try check(result)
    let descriptor = mosquitto_socket(handle)
    guard descriptor >= 0 else { throw Failure(reason: "there is no connection") }
    do throws(SystemError) {
      source = try loop.addIO(descriptor, [.readable, .writable]) { [unowned self] in
        serve($0)
      }
      timer = try loop.addTimer(.monotonic, accuracy: 1_000_000) { [unowned self] _ in
        tick()
      }
    } catch {
      throw Failure(reason: error.description)
    }
    isOpen = true
    timer?.arm(in: Self.acceptTimeout)
  }

  private func setTLS(_ settings: MQTTSettings) throws(Failure) {
    for path in [settings.authoritiesFile, settings.certificateFile, settings.keyFile] {
      guard let path, access(path, R_OK) != 0 else { continue }
      throw Failure(reason: "\(path) cannot be read: \(errorText(errno))")
    }
    try check(
      mosquitto_tls_set(
        handle, settings.authoritiesFile,
        settings.authoritiesFile == nil ? "/etc/ssl/certs" : nil, settings.certificateFile,
        settings.keyFile, nil))
  }

  private func check(_ result: Int32) throws(Failure) {
    guard result != 0 else { return }
    throw Failure(reason: words(for: result))
  }

  private func words(for result: Int32) -> String {
    let text = String(cString: mosquitto_strerror(result))
    guard let lastWords, result != MOSQ_ERR_ERRNO.code else { return text }
    guard lastWords.contains("certificate verify failed") else { return lastWords }
    return
      "\(lastWords); the certificate must name the host of Broker=, and an authority of CAFile= "
      + "or of the system must have signed it"
  }

  /// Ends the connection without a farewell, so that the broker publishes the will.
  func close() {
    isOpen = false
    source?.close()
    source = nil
    timer?.close()
    timer = nil
  }

  // MARK: - Service

  private func serve(_ ready: IOEvents) {
    var result: Int32 = 0
    if !ready.isDisjoint(with: [.readable, .hangUp, .error]) {
      result = mosquitto_loop_read(handle, 1)
    }
    if result == 0, ready.contains(.writable) {
      isWritable = true
      result = mosquitto_loop_write(handle, 1)
    }
    finish(result)
  }

  private func tick() {
    guard isAccepted else {
      // Some kernels drop what the sandbox forbids, and refuse nothing.
      if !isWritable {
        lastWords =
          "no answer; a broker outside of private networks needs the drop-in \(Self.dropIn)"
      }
      return finish(MOSQ_ERR_TIMEOUT.code)
    }
    finish(mosquitto_loop_misc(handle))
    timer?.arm(in: Int64(Self.keepAlive) * 250_000)
  }

  /// Hands out what came; closes the source before the number of its descriptor is used again.
  private func finish(_ result: Int32) {
    let isLost = result != 0 || mosquitto_socket(handle) < 0
    let came = events
    events = []
    if isLost {
      let reason = words(for: result == 0 ? MOSQ_ERR_CONN_LOST.code : result)
      close()
      for event in came { onEvent(event) }
      return onEvent(.lost(reason: reason))
    }
    if came.contains(where: { if case .accepted = $0 { true } else { false } }) {
      timer?.arm(in: Int64(Self.keepAlive) * 250_000)
    }
    for event in came { onEvent(event) }
    updateInterest()
  }

  private func updateInterest() {
    guard isOpen else { return }
    let wantsWriting = !isWritable || mosquitto_want_write(handle)
    source?.setInterest(wantsWriting ? [.readable, .writable] : .readable)
  }

  // MARK: - Sending

  /// - Returns: the number by which it is acknowledged.
  func publish(_ message: Message) throws(Failure) -> Int32 {
    var id: Int32 = 0
    let payload = Array(message.payload.utf8)
    let result = mosquitto_publish(
      handle, &id, message.topic, Int32(clamping: payload.count), payload, 1,
      message.isRetained)
    updateInterest()
    switch result {
    // A lost connection is reported by the loop.
    case 0, MOSQ_ERR_NO_CONN.code, MOSQ_ERR_CONN_LOST.code, MOSQ_ERR_ERRNO.code: return id
    default: throw Failure(reason: words(for: result))
    }
  }

  func subscribe(_ filter: String) {
    _ = mosquitto_subscribe(handle, nil, filter, 1)
    updateInterest()
  }
}

extension mosq_err_t {
  fileprivate var code: Int32 { Int32(rawValue) }
}
