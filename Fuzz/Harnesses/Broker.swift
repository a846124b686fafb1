// Support: Input
import CivilTime
import Companion
import JSONText
import MQTT

/// A broker that sends any messages, acknowledges, refuses and ends the connection, while firings
/// are delivered and time passes.
///
/// The work for a message is bounded, each firing has one outcome, only a good firing counts as
/// delivered, and each line for the daemon is a report.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBroker(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  let choice = input.choice()
  var settings = MQTTSettings()
  settings.takesCommands = choice & 1 != 0
  settings.published = choice & 2 != 0 ? .everything : choice & 32 != 0 ? .places : .nothing
  settings.announcesEntities = choice & 4 == 0
  let version = choice & 8 == 0 ? ProtocolVersion.five : .threeOneOne
  var broker = Broker(settings)
  broker.handle(.daemonConnected)
  broker.handle(.feedOpen(choice & 16 != 0))
  broker.handle(.connected(version))
  // Each line is an event: a letter, then a topic and a payload.
  for line in input.rest.split(separator: UInt8(ascii: "\n")).prefix(200) {
    broker.follow(line, version)
  }
  return 0
}

private struct Broker {
  private static let names = ["firing", "command", "selftest", "last"]

  private var publisher: Publisher
  private var steady: Int64 = 1_000_000
  private var isConnected = false
  private var seq = 0
  /// Numbers of firings without an outcome, and numbers that the broker has acknowledged.
  private var open: Set<Int> = []
  private var sent: [Publisher.Token] = []
  private var acknowledged: Set<Int> = []
  private let prefix: String

  init(_ settings: MQTTSettings) {
    let identity = Identity(id: "4f2a91c3", name: "boat", version: "1.0.0")
    publisher = Publisher(settings, identity)
    prefix = "\(settings.prefix)/\(identity.id)/"
  }

  mutating func follow(_ line: ArraySlice<UInt8>, _ version: ProtocolVersion) {
    let rest = line.dropFirst()
    switch line.first ?? 0 {
    case UInt8(ascii: "m"), UInt8(ascii: "r"):
      let parts = rest.split(separator: UInt8(ascii: " "), maxSplits: 1)
      let topic = String(decoding: parts.first ?? [], as: UTF8.self)
      handle(
        .received(
          topic: Self.names.contains(topic) ? prefix + topic : topic,
          payload: Array(parts.dropFirst().first ?? []), isRetained: line.first == UInt8(ascii: "r")
        ))
    case UInt8(ascii: "f"):
      // The delivery hands out one firing of each queue at a time.
      guard open.count < 2 else { return }
      seq += 1
      open.insert(seq)
      handle(.firing(firing(seq, isUrgent: rest.first == UInt8(ascii: "!"))))
    case UInt8(ascii: "a"):
      guard !sent.isEmpty else { return handle(.acknowledged(nil)) }
      let token = sent.removeFirst()
      if case .firing(let seq) = token { acknowledged.insert(seq) }
      handle(.acknowledged(token))
    case UInt8(ascii: "n"):
      let token = sent.isEmpty ? nil : sent.removeLast()
      handle(rest.isEmpty ? .failed(token, "not now") : .refused(token, "never"))
    case UInt8(ascii: "d"):
      let kind: Publisher.Loss.Kind = rest.isEmpty ? .other : .oversized
      handle(.disconnected(Publisher.Loss("it ends", kind)))
    case UInt8(ascii: "c"): handle(.connected(version))
    case let letter:
      steady += Int64(letter) * 100_000
      handle(.tick)
    }
  }

  mutating func handle(_ event: Publisher.Event) {
    switch event {
    case .connected:
      guard !isConnected else { return }
      isConnected = true
    case .disconnected:
      guard isConnected else { return }
      isConnected = false
      sent = []
    case .received, .acknowledged, .failed, .refused: guard isConnected else { return }
    default: break
    }
    let real = Instant(microseconds: 1_781_280_000_000_000 + steady)
    let effects = publisher.handle(event, at: ClockReadings(steady: steady, real: real))
    require(effects.count <= 320, "\(effects.count) effects of \(event)")
    for effect in effects { check(effect) }
  }

  private mutating func check(_ effect: Publisher.Effect) {
    switch effect {
    case .publish(_, let token):
      require(isConnected, "a message without a connection")
      if let token { sent.append(token) }
    case .ended(let seq, let outcome):
      require(open.remove(seq) != nil, "firing \(seq) ends twice")
      require(outcome != .delivered || acknowledged.contains(seq), "\(seq) was not acknowledged")
    case .read(let after, let limit):
      require((1...16).contains(limit), "reads \(limit)")
      handle(.read((0..<limit).map { firing(after + $0 + 1, isUrgent: false) }))
    case .feed(let line):
      let report = (try? JSONParser.parse(line))?.object
      require(report?["class"]?.string == "TPV", "no report: \(line)")
      require(report?["lat"]?.double.map { abs($0) <= 90 } ?? false, "no position: \(line)")
    case .report(let text): require(text.utf8.count < 2_000, "a long line in the log")
    case .call(let command): require(!command.method.isEmpty, "no method")
    default: break
    }
  }

  private func firing(_ seq: Int, isUrgent: Bool) -> FiringNotice {
    let json: JSONObject = [
      "firing_id": .string("f\(seq)"), "reminder_id": "r", "title": "Milk", "event": "arrive",
      "time": "2026-06-12T16:00:00Z", "seq": .int(seq), "ledger": "one",
      "priority": .int(isUrgent ? 1 : 0),
    ]
    guard let firing = FiringNotice(json) else { fatalError("a firing has its members") }
    return firing
  }
}
