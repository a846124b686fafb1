import Glibc
import TestSupport
import Testing

@testable import CivilTime

/// Random rules of every part against python-dateutil, an independent implementation, where it is
/// installed: some dozens, or 100 000 with GEOREMIND_LONG_TESTS.
@Suite struct RepeatDateutilTests {
  @Test func agreesWithDateutil() throws {
    let isLong = getenv("GEOREMIND_LONG_TESTS") != nil
    let script = "\(packageRoot)/Tests/System/recurrence.py"
    let seed = 20_261_121
    guard
      let pipe = popen("python3 '\(script)' \(isLong ? 100_000 : 60) \(seed) 2>/dev/null", "r")
    else { return }
    var counts: [String: (same: Int, different: Int)] = [:]
    var wrong: [String] = []
    var size = 0
    var buffer: UnsafeMutablePointer<CChar>?
    while getline(&buffer, &size, pipe) > 0, let line = buffer {
      let fields = String(cString: line).split(separator: "\t").map {
        $0.filter { $0 != "\n" }
      }
      guard fields.count == 6 else { break }
      let difference = try difference(fields)
      if difference == nil {
        counts[fields[5], default: (0, 0)].same += 1
      } else {
        counts[fields[5], default: (0, 0)].different += 1
        if fields[5] == "-", let difference { wrong.append(difference) }
      }
    }
    free(buffer)
    // The status of the shell: its exit code is in the second byte.
    let status = pclose(pipe) >> 8 & 0xFF
    if status == 77 || status == 127 {
      print("python-dateutil is not installed: the comparison with it is left out")
      return
    }
    #expect(status == 0)
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
