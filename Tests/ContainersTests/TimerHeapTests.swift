import Containers
import TestSupport
import Testing

@Suite struct TimerHeapTests {
  @Test func comesOutByDeadlineThenSlot() {
    var heap = TimerHeap()
    for (slot, deadline) in [(4, 30), (2, 10), (9, 10), (0, 20), (1, 10)] as [(Int32, Int64)] {
      heap.push(slot: slot, at: deadline)
    }
    #expect(heap.peek()?.slot == 1)
    var order: [Int32] = []
    while let next = heap.pop() { order.append(next.slot) }
    #expect(order == [1, 2, 9, 0, 4])
    #expect(heap.isEmpty && heap.peek() == nil)
  }

  @Test func pushMovesTheTimerOfASlot() {
    var heap = TimerHeap()
    heap.push(slot: 3, at: 100)
    heap.push(slot: 3, at: 50)
    #expect(heap.count == 1)
    #expect(heap.deadline(slot: 3) == 50)
  }

  @Test func unknownSlotsAreRefused() {
    var heap = TimerHeap()
    heap.push(slot: -1, at: 1)
    #expect(heap.isEmpty)
    let done = [heap.cancel(slot: 0), heap.cancel(slot: -5)]
    #expect(done == [false, false])
    #expect(heap.deadline(slot: 12) == nil)
  }

  @Test func extremesKeepTheirOrder() {
    var heap = TimerHeap()
    for (slot, deadline) in [Int64.max, .min, 0, .max, -1].enumerated() {
      heap.push(slot: Int32(slot), at: deadline)
    }
    var order: [Int32] = []
    while let next = heap.pop() { order.append(next.slot) }
    #expect(order == [1, 4, 2, 0, 3])
  }

  @Test func aCopyOfManyKeepsItsTimers() {
    var heap = TimerHeap()
    for slot in 0..<5_000 as Range<Int32> { heap.push(slot: slot, at: Int64(slot) << 30) }
    var copy = heap
    for slot in 1_000..<5_000 as Range<Int32> { copy.cancel(slot: slot) }
    for slot in 0..<1_000 as Range<Int32> { copy.push(slot: slot, at: 1 << 50 - Int64(slot)) }
    #expect(copy.checkInvariants() == nil && heap.checkInvariants() == nil)
    #expect((0..<5_000).allSatisfy { heap.pop()?.slot == $0 })
    #expect((0..<1_000).allSatisfy { copy.pop()?.slot == 999 - $0 })
    #expect(heap.isEmpty && copy.isEmpty)
  }

  @Test func aWalkInOrderChangesNothing() {
    var heap = TimerHeap()
    for slot in 0..<2_000 as Range<Int32> {
      heap.push(slot: slot, at: 2_000_000 - 900 * Int64(slot))
    }
    #expect(heap.pop()?.slot == 1_999)
    var seen: [Int32] = []
    heap.forEachInOrder { _, slot in
      seen.append(slot)
      return seen.count < 1_500
    }
    #expect(seen == Array((499..<1_999).reversed()))
    #expect(heap.count == 1_999)
    #expect(heap.checkInvariants() == nil)
  }

  @Test func aCopyKeepsItsTimers() {
    var heap = TimerHeap()
    for slot in 0..<100 as Range<Int32> { heap.push(slot: slot, at: 100 - Int64(slot)) }
    var copy = heap
    copy.push(slot: 50, at: 0)
    copy.cancel(slot: 99)
    copy.push(slot: 500, at: -1)
    #expect(heap.count == 100 && heap.peek()?.slot == 99 && heap.deadline(slot: 50) == 50)
    #expect(heap.pop()?.slot == 99)
    #expect(copy.count == 100 && copy.peek()?.slot == 500)
    #expect(heap.checkInvariants() == nil && copy.checkInvariants() == nil)
  }

