import CivilTime
package import JSONText

/// The firings that were notified, so that after a pause the missed ones are notified and none
/// twice.
///
/// It stores the latest time and the last ids. The ledger is asked from that time on, so ids are
/// needed only for firings of one moment and those decided while the clock was set.
package struct SeenFirings: Equatable, Sendable {
  package static let keptIDs = 256

  /// When the latest was decided, RFC 3339 in UTC; nil where nothing was seen yet.
  package private(set) var latest: String?
  private var ids: [String] = []

  package init() {}

  /// Begins at a moment: what came before is old.
  package init(since time: String) { latest = time }

  /// Nil where the document is none of ours.
  package init?(json: JSONValue) {
    guard let latest = json["latest"]?.string, let ids = json["ids"]?.array else { return nil }
    self.latest = latest
    self.ids = ids.compactMap(\.string).suffix(Self.keptIDs)
  }

  package var json: JSONObject {
    ["latest": latest.map { .string($0) }, "ids": .array(ids.map { .string($0) })]
  }

  /// Notes a firing; says whether it is a new one.
  package mutating func note(_ firing: FiringNotice) -> Bool {
    guard !ids.contains(firing.id) else { return false }
    ids.append(firing.id)
    if ids.count > Self.keptIDs { ids.removeFirst(ids.count - Self.keptIDs) }
    guard let time = try? Instant(rfc3339: firing.time) else { return true }
    let before = latest.flatMap { try? Instant(rfc3339: $0) }
    if before.map({ $0 < time }) ?? true { latest = firing.time }
    return true
  }
}
