import Positioning
import Reminders

/// The engine of one tracker in the daemon, and the choice among its receivers.
final class TrackerEngine {
  /// nil is the machine's own; `.all` is the engine of reminders about several trackers.
  let who: Who?
  /// The place in `EngineHost.all`: routing requests carry it.
  let number: Int
  var engine: Engine
  var selection = FixSelection()
  /// Where it is for reminders about several; nil without any.
  var members: MemberEngine?
  /// The saved places that contain it.
  var places = TrackerPlaces()
  /// The last fix of this run.
  var latest: (fix: Fix, origin: FixOrigin)?
  /// Categories whose places the engine waits for, and the number of the last place sent; nil
  /// before the first.
  var unfilled: [(category: String, last: Int64?)] = []

  init(_ who: Who?, number: Int, engine: consuming Engine) {
    self.who = who
    self.number = number
    self.engine = engine
  }

  /// The key of its position and trips in the store.
  var name: String? { who?.name }

  /// The word for it among several; the machine itself is one, too.
  var memberName: String { name ?? Who.machine }

  /// Whether it follows positions.
  var isFollowing: Bool { who != .all }
}
