package import JSONText

/// How far a destination has come: `Consumer` of the daemon's interface.
package struct ConsumerRow: Equatable, Sendable {
  /// Firings that go in the order of their numbers.
  package enum Queue: Sendable {
    case urgent
    case others
    /// Both in one.
    case all

    /// The parameter of `ReadLedger`.
    package var isUrgent: Bool? { self == .all ? nil : self == .urgent }
  }

  package let name: String
  /// Number of the last firing in `others` that it received or gave up.
  package var upto: Int
  /// Number of the last firing in `urgent` that it received or gave up.
  package var urgentUpto: Int
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
    urgentUpto = upto
  }

  /// Number of the last firing of a queue that it received or gave up.
  package subscript(queue: Queue) -> Int {
    get { queue == .urgent ? urgentUpto : upto }
    set { if queue == .urgent { urgentUpto = newValue } else { upto = newValue } }
  }

  package init?(_ json: JSONValue?) {
    guard let name = json?["name"]?.string, let upto = json?["upto"]?.int else { return nil }
    self.init(name: name, upto: upto)
    urgentUpto = json?["urgent_upto"]?.int ?? upto
    tries = json?["tries"]?.int ?? 0
    failingSince = json?["failing_since"]?.string
    nextTry = json?["next_try"]?.string
    text = json?["text"]?.string
  }

  package var json: JSONObject {
    JSONObject([
      "name": .string(name), "upto": .int(upto), "urgent_upto": .int(urgentUpto),
      "tries": .int(tries),
      "failing_since": failingSince.map { .string($0) },
      "next_try": nextTry.map { .string($0) },
      "text": text.map { .string($0) },
    ])
  }
}
