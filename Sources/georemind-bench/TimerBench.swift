import Reminders

/// Times the timer heap with `count` timers at random within a year, and returns one line:
/// nanoseconds of processor time for each operation, and bytes for each timer.
func timerBench(count: Int) throws -> String {
  guard count > 0, count <= 100_000_000 else {
    throw BenchError("timers: the number must be from 1 to 100000000, not \(count)")
  }
  var random = SplitMix(state: 42)
  let year: UInt64 = 31_536_000_000_000
  var heap = TimerHeap()
  heap.reserveCapacity(count)
  let slots = Int32(count)

  let insert = nanoseconds(count) {
    for slot in 0..<slots { heap.push(slot: slot, at: Int64(random.next() % year)) }
  }
  let bytes = Double(heap.byteCount) / Double(count)
  let popInsert = nanoseconds(count) {
    for _ in 0..<count {
      guard let first = heap.pop() else { break }
      heap.push(slot: first.slot, at: first.deadline + 1 + Int64(random.next() % year))
    }
  }
  let reschedule = nanoseconds(count) {
    for _ in 0..<count {
      let slot = Int32(truncatingIfNeeded: random.next() % UInt64(count))
      heap.reschedule(slot: slot, at: Int64(random.next() % year) + Int64(year))
    }
  }
  let halves = (0..<slots).filter { $0 % 2 == 0 }
  let cancel = nanoseconds(halves.count) {
    for slot in halves { heap.cancel(slot: slot) }
  }
  let rest = heap.count
  var latest = Int64.min
  let drain = nanoseconds(max(1, rest)) {
    while let first = heap.pop() {
      if first.deadline < latest { break }
      latest = first.deadline
    }
  }
  guard heap.isEmpty else { throw BenchError("timers: the heap gave timers out of order") }
  return "insert_ns=\(rounded(insert)) pop_insert_ns=\(rounded(popInsert))"
    + " reschedule_ns=\(rounded(reschedule)) cancel_ns=\(rounded(cancel))"
    + " drain_ns=\(rounded(drain)) bytes_per_timer=\(rounded(bytes))"
}

/// Processor time of one of `count` operations.
private func nanoseconds(_ count: Int, _ body: () -> Void) -> Double {
  let start = processorTime()
  body()
  return (processorTime() - start) / Double(count) * 1e9
}

/// SplitMix64 (Steele, Lea, Flood, 2014).
struct SplitMix {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
