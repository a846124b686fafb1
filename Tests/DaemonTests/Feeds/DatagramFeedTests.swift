import CivilTime
import Feeds
import Geodesy
import Glibc
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import Testing

@testable import Daemon

/// Receivers that share a port.
@Suite(.serialized) struct DatagramFeedTests {
  /// A daemon that listens, and the fixes of each source.
  private final class Network {
    let rig: Rig
    let port: UInt16
    var fixes: [UInt64: [Fix]] = [:]

    init(_ address: String = "0.0.0.0") throws {
      let probe = try Sender(port: 0)
      port = try probe.ownPort()
      probe.close()
      rig = try Rig("[Feed]\nFeed=udp://\(address):\(port)?max-age=infinity\n")
      let runner = try runner
      let take = runner.onFixes
      runner.onFixes = { [unowned self] in
        fixes[$1, default: []] += $0
        take($0, $1)
      }
      try rig.run { runner.feed.state == .open }
    }

    var runner: FeedRunner { get throws { try #require(rig.daemon.feeds.first) } }

    func sender() throws -> Sender { try Sender(port: port) }
  }

  /// One epoch of a receiver at that latitude: time and date, then altitude.
  private static func epoch(_ second: Int, latitude: Int) -> [String] {
    let time = "1540\(second < 10 ? "0" : "")\(second)"
    return [
      "GNRMC,\(time),A,\(latitude)30.00000,N,00959.61359,E,0.018,,120626,,,A",
      "GNGGA,\(time),\(latitude)30.00000,N,00959.61359,E,1,12,0.7,10.0,M,45.0,M,,",
    ].map { body in
      let sum = body.utf8.reduce(0) { $0 ^ $1 }
      let digits = String(sum, radix: 16, uppercase: true)
      return "$\(body)*\(sum < 16 ? "0" : "")\(digits)"
    }
  }

  @Test func twoSendersNeverMakeOneTrack() throws {
    let network = try Network()
    let north = try network.sender()
    let south = try network.sender()
    for second in 1...20 {
      // Without line ends, and sentence by sentence in turns.
      for (one, other) in zip(
        Self.epoch(second, latitude: 53), Self.epoch(second, latitude: 10))
      {
        north.send(one)
        south.send(other)
      }
    }
    let runner = try network.runner
    try network.rig.run {
      network.fixes.count == 2 && network.fixes.values.allSatisfy { $0.count == 20 }
    }
    for fixes in network.fixes.values {
      #expect(Set(fixes.map { $0.position.latitude }).count == 1)
      #expect(fixes.allSatisfy { $0.altitudeMSL == 10 }, "an epoch is whole")
    }
    // The one that came first is followed.
    #expect(network.rig.daemon.host.engine.lastFix?.position.latitude == 53.5)
    #expect(runner.statistics.fixes == 40)
    let feed = try #require(
      try network.rig.client().call("Status")["status"]?["feeds"]?.array?.first)
    #expect(feed["senders"]?.array?.count == 2)
    #expect(feed["fixes"]?.int == 40)
  }

  @Test func aDatagramThatComesTwiceIsOneFix() throws {
    let network = try Network()
    let sender = try network.sender()
    for second in 1...30 {
      let datagram = Self.epoch(second, latitude: 53).joined(separator: "\r\n")
      // By one way twice, and by another.
      sender.send(datagram)
      if second % 3 != 0 { sender.send(datagram) }
      sender.send(datagram, to: 0x7F00_0002)
    }
    try network.rig.run {
      network.fixes.count == 2 && network.fixes.values.allSatisfy { $0.last?.second == 30 }
    }
    for fixes in network.fixes.values {
      let times = fixes.compactMap(\.second)
      #expect(times == times.sorted())
      #expect(Set(times) == Set(1...30))
    }
    #expect(network.rig.daemon.host.engine.lastFix?.second == 30)
  }

  @Test func aSenderThatIsCrowdedOutKeepsItsCounts() throws {
    let network = try Network()
    var bytes = 0
    for number in 1...20 {
      let sender = try network.sender()
      for _ in 1...2 {
        let sentence = Self.epoch(number, latitude: 53)[0]
        sender.send(sentence)
        bytes += sentence.utf8.count
      }
      try network.rig.run { try network.runner.feed.bytesReceived == bytes }
    }
    let runner = try network.runner
    #expect(runner.sources.count == SenderTable<FeedSource>.capacity)
    #expect(runner.statistics.bytes == bytes)
    #expect(runner.statistics.sentences == 40)
  }
}

extension Fix {
  /// The second of its minute.
  fileprivate var second: Int? { time.map { Int($0.microseconds / 1_000_000 % 60) } }
}

/// A socket that sends datagrams to a port of this machine.
private final class Sender {
  private var descriptor: Int32
  private let port: UInt16

  init(port: UInt16) throws {
    self.port = port
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    guard port == 0 else { return }
    var address = Self.address(0x7F00_0001, 0)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    try #require(
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
      } == 0)
  }

  deinit { close() }

  func close() {
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  func ownPort() throws -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &size)
      }
    }
    try #require(result == 0)
    return UInt16(bigEndian: address.sin_port)
  }

  func send(_ text: String, to host: UInt32 = 0x7F00_0001) {
    var address = Self.address(host, port)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(
          descriptor, text, text.utf8.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func address(_ host: UInt32, _ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = host.bigEndian
    address.sin_port = port.bigEndian
    return address
  }
}
