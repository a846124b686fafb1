import CivilTime
import Companion
import Control
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import Storage

/// The trackers of the settings: whose fixes are whose, and who may know of them.
extension Daemon {
  /// The tracker that a fix is of.
  func tracker(of fix: Fix, on feed: FeedRunner) -> TrackerEngine {
    let tracker = settings.trackers.first { $0.has(fix) || $0.feeds.contains(feed.url) }
    return host.tracker(tracker.map { .tracker($0.name) })
  }

  /// The engines whose positions a caller may know.
  func engines(for caller: Caller) -> [TrackerEngine] {
    host.all.filter { tracker in tracker.name.map { mayFollow($0, caller) } ?? true }
  }

  /// Whether a caller may know where a tracker is. A tracker that is not configured is root's.
  func mayFollow(_ name: String, _ caller: Caller) -> Bool {
    guard !caller.isMaster else { return true }
    guard let tracker = settings.trackers.first(where: { $0.name == name }) else { return false }
    return tracker.isShared || tracker.owner.map(caller.mayChange(ownedBy:)) ?? false
  }

  /// Whether a caller may know what a reminder's plan and its gates say about its trackers.
  func mayKnowProgress(of reminder: Reminder, _ caller: Caller) -> Bool {
    switch reminder.who {
    case nil: true
    case .tracker(let name): mayFollow(name, caller)
    case .anyone, .all:
      members(of: reminder).allSatisfy { $0?.name.map { mayFollow($0, caller) } ?? true }
    }
  }

  /// The trackers that a reminder about several is about: all that its owner may follow. The
  /// machine itself is one if it has had a position of its own.
  func members(of reminder: Reminder) -> [Who?] {
    let others = settings.trackers.filter { tracker in
      reminder.owner == nil || tracker.isShared || tracker.owner == reminder.owner
    }
    let machine: [Who?] = host.engine.lastFix == nil ? [] : [nil]
    return machine + others.map { .tracker($0.name) }
  }

  /// Seconds since the last fix of a tracker; nil without one.
  func ageJSON(of tracker: TrackerEngine) -> JSONValue? {
    .double(fixAge(of: tracker).map { Decimal.rounded($0.seconds, digits: 1) })
  }

  /// The trackers for the status, which says nothing of where they are.
  var trackersJSON: JSONValue {
    .array(
      settings.trackers.map { settings in
        let tracker = host.tracker(.tracker(settings.name))
        return [
          "name": .string(settings.name), "reminders": .int(tracker.engine.count),
          "age_s": ageJSON(of: tracker),
        ]
      })
  }

  /// Checks that somebody receives the firings of a reminder for one person: a hook of that name,
  /// or a destination of that user.
  func checkRecipient(of reminder: Reminder) throws {
    guard let name = reminder.recipient else { return }
    let user = PeerCredentials.user(named: name)
    let isKnown = try store.consumers.all().contains {
      DestinationName.hook($0.name) == name || $0.owner == user
    }
    guard !isKnown else { return }
    throw GeoremindError.invalidReminder(
      field: "for",
      reason: "has no destination: neither a hook named \(name) nor a user of that name; "
        + "'georemind phone add \(name) --push' makes the hook")
  }

  /// Checks that there is the tracker of a reminder, and that the caller may follow it.
  func checkTracker(of reminder: Reminder, _ caller: Caller) throws(GeoremindError) {
    guard let name = reminder.who?.name else { return }
    let known = settings.trackers.map(\.name).filter { mayFollow($0, caller) }
    guard !known.contains(name) else { return }
    let names = known.isEmpty ? "there is none yet" : "there is \(known.joined(separator: ", "))"
    throw .invalidReminder(
      field: "who",
      reason: "is no tracker that you may follow: \(names); add [Tracker \(name)] to the "
        + "configuration, or Share=group to it")
  }
}
