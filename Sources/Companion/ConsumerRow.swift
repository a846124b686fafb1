package import JSONText

/// How far a destination has come: `Consumer` of the daemon's interface.
package struct ConsumerRow: Equatable, Sendable {
  package let name: String
  /// Number of the last firing that it received or gave up.
  package var upto: Int
  /// Failed tries of the next firing.
  package var tries = 0
  /// When its failures began, RFC 3339; nil while it works.
  package var failingSince: String?
  package var nextTry: String?
  /// Outcome of the last try.
  package var text: String?

  package init(name: String, upto: Int) {
    self.name = name
    self.upto = upto
  }

  package init?(_ json: JSONValue?) {
    guard let name = json?["name"]?.string, let upto = json?["upto"]?.int else { return nil }
    self.init(name: name, upto: upto)
    tries = json?["tries"]?.int ?? 0
    failingSince = json?["failing_since"]?.string
    nextTry = json?["next_try"]?.string
    text = json?["text"]?.string
  }

  package var json: JSONObject {
    JSONObject([
      "name": .string(name), "upto": .int(upto), "tries": .int(tries),
      "failing_since": failingSince.map { .string($0) },
      "next_try": nextTry.map { .string($0) },
      "text": text.map { .string($0) },
    ])
  }
}
