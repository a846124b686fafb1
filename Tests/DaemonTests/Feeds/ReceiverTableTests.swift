import Positioning
import Testing

@testable import Daemon

@Suite struct ReceiverTableTests {
  @Test func keepsReceiversApart() {
    var table = ReceiverTable()
    let first = FixOrigin(feed: 1, device: 7)
    let second = FixOrigin(feed: 1, sender: 2)
    for (origin, time) in [(first, 1), (second, 2), (first, 3), (FixOrigin(feed: 2), 4)] {
      table.count(origin, at: Int64(time))
    }
    let entries = table.entries(of: 1)
    #expect(entries.map(\.origin) == [first, second])
    #expect(entries.map(\.fixes) == [2, 1])
    #expect(entries.map(\.lastFix) == [3, 2])
    table.forget(feed: 1)
    #expect(table.entries.map(\.origin.feed) == [2])
  }

  @Test func isBoundedAndDropsTheLongestSilentReceiver() {
    var table = ReceiverTable()
    for sender in 1...100 {
      table.count(FixOrigin(feed: 1, sender: UInt64(sender)), at: Int64(sender))
    }
    #expect(table.entries.count == ReceiverTable.capacity)
    #expect(table.entries.map(\.origin.sender) == Array(69...100))
  }
}
