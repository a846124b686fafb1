import Glibc
import TestSupport
import Testing

@testable import CivilTime

/// Random rules of every part against python-dateutil, an independent implementation: some dozens,
/// or 100 000 with GEOREMIND_LONG_TESTS.
@Suite struct RepeatDateutilTests {
  private static let python = pythonWithModules("dateutil.rrule")

  @Test(.enabled(if: python != nil, "python3-dateutil is not installed"))
  func agreesWithDateutil() throws {
    let isLong = getenv("GEOREMIND_LONG_TESTS") != nil
    let script = "\(packageRoot)/Tests/System/recurrence.py"
    let seed = 20_261_121
    let python = try #require(Self.python)
    let made = try #require(
      runCommand("\(python) '\(script)' \(isLong ? 100_000 : 60) \(seed) 2>/dev/null"))
    #expect(made.code == 0)
    var counts: [String: (same: Int, different: Int)] = [:]
    var wrong: [String] = []
    for line in made.output.split(separator: "\n") {
      let fields = line.split(separator: "\t").map(String.init)
      try #require(fields.count == 6, "\(line)")
      let difference = try difference(fields)
      if difference == nil {
        counts[fields[5], default: (0, 0)].same += 1
      } else {
        counts[fields[5], default: (0, 0)].different += 1
        if fields[5] == "-", let difference { wrong.append(difference) }
      }
    }
    #expect(counts.values.reduce(0) { $0 + $1.same + $1.different } == (isLong ? 100_000 : 60))
    #expect(wrong.isEmpty, "seed \(seed): \(wrong.count) differ; \(wrong.prefix(3))")
    #expect(counts["-"]?.same ?? 0 > 30)
    if isLong { print("python-dateutil, seed \(seed): \(counts)") }
  }

  /// What is not as in the line, or nil.
  private func difference(_ fields: [String]) throws -> String? {
    func local(_ text: String) throws -> LocalDateTime? {
      guard text != "-", case .floating(let local) = try TimeStamp(parsing: text) else {
        return nil
      }
      return local
    }
    let rule = try RepeatRule(parsing: fields[0])
    let start = try #require(try local(fields[1]))
    let later = try #require(try local(fields[3]))
    let first = try fields[2].split(separator: " ").compactMap { try local(String($0)) }
    let found = Array(rule.occurrences(from: start).prefix(5))
    guard found == first else { return "\(fields): \(found)" }
    let next = rule.next(after: later, start: start)
    return next == (try local(fields[4])) ? nil : "\(fields): then \(String(describing: next))"
  }
}
