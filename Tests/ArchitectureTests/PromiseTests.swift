import TestSupport
import Testing

/// Promises of the documents that a test keeps: `<!-- promise:KEY -->` behind the sentence, and
/// `Promise: KEY.` in the comment of the test.
@Suite struct PromiseTests {
  private struct Key: Hashable {
    let name: String
    let place: String
  }

  /// The words behind a mark, up to the first character that is none of a key.
  private static func keys(_ mark: String, _ line: Substring) -> [String] {
    var found: [String] = []
    var rest = line
    while let range = rest.firstRange(of: mark) {
      rest = rest[range.upperBound...]
      found.append(String(rest.prefix { $0.isLowercase || $0.isNumber || $0 == "-" }))
    }
    return found
  }

  private static func keys(_ mark: String, in files: [String]) throws -> [Key] {
    try files.flatMap { file in
      try contents(file).split(separator: "\n").flatMap { line in
        keys(mark, line).map { Key(name: $0, place: file) }
      }
    }
  }

  private static let documents =
    files(below: "\(packageRoot)/docs", ".md")
    + ["README.md", "CHANGELOG.md"].map {
      "\(packageRoot)/\($0)"
    }

  private static let tests = swiftFiles(below: "\(packageRoot)/Tests").filter {
    !$0.hasSuffix("/PromiseTests.swift")
  }

  @Test func eachPromiseHasATestAndEachKeyASentence() throws {
    let promised = try Self.keys("<!-- promise:", in: Self.documents)
    let tested = try Self.keys("Promise: ", in: Self.tests)
    #expect(promised.count >= 10)
    for key in promised where !tested.contains(where: { $0.name == key.name }) {
      Issue.record("\(key.place): no test has 'Promise: \(key.name).'")
    }
    for key in tested where !promised.contains(where: { $0.name == key.name }) {
      Issue.record("\(key.place): no document has <!-- promise:\(key.name) -->")
    }
  }

  /// A key in the comment of something else would keep nothing.
  @Test func aKeyIsInTheCommentOfATest() throws {
    for file in Self.tests {
      let lines = try contents(file).split(separator: "\n", omittingEmptySubsequences: false)
      for (number, line) in lines.enumerated() where !Self.keys("Promise: ", line).isEmpty {
        let next = lines[number...].first { !$0.drop { $0 == " " }.hasPrefix("///") }
        #expect(
          next?.contains("@Test") == true || next?.contains("@Suite") == true,
          "\(file):\(number + 1)")
      }
    }
  }
}
