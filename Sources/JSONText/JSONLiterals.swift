extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Members whose value is nil are left out.
  package init(dictionaryLiteral members: (String, JSONValue?)...) {
    for (key, value) in members { self[key] = value }
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral members: (String, JSONValue?)...) {
    var object = JSONObject()
    for (key, value) in members { object[key] = value }
    self = .object(object)
  }
}
