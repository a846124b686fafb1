import JSONText

/// The last test firing of each destination, in memory alone.
struct DestinationTests {
  private struct Test {
    let id: String
    /// Microseconds of a clock that never steps.
    let begun: Int64
    /// Microseconds after the beginning; nil until it ends.
    var after: Int64?
    var failure: String?
  }

  private var tests: [String: Test] = [:]

  /// A test of these destinations begins.
  mutating func begin(_ names: [String], id: String, at now: Int64) {
    for name in names { tests[name] = Test(id: id, begun: now) }
  }

  /// - Parameter failure: the reason; nil after a delivery. An outcome of an earlier test changes
  ///   nothing, nor does a second one.
  mutating func end(_ name: String, id: String, failure: String?, at now: Int64) {
    guard let test = tests[name], test.id == id, test.after == nil else { return }
    tests[name]?.after = now - test.begun
    tests[name]?.failure = failure
  }

  /// `test` of a `Consumer`; nil for a destination that was not tested.
  func json(of name: String) -> JSONValue? {
    tests[name].map { test in
      .object(
        JSONObject([
          "id": .string(test.id), "after_s": .double(test.after.map { Double($0) / 1e6 }),
          "text": test.failure.map { .string($0) },
        ]))
    }
  }
}
