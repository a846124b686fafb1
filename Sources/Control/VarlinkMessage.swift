package import JSONText

/// A method call as it crosses the wire (https://varlink.org/Method-Call).
package struct VarlinkCall: Equatable, Sendable {
  /// Fully qualified: `org.georemind.List`.
  package var method: String
  package var parameters: JSONObject
  /// The caller takes several replies.
  package var more: Bool
  /// The caller wants no reply, not even an error.
  package var oneway: Bool
  /// The caller wants to leave the protocol on this connection.
  package var upgrade: Bool

  package init(
    method: String, parameters: JSONObject = JSONObject(), more: Bool = false,
    oneway: Bool = false, upgrade: Bool = false
  ) {
    self.method = method
    self.parameters = parameters
    self.more = more
    self.oneway = oneway
    self.upgrade = upgrade
  }

  /// Everything before the last dot; empty without one.
  package var interfaceName: String { Self.split(method).interface }

  /// Everything behind the last dot.
  package var methodName: String { Self.split(method).member }

  /// `org.georemind.List` into `org.georemind` and `List`.
  static func split(_ name: String) -> (interface: String, member: String) {
    guard let dot = name.lastIndex(of: ".") else { return ("", name) }
    return (String(name[..<dot]), String(name[name.index(after: dot)...]))
  }

  /// Reads one message. Members the protocol does not name are passed over; null counts as absent.
  package init(message: [UInt8]) throws(VarlinkProtocolError) {
    let object = try Self.object(message)
    guard let method = object["method"]?.string, !method.isEmpty else {
      throw .malformed(reason: "a call needs 'method', a text")
    }
    self.init(
      method: method, parameters: try Self.parameters(object),
      more: try Self.flag("more", object), oneway: try Self.flag("oneway", object),
      upgrade: try Self.flag("upgrade", object))
  }

  /// One message with its NUL. False flags and empty parameters are left out.
  package var encoded: [UInt8] {
    var object = JSONObject(["method": .string(method)])
    if !parameters.isEmpty { object["parameters"] = .object(parameters) }
    if more { object["more"] = true }
    if oneway { object["oneway"] = true }
    if upgrade { object["upgrade"] = true }
    return Self.frame(object)
  }

  static func object(_ message: [UInt8]) throws(VarlinkProtocolError) -> JSONObject {
    let value: JSONValue
    do {
      value = try JSONParser.parse(message)
    } catch {
      throw .malformed(reason: "\(error)")
    }
    guard let object = value.object else {
      throw .malformed(reason: "a message is an object, not \(value.kind)")
    }
    return object
  }

  static func parameters(_ object: JSONObject) throws(VarlinkProtocolError) -> JSONObject {
    switch object["parameters"] {
    case nil, .null: return JSONObject()
    case .object(let parameters): return parameters
    case .some(let other):
      throw .malformed(reason: "'parameters' is an object, not \(other.kind)")
    }
  }

  static func flag(_ name: String, _ object: JSONObject) throws(VarlinkProtocolError) -> Bool {
    switch object[name] {
    case nil, .null: return false
    case .bool(let value): return value
    case .some(let other):
      throw .malformed(reason: "'\(name)' is true or false, not \(other.kind)")
    }
  }

  static func frame(_ object: JSONObject) -> [UInt8] {
    Array(JSONValue.object(object).line.utf8) + [0]
  }
}

/// A reply as it crosses the wire: parameters, or an error with parameters of its own.
package struct VarlinkReply: Equatable, Sendable {
  package var parameters: JSONObject
  /// Another reply to the same call follows.
  package var continues: Bool
  /// The error's fully qualified name; nil for a success.
  package var error: String?

  package init(parameters: JSONObject = JSONObject(), continues: Bool = false) {
    self.parameters = parameters
    self.continues = continues
    error = nil
  }

  package init(_ error: VarlinkError) {
    parameters = error.parameters
    continues = false
    self.error = error.name
  }

  /// Reads one message, as ``VarlinkCall/init(message:)`` does.
  package init(message: [UInt8]) throws(VarlinkProtocolError) {
    let object = try VarlinkCall.object(message)
    parameters = try VarlinkCall.parameters(object)
    continues = try VarlinkCall.flag("continues", object)
    switch object["error"] {
    case nil, .null: error = nil
    case .string(let name) where !name.isEmpty: error = name
    default: throw .malformed(reason: "'error' is the name of an error")
    }
    guard error == nil || !continues else {
      throw .malformed(reason: "nothing follows an error, yet 'continues' says so")
    }
  }

  /// One message with its NUL. Parameters are always said, as some clients expect them.
  package var encoded: [UInt8] {
    var object = JSONObject()
    if let error { object["error"] = .string(error) }
    object["parameters"] = .object(parameters)
    if continues { object["continues"] = true }
    return VarlinkCall.frame(object)
  }
}
