import CivilTime
import Testing

@testable import Fleet

/// A log that lacks messages.
@Suite struct LogSpanTests {
  /// It reads from 40 on, and decides from 60 on.
  private let span = LogSpan(start: 40, next: 60)

  @Test(arguments: [(1, 59), (1, 60), (40, 59), (39, 900)])
  func aWholeLogHasAllThatIsReadAgain(first: UInt64, last: UInt64) {
    #expect(span.gap(first: first, last: last) == nil)
    #expect(span.within(first: first, last: last) == span)
  }

  /// The cut messages are decided. But no snapshot has them, so that what they began would be lost.
  @Test func aLogThatWasCutBehindTheSnapshotsIsNotWhole() {
    #expect(span.gap(first: 41, last: 900)?.contains("from 40 on are needed") == true)
    #expect(span.within(first: 41, last: 900) == LogSpan(start: 41, next: 60))
  }

  @Test func whatIsLeftOfALogThatWasCutIsDecided() {
    #expect(span.gap(first: 70, last: 900) != nil)
    #expect(span.within(first: 70, last: 900) == LogSpan(start: 70, next: 70))
    // Nothing is left: what comes next counts.
    #expect(span.within(first: 901, last: 900) == LogSpan(start: 901, next: 901))
  }

  @Test func anOlderCopyGoesOnAtItsEnd() {
    #expect(span.gap(first: 1, last: 58) != nil)
    #expect(span.within(first: 1, last: 58) == LogSpan(start: 40, next: 59))
    #expect(span.within(first: 1, last: 30) == LogSpan(start: 31, next: 31))
    // A new log in its place; JetStream numbers the first message of it by 0.
    #expect(span.within(first: 0, last: 0) == LogSpan(start: 1, next: 1))
  }

  @Test func theBeginningTakesAnyLog() {
    #expect(LogSpan(start: 1, next: 1).gap(first: 70, last: 900) == nil)
  }

  /// Else the log could be cut behind it, years later.
  @Test func aSilentLogBringsTheLastSnapshotToo() throws {
    let partition = Partition(0)
    func take(_ sequence: UInt64, after seconds: Double, _ text: String) {
      partition.take(
        LogMessage(
          sequence: sequence, time: SimulatedLog.start + .seconds(seconds),
          device: text.isEmpty ? nil : "van", payload: Array(text.utf8)))
    }
    var store = MemoryStore()
    for number in 1...3 as ClosedRange<UInt64> {
      let time = (SimulatedLog.start + .seconds(10 * Double(number))).seconds
      take(
        number, after: 10 * Double(number),
        #"{"_type":"location","lat":53,"lon":10,"acc":5,"vel":0,"tst":\#(time)}"#)
      #expect(partition.dirty.isEmpty)
      try store.commit(partition)
    }
    #expect(partition.deadline == SimulatedLog.start + .seconds(310))
    #expect(try store.partition().span == LogSpan(start: 1, next: 4))
    take(4, after: 310, "")
    try store.commit(partition)
    #expect(partition.deadline == nil)
    #expect(try store.partition().span == LogSpan(start: 5, next: 5))
  }
}
