import JSONText
import Testing

/// Large documents read element by element.
@Suite struct JSONStreamTests {
  private struct Fault: Error, Equatable {
    let line: Int
    let reason: String
  }

  /// All elements of a text that comes in pieces of `size` bytes.
  private func elements(
    _ text: String, by size: Int
  ) throws(Fault) -> [JSONStream<Fault>.Element] {
    var rest = Array(text.utf8)[...]
    var stream = JSONStream(lists: ["features", "elements"]) { () throws(Fault) in
      defer { rest = rest.dropFirst(size) }
      return Array(rest.prefix(size))
    } failure: { line, reason in
      Fault(line: line, reason: reason)
    }
    var elements: [JSONStream<Fault>.Element] = []
    while let element = try stream.next() { elements.append(element) }
    return elements
  }

  private static let document = """
    {"type": "X", "note": "a ] } \\" , é", "features": [
      {"a": [1, {"b": "]"}]},
      "two", 3.50,
      null ],
     "more": {"x": []}, "elements": []}
    [true, {"c": {}}]
    "alone" 7
    """

  @Test func piecesOfAnySizeGiveTheSameElements() throws {
    let values = [
      #"{"a":[1,{"b":"]"}]}"#, #""two""#, "3.50", "null", "true", #"{"c":{}}"#, #""alone""#, "7",
    ]
    for size in 1...Self.document.utf8.count {
      let found = try elements(Self.document, by: size)
      #expect(found.map(\.value) == (try values.map { try JSONParser.parse($0) }), "\(size)")
      #expect(found.map(\.line) == [2, 3, 3, 4, 6, 6, 7, 7])
      let list: [String?] = Array(repeating: "features", count: 4)
      #expect(found.map(\.list) == list + Array(repeating: nil, count: 4))
    }
  }

  @Test func anObjectWithoutListsComesWhole() throws {
    let text = #"{"a":1,"b":{"features":[2]}}"#
    let found = try elements(text, by: 3)
    #expect(found.map(\.value) == [try JSONParser.parse(text)])
  }

  @Test(arguments: [
    ("{\"features\":[1,\n2", 2, "the text ends where ',' or ']' should be"),
    ("{\"features\":[1\n2]}", 2, "',' or ']' should be here"),
    ("{\n\n1:2}", 3, "a member's name in quotes should be here"),
    ("{\"a\"\n1}", 2, "':' should be here"),
    ("[\n{\"a\":\n\ntru}]", 4, "a value should be here"),
    ("[1,\n\"open", 2, "the text has no closing quote"),
    ("{\"a\":1", 1, "the text ends where ',' or '}' should be"),
  ])
  func faultsNameTheLine(text: String, line: Int, reason: String) {
    for size in 1...text.utf8.count {
      #expect(throws: Fault(line: line, reason: reason)) { try elements(text, by: size) }
    }
  }

  @Test func anElementIsBounded() {
    let text = "[1,\"" + String(repeating: "x", count: 17 << 20) + "\"]"
    #expect(throws: Fault(line: 1, reason: "one element is longer than 16 MiB; split it")) {
      try elements(text, by: 1 << 18)
    }
  }
}
