import JSONText

/// The anchor's document, which changes with each fix: a change of its state is published at once,
/// other changes at an interval.
struct AnchorReport: Sendable {
  /// Between two documents of one state, microseconds.
  static let interval: Int64 = 10_000_000

  /// The last document of the daemon; nil before the first.
  private(set) var document: String?
  private var state: [JSONValue?] = []
  private var isOld = false
  private var next = Int64.min

  /// Steady time of the next document; nil without one.
  var due: Int64? { isOld ? next : nil }

  mutating func take(_ status: JSONObject, at now: Int64) {
    let document = Documents.anchor(status)
    guard document != self.document else { return }
    let state = ["place", "alarm", "silenced_until", "radius_m"].map { status["anchor"]?[$0] }
    if state != self.state { next = now }
    (self.document, self.state, isOld) = (document, state, true)
  }

  /// It was published with all that a new subscriber must know.
  mutating func announced(at now: Int64) { (isOld, next) = (false, now + Self.interval) }

  /// The document to publish now; nil if there is none.
  mutating func publish(at now: Int64) -> String? {
    guard isOld, now >= next else { return nil }
    announced(at: now)
    return document
  }
}
