/// Timers of several clocks: a heap for each grade of `LeaveReckoning`, whose clock its times are of.
///
/// A number has at most one timer, and whoever holds it knows in which grade.
struct GradedHeap: Sendable {
  private var heaps: [TimerHeap]

  init(grades: Int) { heaps = Array(repeating: TimerHeap(), count: grades) }

  /// Bytes of heap in use.
  var byteCount: Int { heaps.reduce(0) { $0 + $1.byteCount } }

  func first(_ grade: Int) -> (deadline: Int64, slot: Int32)? { heaps[grade].peek() }

  func time(of number: Int32, _ grade: Int) -> Int64? { heaps[grade].deadline(slot: number) }

  mutating func set(_ number: Int32, _ grade: Int, at time: Int64) {
    heaps[grade].push(slot: number, at: time)
  }

  mutating func cancel(_ number: Int32, _ grade: Int) { heaps[grade].cancel(slot: number) }

  /// Takes the timers of a grade away that are due until a time, the first ones first, at most `most`.
  mutating func takeDue(_ grade: Int, until time: Int64, most: Int, into numbers: inout [Int32]) {
    var taken = 0
    while taken < most, let first = heaps[grade].peek(), first.deadline <= time {
      _ = heaps[grade].pop()
      numbers.append(first.slot)
      taken += 1
    }
  }

  /// Sets all timers of each grade to one time.
  mutating func setAll(at time: (_ grade: Int) -> Int64) {
    for grade in heaps.indices {
      let time = time(grade)
      for number in heaps[grade].timedSlots { heaps[grade].push(slot: number, at: time) }
    }
  }

  /// What is left until the first timer of all, given what each clock shows; nil without timers.
  @inline(__always)
  func shortest(_ clock: (_ grade: Int) -> Int64) -> Int64? {
    var shortest: Int64?
    for grade in heaps.indices {
      guard let first = heaps[grade].peek()?.deadline else { continue }
      let left = first - clock(grade)
      shortest = min(shortest ?? left, left)
    }
    return shortest
  }

  /// All timers of one grade in order while `body` answers true.
  func forEachInOrder(_ grade: Int, _ body: (_ time: Int64, _ number: Int32) -> Bool) {
    heaps[grade].forEachInOrder(body)
  }
}

/// The lesser of two times that there may be.
func sooner<Time: Comparable>(_ a: Time?, _ b: Time?) -> Time? {
  guard let a, let b else { return a ?? b }
  return min(a, b)
}
