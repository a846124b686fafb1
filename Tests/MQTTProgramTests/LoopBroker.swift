import Glibc
import LinuxRuntime
import TestSupport

/// A broker of MQTT 3.1.1 and 5 in the loop of the test, for one client: it records what comes,
/// byte by byte after the standards, and acknowledges it.
final class LoopBroker {
  struct Publication: Equatable {
    let topic: String
    let payload: String
    let isRetained: Bool
    let quality: UInt8
  }

  struct Connect: Equatable {
    var client = ""
    var will: Publication?
    var user: String?
    var password: String?
    var keepAlive: UInt16 = 0
    var isClean = false
    /// The protocol level.
    var version: UInt8 = 0
    /// Of MQTT 5: Maximum Packet Size and Receive Maximum.
    var maximumPacket: Int?
    var receiveMaximum: Int?
  }

  /// What the broker does with CONNECT of a version that it does not speak.
  enum Refusal {
    /// By CONNACK in the form of MQTT 3.1.1, or of 5.
    case old
    case new
    /// It closes the connection.
    case silent
  }

  let port: UInt16
  private(set) var connects: [Connect] = []
  private(set) var publications: [Publication] = []
  private(set) var subscriptions: [String] = []
  /// The code of the answer to CONNECT; 0 accepts.
  var answer: UInt8 = 0
  /// Whether a client loses its connection after the answer.
  var acceptsThenCloses = false
  /// Whether publications are acknowledged.
  var acknowledges = true
  /// The protocol levels that it speaks.
  var versions: Set<UInt8> = [4, 5]
  var refusal = Refusal.old
  /// Reason codes of PUBACK by topic; of MQTT 5.
  var publishCodes: [String: UInt8] = [:]
  /// Codes of SUBACK by filter.
  var subscribeCodes: [String: UInt8] = [:]
  /// Topics whose messages are acknowledged and dropped.
  var swallowed: Set<String> = []

  private let loop: EventLoop
  private let listener: Descriptor
  private var source: IOSource?
  private var client: (descriptor: Descriptor, source: IOSource)?
  private var input: [UInt8] = []
  private var isFive = false

  init(loop: EventLoop) throws {
    self.loop = loop
    let address = try SocketAddress(numeric: "127.0.0.1", port: 0)
    let listener = Descriptor(
      socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    guard address.withPointer({ bind(listener.raw, $0, $1) }) == 0, listen(listener.raw, 8) == 0
    else { throw SystemError.last("listen") }
    self.listener = listener
    port = Server.port(of: listener)
    source = try loop.addIO(listener.raw, .readable) { [unowned self] _ in admit() }
  }

  func stop() {
    dropClient()
    source?.close()
    listener.close()
  }

  func dropClient() {
    client?.source.close()
    client?.descriptor.close()
    client = nil
  }

  /// To the client, of quality 0.
  func publish(_ topic: String, _ payload: [UInt8], isRetained: Bool = false) {
    send(isRetained ? 0x31 : 0x30, text(topic) + (isFive ? [0] : []) + payload)
  }

  /// Bytes of a large message that were sent.
  private(set) var partSent = 0

  /// The head of a message with so many bytes of payload.
  func announce(_ length: Int, for topic: String) {
    guard let client else { return }
    let name = text(topic) + (isFive ? [0] : [])
    let head = [0x31] + lengthBytes(name.count + length) + name
    _ = Glibc.send(client.descriptor.raw, head, head.count, Int32(MSG_NOSIGNAL))
    partSent = 0
  }

  /// Some of its payload, as much as the socket takes.
  func sendPart() {
    guard let client else { return }
    let part = [UInt8](repeating: 0x20, count: 65_536)
    partSent += max(
      0,
      Glibc.send(
        client.descriptor.raw, part, part.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT)))
  }

  func publish(_ topic: String, _ payload: String, isRetained: Bool = false) {
    publish(topic, Array(payload.utf8), isRetained: isRetained)
  }

  private func admit() {
    let raw = accept(listener.raw, nil, nil)
    guard raw >= 0 else { return }
    _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
    dropClient()
    input = []
    let descriptor = Descriptor(raw)
    guard
      let source = try? loop.addIO(raw, .readable, handler: { [unowned self] _ in receive() })
    else { return }
    client = (descriptor, source)
  }

  private func receive() {
    guard let client else { return }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(client.descriptor.raw, &bytes, bytes.count)
    guard count > 0 else { return dropClient() }
    input += bytes[..<count]
    while let packet = nextPacket() { take(packet.first, packet.rest) }
  }

  /// A packet with its first byte, once it is whole: section 2.2.
  private func nextPacket() -> (first: UInt8, rest: [UInt8])? {
    var length = 0
    for place in 1...4 {
      guard place < input.count else { return nil }
      length |= Int(input[place] & 0x7F) << (7 * (place - 1))
      guard input[place] & 0x80 == 0 else { continue }
      let start = place + 1
      guard input.count >= start + length else { return nil }
      defer { input.removeFirst(start + length) }
      return (input[0], Array(input[start..<start + length]))
    }
    return nil
  }

  private func take(_ first: UInt8, _ body: [UInt8]) {
    var body = body[...]
    switch first >> 4 {
    case 1: connect(&body)
    case 3:
      let topic = readText(&body)
      let quality = (first >> 1) & 3
      let id = Array(body.prefix(quality > 0 ? 2 : 0))
      body = body.dropFirst(id.count)
      if isFive { _ = readProperties(&body) }
      let payload = String(decoding: body, as: UTF8.self)
      publications.append(
        Publication(topic: topic, payload: payload, isRetained: first & 1 == 1, quality: quality))
      if quality == 1, acknowledges {
        send(0x40, id + (isFive ? publishCodes[topic].map { [$0] } ?? [] : []))
      }
      // To itself, as a subscriber: the filters of the tests have no wildcard there.
      if subscriptions.contains(topic), !swallowed.contains(topic), publishCodes[topic] == nil {
        publish(topic, Array(body))
      }
    case 8:
      let id = Array(body.prefix(2))
      body = body.dropFirst(2)
      if isFive { _ = readProperties(&body) }
      let filter = readText(&body)
      subscriptions.append(filter)
      send(0x90, id + (isFive ? [0] : []) + [subscribeCodes[filter] ?? body.first ?? 0])
    case 12: send(0xD0, [])
    default: break
    }
  }

  private func connect(_ body: inout ArraySlice<UInt8>) {
    let connect = readConnect(&body)
    connects.append(connect)
    isFive = connect.version == 5
    guard versions.contains(connect.version) else {
      switch refusal {
      case .old: send(0x20, [0, 1])
      case .new: send(0x20, [0, 0x84, 0])
      case .silent: break
      }
      return dropClient()
    }
    let code = isFive && answer > 0 ? answer + 0x82 : answer
    send(0x20, [0, code] + (isFive ? [0] : []))
    if acceptsThenCloses { dropClient() }
  }

  private func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
  }

  private func send(_ first: UInt8, _ body: [UInt8]) {
    guard let client else { return }
    let packet = [first] + lengthBytes(body.count) + body
    _ = Glibc.send(client.descriptor.raw, packet, packet.count, Int32(MSG_NOSIGNAL))
  }

  /// Section 2.2.3.
  private func lengthBytes(_ count: Int) -> [UInt8] {
    var length: [UInt8] = []
    var rest = count
    repeat {
      length.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return length
  }
}