  /// Against a sorted list, with few distinct deadlines so that ties are common, and with many.
  @Test(arguments: [4, 50, 5_000, 1 << 24, 1 << 45, .max / 2] as [Int64], [120, 4_000] as [Int32])
  func agreesWithASortedModel(range: Int64, slots: Int32) {
    var random = SeededGenerator(seed: UInt64(range) ^ UInt64(slots))
    var heap = TimerHeap()
    var model = SortedTimers()
    var wrong = 0
    // Filled up, used at that size, and emptied; time goes on with what is popped, or not.
    for step in 0..<9 * slots {
      let slot = Int32.random(in: 0..<slots, using: &random)
      let base = random.next() % 4 > 0 ? model.first?.deadline ?? 0 : 0
      let deadline = base.addingReportingOverflow(
        Int64.random(in: -range / 8..<range, using: &random))
      let isSet = model.deadlines[slot] != nil
      switch (step / slots, Int.random(in: 0..<6, using: &random)) {
      case (0..<4, 0...1), (4..<7, 0):
        heap.push(slot: slot, at: deadline.partialValue)
        model.set(slot, deadline.partialValue)
      case (_, 0...2):
        guard isSet else { continue }
        heap.push(slot: slot, at: deadline.partialValue)
        model.set(slot, deadline.partialValue)
      case (_, 3):
        if heap.cancel(slot: slot) != isSet { wrong += 1 }
        model.remove(slot)
      default:
        let expected = model.first
        let popped = heap.pop()
        if popped?.slot != expected?.slot || popped?.deadline != expected?.deadline { wrong += 1 }
        if let expected { model.remove(expected.slot) }
      }
      if heap.peek()?.slot != model.first?.slot { wrong += 1 }
      if heap.deadline(slot: slot) != model.deadlines[slot] { wrong += 1 }
      if step % 400 == 0, let problem = heap.checkInvariants() {
        Issue.record("step \(step): \(problem)")
      }
      if step % slots == 0 {
        var seen: [Int32] = []
        heap.forEachInOrder { _, slot in
          seen.append(slot)
          return true
        }
        let order = model.deadlines.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        #expect(seen == order, "step \(step)")
      }
    }
    #expect(wrong == 0)
    #expect(heap.count == model.deadlines.count)
    #expect(heap.checkInvariants() == nil)
    while let next = heap.pop() {
      if next.slot != model.first?.slot { wrong += 1 }
      model.remove(next.slot)
    }
    #expect(wrong == 0 && model.deadlines.isEmpty)
  }

  /// A timer that is moved again and again, and timers that come and go, leave nothing behind.
  @Test func movesAllocateNothing() {
    var random = SeededGenerator(seed: 5)
    var heap = TimerHeap()
    func anyTime() -> Int64 { Int64.random(in: 0..<1 << 45, using: &random) }
    for slot in 0..<3_000 as Range<Int32> { heap.push(slot: slot, at: anyTime()) }
    for _ in 0..<20_000 {
      heap.push(slot: Int32.random(in: 0..<3_000, using: &random), at: anyTime())
    }
    let bytes = heap.byteCount
    for _ in 0..<200_000 { heap.push(slot: 1_234, at: anyTime()) }
    for _ in 0..<100_000 {
      let slot = Int32.random(in: 0..<3_000, using: &random)
      heap.cancel(slot: slot)
      heap.push(slot: slot, at: anyTime())
    }
    #expect(heap.count == 3_000)
    #expect(heap.byteCount == bytes)
    #expect(heap.checkInvariants() == nil)
  }
}

/// What a `TimerHeap` must answer: timers in a sorted array.
private struct SortedTimers {
  private(set) var deadlines: [Int32: Int64] = [:]
  /// The first one is the last.
  private var order: [(deadline: Int64, slot: Int32)] = []

  var first: (deadline: Int64, slot: Int32)? { order.last }

  private func place(_ timer: (deadline: Int64, slot: Int32)) -> Int {
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      if order[middle] > timer { low = middle + 1 } else { high = middle }
    }
    return low
  }

  mutating func set(_ slot: Int32, _ deadline: Int64) {
    remove(slot)
    deadlines[slot] = deadline
    order.insert((deadline, slot), at: place((deadline, slot)))
  }

  mutating func remove(_ slot: Int32) {
    guard let deadline = deadlines.removeValue(forKey: slot) else { return }
    order.remove(at: place((deadline, slot)))
  }
}
