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
    /// The broker has answered a message; why it refuses it, if it does.
    case acknowledged(Int32, refusal: String?)
    /// The broker has answered a subscription; why it refuses it, if it does.
    case subscribed(Int32, refusal: String?)
    /// A payload that is too long for every reader is cut, but stays too long.
    case received(topic: String, payload: [UInt8], isRetained: Bool)
    /// The last event.
    case lost(Loss)
  }

  /// The end of a connection.
  struct Loss {
    let reason: String
    var end = VersionChoice.End.other
    var kind = Publisher.Loss.Kind.other
  }

  struct Failure: Error {
    let reason: String
    /// The message can be sent by no connection.
    var isFinal = false
  }

  /// Seconds. The broker publishes the will after one and a half of it.
  static let keepAlive: Int32 = 60
  /// Bytes of a packet of the broker: the longest payload that a reader takes, and a topic.
  static let maximumPacket = Publisher.maximumPayload + 65_536
  /// Messages of which the acknowledgement is due, in each direction.
  static let maximumUnderWay: Int32 = 20
  /// For the broker to accept the connection, microseconds.
  private static let acceptTimeout: Int64 = 15_000_000
  /// Opens the sandbox of the service for brokers anywhere.
  private static let dropIn = "remote-broker.conf"

  var onEvent: (Event) -> Void = { _ in }

  let version: ProtocolVersion
  let handle: OpaquePointer
  private let loop: EventLoop
  private var source: IOSource?
  private var timer: TimerSource?
  private var unfinished = UnfinishedPacket()
  private var isOpen = false
  /// The kernel has connected the socket: until then the library asks for no event.
  private var isWritable = false
  private(set) var isAccepted = false
  // Notes of the callbacks.
  var events: [Event] = []
  var isPacketWhole = false
  var isOversized = false
  /// The code of CONNACK.
  var answer: Int32?
  /// The last words of the library or the broker about a failure.
  var lastWords: String?

  init(id: String, version: ProtocolVersion, loop: EventLoop) throws(Failure) {
    mosquitto_lib_init()
    self.version = version
    self.loop = loop
    guard let handle = mosquitto_new(id, true, nil) else {
      throw Failure(reason: "libmosquitto has no memory")
    }
    self.handle = handle
    mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
    Self.setCallbacks(of: handle)
  }

  deinit {
    close()
    mosquitto_destroy(handle)
  }

  // MARK: - Opening

  /// Begins to connect. Looking a name up blocks.
  /// - Parameters:
  ///   - will: the broker publishes it when the connection ends.
  ///   - isIPv4: by IPv4 alone; the library tries one address of a name.
  func connect(
    to settings: MQTTSettings, password: String?, will: Message?, isIPv4: Bool
  ) throws(Failure) {
    try setLimits()
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
    let loss = loss(after: result)
    let came = events
    events = []
    if let loss {
      close()
      for event in came { onEvent(event) }
      return onEvent(.lost(loss))
    }
    if !isAccepted, answer == 0 {
      isAccepted = true
      timer?.arm(in: Int64(Self.keepAlive) * 250_000)
    }
    for event in came where isOpen { onEvent(event) }
    updateInterest()
  }

  /// Whether the connection has ended or must end.
  private func loss(after result: Int32) -> Loss? {
    let socket = mosquitto_socket(handle)
    // The library found no memory for what a packet announced, or the packet came at once.
    if isOversized || result == MOSQ_ERR_NOMEM.code { return .oversized }
    if result == 0, socket >= 0 {
      let size = unfinished.size(on: socket, isWhole: isPacketWhole || !events.isEmpty)
      isPacketWhole = false
      return size <= UInt64(Self.maximumPacket) ? nil : .oversized
    }
    var loss = Loss(reason: words(for: result == 0 ? MOSQ_ERR_CONN_LOST.code : result))
    guard answer != 0 else { return loss }
    switch (answer, result) {
    case (1, _), (Int32(MQTT_RC_UNSUPPORTED_PROTOCOL_VERSION.rawValue), _),
      // An answer in the form of the other version.
      (nil, MOSQ_ERR_PROTOCOL.code), (nil, MOSQ_ERR_MALFORMED_PACKET.code):
      loss.end = .refusedVersion
    case (nil, MOSQ_ERR_CONN_LOST.code) where isWritable: loss.end = .silent
    default: break
    }
    return loss
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
    case MOSQ_ERR_PAYLOAD_SIZE.code, MOSQ_ERR_OVERSIZE_PACKET.code, MOSQ_ERR_MALFORMED_UTF8.code:
      throw Failure(reason: words(for: result), isFinal: true)
    default: throw Failure(reason: words(for: result))
    }
  }

  /// - Returns: the number by which it is answered.
  func subscribe(_ filter: String) -> Int32 {
    var id: Int32 = 0
    _ = mosquitto_subscribe(handle, &id, filter, 1)
    updateInterest()
    return id
  }
}

extension MosquittoClient.Loss {
  fileprivate static let oversized = Self(
    reason: "the broker sends a message of more than \(MosquittoClient.maximumPacket >> 10) KiB",
    kind: .oversized)
}

extension mosq_err_t {
  var code: Int32 { Int32(rawValue) }
}
