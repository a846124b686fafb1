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
