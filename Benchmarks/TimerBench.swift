import Containers
import Reminders

/// Times the timer heap with `count` timers at random within a year, and returns one line:
/// nanoseconds of processor time for each operation, the middle one of three rounds, and bytes for
/// each timer.
func timerBench(count: Int) throws -> String {
  guard count > 0, count <= 100_000_000 else {
    throw BenchError("timers: the number must be from 1 to 100000000, not \(count)")
  }
  var rounds: [TimerRound] = []
  for _ in 0..<3 { rounds.append(try TimerRound(count: count)) }
  func middle(_ cost: KeyPath<TimerRound, Double>) -> String {
    rounded(rounds.map { $0[keyPath: cost] }.sorted()[1])
  }
  return "insert_ns=\(middle(\.insert)) pop_insert_ns=\(middle(\.popInsert))"
    + " reschedule_ns=\(middle(\.reschedule)) cancel_ns=\(middle(\.cancel))"
    + " drain_ns=\(middle(\.drain)) bytes_per_timer=\(middle(\.bytes))"
}

/// One round: all are set, each is taken and set anew, as many are moved, half are taken away in
/// random order, and the rest come out.
private struct TimerRound {
  let insert, popInsert, reschedule, cancel, drain, bytes: Double

  init(count: Int) throws {
    var random = SplitMix(state: 42)
    let year: UInt64 = 31_536_000_000_000
    var heap = TimerHeap()
    heap.reserveCapacity(count)
    let slots = Int32(count)

    insert = nanoseconds(count) {
      for slot in 0..<slots { heap.push(slot: slot, at: Int64(random.next() % year)) }
    }
    bytes = Double(heap.byteCount) / Double(count)
    var base: Int64 = 0
    popInsert = nanoseconds(count) {
      for _ in 0..<count {
        guard let first = heap.pop() else { break }
        base = first.deadline + 1
        heap.push(slot: first.slot, at: base + Int64(random.next() % year))
      }
    }
    reschedule = nanoseconds(count) {
      for _ in 0..<count {
        let slot = Int32(truncatingIfNeeded: random.next() % UInt64(count))
        heap.push(slot: slot, at: base + Int64(random.next() % year))
      }
    }
    var order = Array(0..<slots)
    for index in order.indices.dropFirst().reversed() {
      order.swapAt(index, Int(random.next() % UInt64(index + 1)))
    }
    let half = order.prefix(max(1, count / 2))
    cancel = nanoseconds(half.count) {
      for slot in half { heap.cancel(slot: slot) }
    }
    let rest = heap.count
    var latest = Int64.min
    drain = nanoseconds(max(1, rest)) {
      while let first = heap.pop() {
        if first.deadline < latest { break }
        latest = first.deadline
      }
    }
    guard heap.isEmpty else { throw BenchError("timers: the heap gave timers out of order") }
  }
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
