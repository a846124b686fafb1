import Testing

@testable import Daemon
@testable import Feeds

/// To which source a datagram goes. The sources here are numbers.
@Suite struct SenderTableTests {
  private struct Table {
    var senders = SenderTable<Int>()
    var made: [DatagramOrigin] = []
    var dropped: [Int] = []
    var useful: Set<Int> = []

    mutating func hear(_ address: UInt32, _ port: UInt16, interface: UInt32 = 1) -> Int {
      var made = made
      var dropped = dropped
      let source = senders.source(
        for: DatagramOrigin(
          sender: IPAddress(ipv4: address.bigEndian), port: port, interface: interface),
        isUseful: { [useful] in useful.contains($0) },
        make: {
          made.append($0)
          return made.count
        }, drop: { dropped.append($0) })
      (self.made, self.dropped) = (made, dropped)
      return source
    }
  }

  @Test func keepsSendersApart() {
    var table = Table()
    for _ in 0..<3 {
      #expect(table.hear(1, 1000) == 1)
      #expect(table.hear(1, 1001) == 2, "another program of the same machine")
      #expect(table.hear(2, 1000) == 3)
      #expect(table.hear(1, 1000, interface: 2) == 4, "the same by another interface")
    }
    #expect(table.senders.sources == [1, 2, 3, 4])
    #expect(table.dropped == [])
  }

  @Test func isBounded() {
    var table = Table()
    for address in 1...1000 as ClosedRange<UInt32> {
      _ = table.hear(address, 1)
      #expect(table.senders.sources.count <= SenderTable<Int>.capacity)
    }
    #expect(table.dropped == Array(1...992), "silent for longest goes first")
  }

  /// Whoever can send datagrams cannot push a receiver out with them.
  @Test func keepsSendersThatGiveFixes() {
    var table = Table()
    for _ in 0..<2 { #expect(table.hear(1, 1) == 1) }
    table.useful = [1]
    for address in 2...100 as ClosedRange<UInt32> { _ = table.hear(address, 1) }
    #expect(table.hear(1, 1) == 1)
    table.useful = Set(1...200)
    for address in 201...208 as ClosedRange<UInt32> { _ = table.hear(address, 1) }
    #expect(table.dropped.contains(1), "among the useful, silence decides")
  }

  @Test func aSenderMayChangeItsPortEachTime() {
    var table = Table()
    var sources: [Int] = []
    for port in 1...20 as ClosedRange<UInt16> { sources.append(table.hear(7, port)) }
    #expect(sources == [1, 2, 3, 4] + Array(repeating: 5, count: 16))
    #expect(table.dropped == [1, 2, 3, 4])
    #expect(table.made.last?.port == 0)
    // A port that comes again is a program that keeps it.
    #expect(table.hear(7, 20) == 6)
    #expect(table.dropped == [1, 2, 3, 4, 5])
    #expect(table.hear(7, 20) == 6)
    #expect(table.hear(7, 21) == 7)
  }

  @Test func programsThatKeepTheirPortsAreNeverOne() {
    var table = Table()
    for _ in 0..<3 {
      for port in 1...4 as ClosedRange<UInt16> { #expect(table.hear(7, port) == Int(port)) }
    }
    #expect(table.hear(7, 5) == 5)
  }
}
