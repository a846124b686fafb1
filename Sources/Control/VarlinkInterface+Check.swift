package import JSONText

/// A fault in the parameters of a call, a reply or an error.
package struct VarlinkMismatch: Error, Equatable, Sendable, CustomStringConvertible {
  /// The parameter, and the way into it: `place.latitude`, `reminders[3]`.
  package let path: String
  package let reason: String

  package var description: String { "'\(path)' \(reason)" }
}

extension VarlinkInterface {
  /// Checks an object against declared fields. Unknown, missing and wrongly typed members are
  /// mismatches; null is an absent optional.
  ///
  /// A whole number in the range of 64 bits is an `int`, any finite number a `float`.
  /// Complexity: O(n·f) for n members and f fields; recursion is as deep as the value.
  package func check(_ object: JSONObject, against fields: [Field]) throws(VarlinkMismatch) {
    try check(object, fields, path: "")
  }

  private func check(
    _ object: JSONObject, _ fields: [Field], path: String
  ) throws(VarlinkMismatch) {
    let prefix = path.isEmpty ? "" : path + "."
    for (key, _) in object.members where !fields.contains(where: { $0.name == key }) {
      throw VarlinkMismatch(path: prefix + key, reason: "is not known")
    }
    for field in fields {
      let path = prefix + field.name
      if let value = object[field.name] {
        try check(value, field.kind, path: path)
      } else if case .optional = field.kind {
        continue
      } else {
        throw VarlinkMismatch(path: path, reason: "is missing")
      }
    }
  }

  private func check(_ value: JSONValue, _ kind: Kind, path: String) throws(VarlinkMismatch) {
    func wrong(_ expected: String) -> VarlinkMismatch {
      VarlinkMismatch(path: path, reason: "is \(value.kind), not \(expected)")
    }
    switch kind {
    case .bool: guard value.bool != nil else { throw wrong("true or false") }
    case .int: guard value.int != nil else { throw wrong("a whole number of 64 bits") }
    case .float: guard value.double != nil else { throw wrong("a finite number") }
    case .string: guard value.string != nil else { throw wrong("a text") }
    case .object: guard value.object != nil else { throw wrong("an object") }
    case .optional(let inner): if value != .null { try check(value, inner, path: path) }
    case .array(let inner):
      guard let elements = value.array else { throw wrong("a list") }
      for (index, element) in elements.enumerated() {
        try check(element, inner, path: "\(path)[\(index)]")
      }
    case .structure(let fields):
      guard let object = value.object else { throw wrong("an object") }
      try check(object, fields, path: path)
    case .enumeration(let names):
      guard let name = value.string, names.contains(name) else {
        throw wrong("one of \(names.joined(separator: ", "))")
      }
    }
  }
}
