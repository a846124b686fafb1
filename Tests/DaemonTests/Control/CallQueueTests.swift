import Testing

@testable import Daemon

@Suite struct CallQueueTests {
  /// Takes all calls, each with the time that its name ends with, and returns their names.
  private func order(_ queue: inout CallQueue<String>) -> [String] {
    var names: [String] = []
    while let (client, user) = queue.next() {
      names.append(client)
      queue.charge(Int64(client.split(separator: " ").last ?? "") ?? 1, to: user)
    }
    return names
  }

  @Test func manyLongCallsDelayAnotherUserByOne() {
    var queue = CallQueue<String>()
    for number in 0..<20 { queue.add("a\(number) 600000", of: 1_000, isLong: true) }
    let first = queue.next()
    #expect(first?.user == 1_000)
    queue.add("b 10", of: 1_001, isLong: false)
    queue.charge(600_000, to: 1_000)
    let second = queue.next()
    #expect(second?.client == "b 10")
    #expect(queue.count == 19)
  }

  @Test func usersGetEqualTime() {
    var queue = CallQueue<String>()
    for number in 0..<4 { queue.add("a\(number) 10", of: 1, isLong: true) }
    for number in 0..<8 { queue.add("b\(number) 5", of: 2, isLong: true) }
    #expect(
      order(&queue) == [
        "a0 10", "b0 5", "b1 5", "a1 10", "b2 5", "b3 5", "a2 10", "b4 5", "b5 5", "a3 10",
        "b6 5", "b7 5",
      ])
    #expect(queue.isEmpty)
  }

  @Test func theQuickCallsOfAUserGoFirst() {
    var queue = CallQueue<String>()
    queue.add("list 9", of: 1, isLong: true)
    queue.add("status 1", of: 1, isLong: false)
    queue.add("list 8", of: 1, isLong: true)
    queue.add("done 1", of: 1, isLong: false)
    #expect(order(&queue) == ["status 1", "done 1", "list 9", "list 8"])
  }

  /// The debt of a user is less than what another one has had in the meantime.
  @Test func aUserWhoHadLittleHasNoCreditEither() {
    var queue = CallQueue<String>()
    queue.add("b 50", of: 2, isLong: false)
    _ = queue.next()
    queue.charge(50, to: 2)
    for number in 0..<4 { queue.add("a\(number) 100", of: 1, isLong: false) }
    _ = queue.next()
    queue.charge(100, to: 1)
    #expect(queue.next()?.client == "a1 100")
    for number in 0..<2 { queue.add("b\(number) 100", of: 2, isLong: false) }
    queue.charge(100, to: 1)
    #expect(order(&queue) == ["b0 100", "a2 100", "b1 100", "a3 100"])
  }

  @Test func nobodySavesTimeUp() {
    var queue = CallQueue<String>()
    for number in 0..<3 { queue.add("a\(number) 100", of: 1, isLong: false) }
    #expect(order(&queue).count == 3)
    // The other one waited for nothing meanwhile, and gets no more than its half now.
    for number in 0..<2 { queue.add("b\(number) 100", of: 2, isLong: false) }
    for number in 3..<5 { queue.add("a\(number) 100", of: 1, isLong: false) }
    #expect(order(&queue) == ["b0 100", "a3 100", "b1 100", "a4 100"])
  }
}
