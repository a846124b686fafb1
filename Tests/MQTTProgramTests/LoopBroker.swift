import Glibc
import LinuxRuntime
import TestSupport

/// A broker of MQTT 3.1.1 in the loop of the test, for one client: it records what comes, byte by
/// byte after the standard, and acknowledges it.
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

  private let loop: EventLoop
  private let listener: Descriptor
  private var source: IOSource?
  private var client: (descriptor: Descriptor, source: IOSource)?
  private var input: [UInt8] = []

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
    send(isRetained ? 0x31 : 0x30, text(topic) + payload)
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
    case 1:
      connects.append(readConnect(&body))
      send(0x20, [0, answer])
      if acceptsThenCloses { dropClient() }
    case 3:
      let topic = readText(&body)
      let quality = (first >> 1) & 3
      let id = quality > 0 ? Array(body.prefix(2)) : []
      let payload = String(decoding: body.dropFirst(id.count), as: UTF8.self)
      publications.append(
        Publication(topic: topic, payload: payload, isRetained: first & 1 == 1, quality: quality))
      if quality == 1, acknowledges { send(0x40, id) }
    case 8:
      let id = Array(body.prefix(2))
      body = body.dropFirst(2)
      subscriptions.append(readText(&body))
      send(0x90, id + [body.first ?? 0])
    case 12: send(0xD0, [])
    default: break
    }
  }

  /// Section 3.1: protocol name and level, flags, keep-alive, then the texts that the flags say.
  private func readConnect(_ body: inout ArraySlice<UInt8>) -> Connect {
    var connect = Connect()
    _ = readText(&body)
    let flags = body.dropFirst().first ?? 0
    body = body.dropFirst(2)
    connect.keepAlive = body.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }
    body = body.dropFirst(2)
    connect.isClean = flags & 2 != 0
    connect.client = readText(&body)
    if flags & 4 != 0 {
      connect.will = Publication(
        topic: readText(&body), payload: readText(&body), isRetained: flags & 0x20 != 0,
        quality: (flags >> 3) & 3)
    }
    if flags & 0x80 != 0 { connect.user = readText(&body) }
    if flags & 0x40 != 0 { connect.password = readText(&body) }
    return connect
  }

  private func readText(_ body: inout ArraySlice<UInt8>) -> String {
    let length = body.prefix(2).reduce(0) { $0 << 8 | Int($1) }
    body = body.dropFirst(2)
    defer { body = body.dropFirst(length) }
    return String(decoding: body.prefix(length), as: UTF8.self)
  }

  private func text(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
  }

  private func send(_ first: UInt8, _ body: [UInt8]) {
    guard let client else { return }
    var length: [UInt8] = []
    var rest = body.count
    repeat {
      length.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    let packet = [first] + length + body
    _ = Glibc.send(client.descriptor.raw, packet, packet.count, Int32(MSG_NOSIGNAL))
  }
}
