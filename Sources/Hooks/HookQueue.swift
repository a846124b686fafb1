package import Companion

/// Which hooks run, and which wait: a state machine, events in, effects out.
package struct HookQueue: Sendable {
  package struct Start: Equatable, Sendable {
    package let unit: String
    package let call: HookCall
  }

  /// What is said in the journal.
  package enum Word: Equatable, Sendable {
    /// The queue is full: this many firings had no hook.
    case dropped(title: String)
    case failed(HookCall, unit: String, result: String)
  }

  /// Calls that may wait; a program that hangs for half a minute each time must not fill the memory.
  package static let mostWaiting = 256

  private var waiting: [Start] = []
  private var running: [String: HookCall] = [:]
  package var mostParallel: Int

  package init(mostParallel: Int) { self.mostParallel = mostParallel }

  package var runningCount: Int { running.count }

  /// A firing for these programs.
  package mutating func add(
    _ firing: FiringNotice, programs: [String]
  ) -> (starts: [Start], words: [Word]) {
    guard waiting.count + programs.count <= Self.mostWaiting else {
      return ([], [.dropped(title: firing.title)])
    }
    for (index, program) in programs.enumerated() {
      let call = HookCall(program: program, firing: firing)
      waiting.append(Start(unit: call.unitName(number: index + 1), call: call))
    }
    return (next(), [])
  }

  /// A unit's start has ended, as systemd's `JobRemoved` says: `done`, `failed`, `timeout` …; those of
  /// others are passed over.
  package mutating func ended(_ unit: String, result: String) -> (starts: [Start], words: [Word]) {
    guard let call = running.removeValue(forKey: unit) else { return ([], []) }
    let words: [Word] = result == "done" ? [] : [.failed(call, unit: unit, result: result)]
    return (next(), words)
  }

  private mutating func next() -> [Start] {
    var starts: [Start] = []
    while running.count < mostParallel, let start = waiting.first {
      waiting.removeFirst()
      guard running[start.unit] == nil else { continue }
      running[start.unit] = start.call
      starts.append(start)
    }
    return starts
  }
}
