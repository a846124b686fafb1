/// A JSON value (RFC 8259) that keeps what it read: the order of an object's members and the digits
/// of a number, so that a document of unknown fields survives a round trip unchanged.
package enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(JSONNumber)
  case string(String)
  case array([JSONValue])
  case object(JSONObject)
}

/// A number as it was written.
package struct JSONNumber: Equatable, Sendable {
  /// The digits, a valid JSON number.
  package let text: String

  init(verbatim text: String) { self.text = text }

  package init(_ value: Int) { text = String(value) }

  /// The shortest digits that read back as the same value; a whole number has no fraction.
  /// Fails when the value is infinite or not a number, which JSON cannot say.
  package init?(_ value: Double) {
    guard value.isFinite else { return nil }
    if value.magnitude < 9e15, value == value.rounded() {
      text = String(Int64(value))
    } else {
      text = "\(value)"
    }
  }

  package var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

  /// The value where it is a whole number that fits. One written with a fraction or an exponent
  /// counts below 2^53 only: beyond, a `Double` would change its last digits unseen.
  package var int: Int? {
    if let whole = Int(text) { return whole }
    guard let double, double.magnitude < 9_007_199_254_740_992 else { return nil }
    let isInteger = !text.utf8.contains { $0 == 0x2E || $0 | 0x20 == 0x65 }
    return isInteger ? nil : Int(exactly: double)
  }
}

/// The members of an object in their order, of a name that is said twice the last one.
///
/// A small object is searched, a larger one has an index. Names are compared scalar by scalar
/// (RFC 8259 section 8.3), so two spellings of "é" are two members.
package struct JSONObject: Equatable, Sendable {
  package private(set) var members: [(key: String, value: JSONValue)] = []
  /// The members by name, in UTF-8; nil while the object is small.
  private var index: [[UInt8]: Int]?
  private static let largestWithoutIndex = 32

  package init() {}

  package init(_ members: KeyValuePairs<String, JSONValue?>) {
    for (key, value) in members { self[key] = value }
  }

  package var isEmpty: Bool { members.isEmpty }

  /// Setting nil removes the key.
  package subscript(key: String) -> JSONValue? {
    get { place(of: key).map { members[$0].value } }
    set {
      let place = place(of: key)
      if let newValue, let place {
        members[place].value = newValue
      } else if let newValue {
        append(key, newValue)
      } else if let place {
        members.remove(at: place)
        if index != nil { indexMembers() }
      }
    }
  }

  /// Removes the members of these names.
  /// - Complexity: O(members · keys).
  package mutating func remove(_ keys: [String]) {
    func isRemoved(_ member: (key: String, value: JSONValue)) -> Bool {
      keys.contains { Self.same($0, member.key) }
    }
    guard members.contains(where: isRemoved) else { return }
    members.removeAll(where: isRemoved)
    if index != nil { indexMembers() }
  }

  private mutating func append(_ key: String, _ value: JSONValue) {
    members.append((key, value))
    if index != nil {
      index?[Array(key.utf8)] = members.count - 1
    } else if members.count > Self.largestWithoutIndex {
      indexMembers()
    }
  }

  private mutating func indexMembers() {
    index = [:]
    for (place, member) in members.enumerated() { index?[Array(member.key.utf8)] = place }
  }

  private func place(of key: String) -> Int? {
    if let index { return index[Array(key.utf8)] }
    return members.lastIndex { Self.same($0.key, key) }
  }

  package static func == (a: JSONObject, b: JSONObject) -> Bool {
    a.members.elementsEqual(b.members) { same($0.key, $1.key) && $0.value == $1.value }
  }

  /// `==` of String takes canonically equivalent texts for the same. Most names differ in length.
  private static func same(_ a: String, _ b: String) -> Bool {
    a.utf8.count == b.utf8.count && a == b && a.utf8.elementsEqual(b.utf8)
  }
}

extension JSONValue {
  package var string: String? { if case .string(let value) = self { value } else { nil } }

  package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  package var double: Double? { if case .number(let value) = self { value.double } else { nil } }

  package var int: Int? { if case .number(let value) = self { value.int } else { nil } }

  package var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

  package var object: JSONObject? { if case .object(let value) = self { value } else { nil } }

  package subscript(key: String) -> JSONValue? { object?[key] }

  /// The name of this kind of value in error messages.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }

  /// nil where the value is not finite.
  package static func double(_ value: Double?) -> JSONValue? {
    value.flatMap { JSONNumber($0) }.map { .number($0) }
  }

  package static func int(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }

  package init(booleanLiteral value: Bool) { self = .bool(value) }

  package init(integerLiteral value: Int) { self = .int(value) }

  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}
