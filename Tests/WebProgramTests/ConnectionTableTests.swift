import Phones
import Testing

@testable import georemind_web

/// Which connection ends, and when: in time that is given, without sockets.
@Suite struct ConnectionTableTests {
  private static let limits = ConnectionLimits(
    connections: 10, connectionsOfAddress: 4, strangers: 4, strangersOfAddress: 2, time: 10,
    strangerTime: 5)

  private var table = ConnectionTable<Int>(limits: limits)

  private func network(_ number: UInt8) -> ClientNetwork? {
    ClientNetwork(address: [10, 0, 0, number])
  }

  @Test mutating func aStrangerHasOneTimeForAllItsRequests() {
    #expect(table.deadline == nil)
    _ = table.add(1, from: network(1), at: 100)
    _ = table.add(2, from: network(2), at: 101)
    table.judge(1, isAuthorized: false)
    table.complete(1, at: 104)
    table.judge(2, isAuthorized: true)
    table.complete(2, at: 104)
    #expect(table.deadline == 105)
    #expect(table.endLate(at: 104).isEmpty)
    #expect(table.endLate(at: 105) == [1])
    // It ends once, and counts until the library removes it.
    #expect(table.endLate(at: 106).isEmpty && table.count == 2)
    #expect(table.deadline == 114)
    // A token that was changed: the connection is a stranger's from its last good request on.
    table.judge(2, isAuthorized: false)
    table.complete(2, at: 108)
    #expect(table.deadline == 109)
    table.remove(2)
    #expect(table.deadline == nil)
  }

  /// A browser would send the request again, and a change would be made twice.
  @Test mutating func aConnectionIsNotEndedBetweenItsRequestAndTheAnswer() {
    _ = table.add(1, from: network(1), at: 0)
    table.beginAnswer(1)
    #expect(table.deadline == nil && table.endLate(at: 100).isEmpty)
    _ = table.add(2, from: network(1), at: 1)
    table.beginAnswer(2)
    // A third has no other to displace.
    #expect(table.add(3, from: network(1), at: 2) == 3)
    table.judge(1, isAuthorized: true)
    table.complete(1, at: 100)
    #expect(table.deadline == 110)
  }

  @Test mutating func aNewStrangerDisplacesTheOldestOfItsAddress() {
    #expect((1...2).allSatisfy { table.add($0, from: network(1), at: 0) == nil })
    #expect(table.add(3, from: network(1), at: 0) == 1)
    table.judge(2, isAuthorized: true)
    #expect(table.add(4, from: network(1), at: 0) == nil)
    #expect(table.add(5, from: network(1), at: 0) == 3)
  }

  @Test mutating func aNewStrangerDisplacesTheOldestOfTheBusiestAddress() {
    for (id, address) in [(1, 1), (2, 2), (3, 3), (4, 2)] as [(Int, UInt8)] {
      #expect(table.add(id, from: network(address), at: 0) == nil)
    }
    #expect(table.add(5, from: network(4), at: 0) == 2)
    #expect(table.add(6, from: network(5), at: 0) == 1)
  }

  @Test mutating func theShareOfAnAddressIsFullForTheNewest() {
    for id in 1...4 {
      #expect(table.add(id, from: network(1), at: 0) == nil)
      table.judge(id, isAuthorized: true)
    }
    #expect(table.add(5, from: network(1), at: 0) == 5)
    #expect(table.add(6, from: network(2), at: 0) == nil)
  }
}
