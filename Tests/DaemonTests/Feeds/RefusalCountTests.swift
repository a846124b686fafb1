import Testing

@testable import Daemon

@Suite struct RefusalCountTests {
  /// A count that is asked within expectations.
  private final class Counter {
    private var count = RefusalCount()
    var nextEnd: Int64? { count.nextEnd }

    func isTold(_ user: UInt32, _ sort: RefusalCount.Sort = .client, at now: Int64) -> Bool {
      count.note(user, sort, at: now)
    }

    func sums(at now: Int64) -> [RefusalCount.Sum] { count.sums(at: now) }
  }

  private let minute = RefusalCount.minute

  /// A member who mutes, or whose destination fails and recovers, a thousand times a second.
  @Test func aUserCausesThirtyEntriesAMinute() {
    var count = RefusalCount()
    let reported = (0..<1_000).count { count.note(1_000, .news, at: Int64($0)) }
    #expect(reported == 30)
    let isAnotherReported = count.note(1_001, .news, at: 1_000)
    #expect(isAnotherReported)
    let sums = count.sums(at: minute)
    #expect(sums == [RefusalCount.Sum(user: 1_000, sort: .news, count: 970)])
  }
  private let counter = Counter()

  @Test func reportsTheFirstAndSumsUpTheRest() {
    #expect(counter.nextEnd == nil)
    #expect(counter.isTold(1000, at: 0))
    for second in 1..<60 { #expect(!counter.isTold(1000, at: Int64(second) * 1_000_000)) }
    #expect(counter.nextEnd == minute)
    #expect(counter.sums(at: minute - 1).isEmpty)
    #expect(counter.sums(at: minute) == [.init(user: 1000, sort: .client, count: 59)])
    // It goes on: an entry a minute, not one more.
    #expect(!counter.isTold(1000, at: minute + 1))
    #expect(counter.sums(at: 2 * minute) == [.init(user: 1000, sort: .client, count: 1)])
    // A quiet minute, and the next one is told by itself.
    #expect(counter.sums(at: 3 * minute).isEmpty)
    #expect(counter.nextEnd == nil)
    #expect(counter.isTold(1000, at: 3 * minute))
  }

  @Test func eachUserAndSortHasItsOwn() {
    #expect(counter.isTold(1000, at: 0))
    #expect(counter.isTold(1001, at: 0))
    #expect(counter.isTold(1000, .change, at: 0))
    #expect(!counter.isTold(1001, at: 1))
    #expect(counter.sums(at: minute) == [.init(user: 1001, sort: .client, count: 1)])
  }

  @Test func usersWithoutEndAreCountedAsOne() {
    let told = (0..<10_000).count { counter.isTold($0, at: 0) }
    #expect(told == RefusalCount.maximumUsers + 1)
    #expect(
      counter.sums(at: minute) == [.init(user: nil, sort: .client, count: 10_000 - told)])
  }
}
