import TestSupport
import Testing

@testable import Reminders

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
    let done = [heap.cancel(slot: 0), heap.cancel(slot: -5), heap.reschedule(slot: .max, at: 1)]
    #expect(done == [false, false, false])
    #expect(heap.deadline(slot: 12) == nil)
  }

  @Test func heapifiedIsAsPushed() {
    var random = SeededGenerator(seed: 11)
    for count in [0, 1, 2, 5, 6, 17, 300] {
      var pushed = TimerHeap()
      var appended = TimerHeap()
      for slot in 0..<Int32(count) {
        let deadline = Int64.random(in: 0..<40, using: &random)
        pushed.push(slot: slot, at: deadline)
        appended.append(slot: slot, at: deadline)
      }
      appended.heapify()
      #expect(appended.checkInvariants() == nil)
      var told: [Int32] = []
      appended.forEachInOrder { _, slot in
        told.append(slot)
        return told.count < 100
      }
      #expect(appended.count == count)
      var order: [Int32] = []
      while let next = pushed.pop() { order.append(next.slot) }
      #expect(told == Array(order.prefix(100)))
    }
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

  /// What was popped leaves a gap that the next timer fills, earlier or later than the rest.
  @Test func whatFollowsAPopFindsItsPlace() {
    var heap = TimerHeap()
    for slot in 0..<20 as Range<Int32> { heap.push(slot: slot, at: Int64(slot)) }
    #expect(heap.pop()?.slot == 0)
    #expect(heap.count == 19 && heap.peek()?.slot == 1)
    var told: [Int32] = []
    heap.forEachInOrder { _, slot in
      told.append(slot)
      return true
    }
    #expect(told == Array(1..<20))
    heap.push(slot: 7, at: -5)
    #expect(heap.peek()?.slot == 7)
    heap.push(slot: 30, at: -9)
    #expect(heap.checkInvariants() == nil)
    #expect([heap.pop()?.slot, heap.pop()?.slot, heap.pop()?.slot] == [30, 7, 1])
    heap.append(slot: 40, at: -1)
    heap.heapify()
    #expect(heap.checkInvariants() == nil)
    #expect(heap.pop()?.slot == 40)
    while heap.pop() != nil {}
    #expect(heap.isEmpty && heap.peek() == nil && heap.timedSlots.isEmpty)
    heap.push(slot: 2, at: 4)
    #expect(heap.count == 1 && heap.deadline(slot: 2) == 4)
  }

  @Test func aCopyKeepsItsTimers() {
    var heap = TimerHeap()
    for slot in 0..<100 as Range<Int32> { heap.push(slot: slot, at: 100 - Int64(slot)) }
    var copy = heap
    copy.reschedule(slot: 50, at: 0)
    copy.cancel(slot: 99)
    copy.push(slot: 500, at: -1)
    #expect(heap.count == 100 && heap.peek()?.slot == 99 && heap.deadline(slot: 50) == 50)
    #expect(heap.pop()?.slot == 99)
    #expect(copy.count == 100 && copy.peek()?.slot == 500)
    #expect(heap.checkInvariants() == nil && copy.checkInvariants() == nil)
  }

  /// Against a sorted list, with few distinct deadlines so that ties are common.
  @Test(arguments: [4, 50, 1_000_000] as [Int64])
  func agreesWithASortedModel(range: Int64) {
    var random = SeededGenerator(seed: UInt64(range))
    var heap = TimerHeap()
    var model: [Int32: Int64] = [:]
    var wrong = 0
    for step in 0..<4_000 {
      let slot = Int32.random(in: 0..<120, using: &random)
      let deadline = Int64.random(in: -range..<range, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        heap.push(slot: slot, at: deadline)
        model[slot] = deadline
      case 2:
        if heap.reschedule(slot: slot, at: deadline) != (model[slot] != nil) { wrong += 1 }
        if model[slot] != nil { model[slot] = deadline }
      case 3:
        if heap.cancel(slot: slot) != (model.removeValue(forKey: slot) != nil) { wrong += 1 }
      default:
        let expected = model.min { ($0.value, $0.key) < ($1.value, $1.key) }
        let popped = heap.pop()
        if popped?.slot != expected?.key || popped?.deadline != expected?.value { wrong += 1 }
        if let expected { model[expected.key] = nil }
      }
      if step % 40 == 0, let problem = heap.checkInvariants() {
        Issue.record("step \(step): \(problem)")
      }
    }
    #expect(wrong == 0)
    #expect(heap.count == model.count)
    #expect(heap.checkInvariants() == nil)
  }
}
