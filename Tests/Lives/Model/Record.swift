/// A reminder and what has happened to it.
struct Record {
  enum State: Equatable {
    case armed
    /// It has fired and does not fire again by itself.
    case fired
    /// Nothing rings before this moment.
    case snoozed(until: Moment)
    case snoozedToNextVisit
    /// Its `until` has passed; a later one arms it again.
    case expired
    case done
  }

  var spec: ReminderSpec
  var state = State.armed
  /// The due times in the present zone, rising.
  var occurrences: [Moment]
  /// The occurrences before this index are used up.
  var next = 0
  /// How many leads of the occurrence `next` are used up.
  var leadsUsed = 0
  /// When it was made or edited: what has passed then is late.
  var changedAt: Moment?
  /// Since when it waits for its place without a break: a crossing before that is no pass.
  var watchedSince = Moment.min
  /// The visit that is on.
  var visit: Visit?
  /// When the region was left, where a departure waits until the device has been away long enough.
  var awaySince: Double?
  var lastFired: Moment?
  /// It has fired and nobody has said "done" since.
  var isUnacknowledged = false
  var nag: Nag?

  /// A stay in the region, as the reminder sees it.
  struct Visit {
    var since: Moment
    /// Whether it may fire "arrive" or "dwell".
    var counts: Bool
    /// It counts for the occurrences from this one on, if it does not count for all.
    var firstOccurrence = Int.max
    /// A snooze to the next visit has put it aside: not even its end fires.
    var isPutAside = false
    /// The occurrences that it has fired for; 0 where there is no due time.
    var settled: Set<Int> = []
  }

  struct Nag {
    var next: Moment
    var count: Int
  }
}
