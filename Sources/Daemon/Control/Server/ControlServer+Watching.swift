import CivilTime
import Control
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import Storage

/// The changes since `WatchChanges` was last answered.
struct ChangeNotes {
  /// More ids than this are not named.
  static let maximumIDs = 50
  /// Microseconds from the first change to the answer.
  static let delay: Int64 = 100_000

  /// Whether anyone may be watching; else nothing is noted.
  var isWatched = false
  private(set) var ids: [String: Set<String>] = [:]

  mutating func add(_ what: String, _ new: [String]) {
    var known = ids[what] ?? []
    // One more than the limit shows that there are too many.
    for id in new where known.count <= Self.maximumIDs { known.insert(id) }
    ids[what] = known
  }

  /// The answers, and begins anew.
  mutating func take() -> [JSONObject] {
    defer { ids = [:] }
    return ids.sorted { $0.key < $1.key }.map { what, ids in
      let named = ids.count > Self.maximumIDs ? [] : ids.sorted()
      return ["what": .string(what), "ids": .array(named.map { .string($0) })]
    }
  }
}

/// A position that was announced.
struct PositionMark: Equatable {
  var fix: Fix?
  var arrival: Instant?
  var isLost = false
}

/// Positions and changes, to the clients that watch them.
extension ControlServer {
  private static let usualInterval = 0.1

  /// Notes the reminders of a commit.
  func note(_ stored: Changes) {
    guard changes.isWatched else { return }
    let ids = stored.saved.map(\.reminder.id) + stored.histories.map(\.id) + stored.forgotten
    if !ids.isEmpty { note("reminders", ids) }
  }

  func note(_ what: String, _ ids: [String]) {
    guard changes.isWatched else { return }
    changes.add(what, ids)
    if !changeTimer.isEnabled { changeTimer.arm(in: ChangeNotes.delay) }
  }

  func sendChanges() {
    let watchers = clients.values.filter { $0.watches == .watchChanges }
    changes.isWatched = !watchers.isEmpty
    for change in changes.take() {
      for client in watchers { carryOut(client.protocolState.push(change), for: client) }
    }
    sendFirings()
  }

  /// Announces a position if it is new. While a call is answered it waits for the next event.
  func positionMayHaveChanged() {
    let position = daemon.positionMark
    guard position != lastPosition, !isAnswering, !isSending else { return }
    lastPosition = position
    sendPositions()
  }

  /// Sends the position to each client that does not have it. A client that has had another within
  /// its interval gets the newest at the end of that.
  func sendPositions() {
    let watchers = clients.values.filter {
      $0.watches == .watchFixes && $0.position.mark != lastPosition
    }
    guard !watchers.isEmpty else { return }
    let now = SystemClock.monotonic.microseconds
    let news = daemon.positionNews
    var wait = Int64.max
    for client in watchers {
      let given = client.protocolState.openCall?.parameters["interval_s"]?.double
      let interval = Int64(min(max(given ?? Self.usualInterval, 0), 3_600) * 1e6)
      let isLoss = client.position.mark.isLost != lastPosition.isLost
      if isLoss || now - client.position.time >= interval {
        client.position = (lastPosition, now)
        carryOut(client.protocolState.push(news), for: client)
      } else {
        wait = min(wait, interval - (now - client.position.time))
      }
    }
    if wait < .max { positionTimer.arm(in: wait) }
    sendFirings()
  }
}

extension Daemon {
  var positionMark: PositionMark {
    PositionMark(
      fix: host.engine.lastFix, arrival: host.engine.lastFixArrival,
      isLost: host.engine.hasLostPosition)
  }

  /// An answer of `WatchFixes`.
  var positionNews: JSONObject {
    var fix = host.engine.lastFix?.tpv(device: nil)
    if let feed = followedFeed { fix?["feed"] = .string("\(feed)") }
    return ["fix": fix.map { .object($0) }, "lost": .bool(host.engine.hasLostPosition)]
  }
}
