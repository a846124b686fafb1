import JSONText
import TestSupport
import Testing

@Suite struct JSONValueTests {
  /// A dictionary and a list of names are the oracle.
  @Test func aLargeObjectIsTheSameAsASmallOne() {
    var random = SeededGenerator(seed: 3)
    var object = JSONObject()
    var names: [String] = []
    var values: [String: Int] = [:]
    for round in 0..<3_000 {
      let name = "n\(Int.random(in: 0..<150, using: &random))"
      let isRemoval = Int.random(in: 0..<4, using: &random) == 0
      object[name] = isRemoval ? nil : .int(round)
      if isRemoval { names.removeAll { $0 == name } }
      if !isRemoval, values[name] == nil { names.append(name) }
      values[name] = isRemoval ? nil : round
      #expect(object[name]?.int == values[name])
    }
    #expect(names.count > 64)
    #expect(object.members.map(\.key) == names)
    #expect(object.members.map(\.value.int) == names.map { values[$0] })
  }

  @Test(arguments: [10, 100]) func severalMembersAreRemovedAtOnce(count: Int) {
    var object = JSONObject()
    for number in 0..<count { object["n\(number)"] = .int(number) }
    object.remove(["n3", "none", "n7"])
    let rest = (0..<count).filter { $0 != 3 && $0 != 7 }
    #expect(object.members.map(\.value.int) == rest)
    #expect(rest.allSatisfy { object["n\($0)"]?.int == $0 } && object["n3"] == nil)
  }

  @Test(arguments: [
    (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-17.0, "-17"), (0.1, "0.1"), (52.520_006_6, "52.5200066"),
    (1e15, "1000000000000000"), (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"),
    (-1e-7, "-1e-07"),
    (.greatestFiniteMagnitude, "1.7976931348623157e+308"),
  ])
  func printsTheShortestDigits(value: Double, text: String) throws {
    let number = try #require(JSONNumber(value))
    #expect(number.text == text)
    #expect(try JSONParser.parse(number.text).double == value)
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func hasNoWordForTheInfinite(value: Double) {
    #expect(JSONNumber(value) == nil)
    #expect(JSONValue.double(value) == nil)
  }

  @Test(arguments: [
    ("1", 1), ("-0", 0), ("1.0", 1), ("1e2", 100), ("120e-1", 12), ("1.5", nil),
    ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
    ("9223372036854775808", nil), ("1e300", nil), ("1e999", nil), ("-1e999", nil),
    // A fraction this long is read through a Double, which would silently change the last digit.
    ("9007199254740993.0", nil),
  ])
  func readsWholeNumbersExactlyOrNotAtAll(text: String, value: Int?) throws {
    #expect(try JSONParser.parse(text).int == value)
  }

  @Test(arguments: [("1e999", nil), ("1e-999", 0), ("2.5", 2.5), ("1e308", 1e308)])
  func readsFiniteDoublesOnly(text: String, value: Double?) throws {
    #expect(try JSONParser.parse(text).double == value)
  }

  @Test func bitPatternsSurvive() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let value = Double(bitPattern: generator.next())
      guard let number = JSONNumber(value) else { continue }
      #expect(try JSONParser.parse(number.text).double == value)
    }
  }

  @Test func membersKeepTheirOrder() {
    var object: JSONObject = JSONObject(["b": 1, "a": nil, "c": true])
    #expect(JSONValue.object(object).line == #"{"b":1,"c":true}"#)
    object["a"] = [.null]
    object["b"] = "x"
    #expect(JSONValue.object(object).line == #"{"b":"x","c":true,"a":[null]}"#)
    object["c"] = nil
    #expect(object.members.map(\.key) == ["b", "a"])
    #expect(!object.isEmpty)
    #expect(JSONObject().isEmpty)
  }

  @Test func theLastOfTwoMembersCounts() throws {
    let object = try #require(try JSONParser.parse(#"{"a":1,"b":0,"a":2}"#).object)
    #expect(object["a"]?.int == 2)
    var edited = object
    edited["a"] = 3
    #expect(edited["a"]?.int == 3)
    edited["a"] = nil
    #expect(edited["a"] == nil)
  }

  /// Member names are compared scalar by scalar (RFC 8259 section 8.3), not as people read them.
  @Test func namesAreNotNormalised() throws {
    let object = try #require(try JSONParser.parse(#"{"\u00e9":1,"e\u0301":2}"#).object)
    #expect(object["\u{e9}"]?.int == 1)
    #expect(object["e\u{301}"]?.int == 2)
    #expect(try JSONParser.parse(#"{"\u00e9":1}"#) != JSONParser.parse(#"{"e\u0301":1}"#))
  }

  @Test func kindsAreNamedForPeople() {
    let kinds: [JSONValue] = [.null, true, 1, "a", [], .object(JSONObject())]
    #expect(
      kinds.map(\.kind) == ["null", "true or false", "a number", "a text", "a list", "an object"])
    #expect(kinds[3]["a"] == nil)
    #expect(kinds.map { $0.bool ?? false } == [false, true, false, false, false, false])
    #expect(kinds.compactMap(\.array).count == 1)
  }
}
