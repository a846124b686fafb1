/// A reminder, its list of occurrences, and what has happened: marks at the occurrences and a few
/// facts. Everything else is found by a look at the whole list.
struct Record {
  private var fixed: Fixed
  var spec: ReminderSpec {
    get { fixed.spec }
    set { fixed = Fixed(newValue, fixed.seriesZone) }
  }
  /// The zone of a series that begins at an instant: the system's when it was made.
  var seriesZone: Zone {
    get { fixed.seriesZone }
    set { fixed = Fixed(fixed.spec, newValue) }
  }
  /// All of them in the present zone, by rising name; one without a due time.
  var occurrences: [Occurrence] = [] { didSet { findWaiting() } }
  var marks: [LocalTime: Mark] = [:] { didSet { findWaiting() } }
  /// The occurrences that count and are not used.
  private(set) var waiting: [Occurrence] = []

  var stay = Stay.unknown
  /// Which of several trackers are inside, as far as that is known.
  var members: [String: Bool] = [:]
  /// The one of several whose move the stay comes from.
  var mover: String?
  /// Whether that move is being followed.
  var isMoving = false
  /// When the device was last known to be at the place.
  var wasThere: Moment?
  var silence: Silence?
  var lastRang: Moment?
  var isUnacknowledged = false
  var round: Round?
  var isDone = false

  /// When it was added or edited.
  var changedAt: Moment?
  /// A crossing before this is no pass.
  var watchedSince: Moment

  /// What changes by edits alone, apart: each look at a record copies it.
  private final class Fixed {
    let spec: ReminderSpec
    let seriesZone: Zone

    init(_ spec: ReminderSpec, _ seriesZone: Zone) {
      (self.spec, self.seriesZone) = (spec, seriesZone)
    }
  }

  /// What has happened to an occurrence.
  struct Mark: Equatable {
    var isUsed = false
    /// How many leads are used, the longest first.
    var leads = 0
    /// It has rung, and nobody has said "done" since.
    var hasRung = false
  }

  enum Silence: Equatable {
    case until(Moment)
    case nextVisit
    /// Until the place is left.
    case leaving
  }

  /// Where the device is, as a place knows it.
  enum Stay {
    case unknown
    /// And since when a departure is held.
    case outside(heldSince: Double?)
    case inside(Visit)

    var isInside: Bool { if case .inside = self { true } else { false } }
  }

  struct Visit {
    var since: Moment
    /// It does not count for occurrences up to this name; nil counts for all.
    var settled: LocalTime?
    /// It counts for no occurrence any more.
    var isSettledForGood = false
    /// Not even its end rings.
    var isEndSettled = false
  }

  /// Repetitions of one firing.
  struct Round {
    var next: Moment
    var count = 0
  }

  init(spec: ReminderSpec, zone: Zone, now: Moment) {
    fixed = Fixed(spec, zone)
    changedAt = now
    watchedSince = now
  }

  private mutating func findWaiting() {
    waiting = occurrences.filter { $0.counts && !mark($0).isUsed }
  }
}

/// One due time, with its moments in the present zone and under the present conditions.
struct Occurrence {
  /// What the clock shows at its start.
  let name: LocalTime
  let due: Moment
  /// It is not left out.
  let counts: Bool
  /// One for each lead, the longest first; none without leads.
  let leads: [Alarm]
  let atDue: Alarm
  /// At a place: from when and until when it is in force.
  var opens: Moment
  var closes: Moment

  /// The moment of a lead or of the due time.
  struct Alarm {
    /// The due time less the lead.
    let planned: Moment
    /// When a date rings for it: `planned`, or the end of what it waits for; nil if it does not.
    let rings: Moment?
  }

  /// The always valid one of a place without a due time.
  static let always = Occurrence(
    name: LocalTime(seconds: .min), due: .min, counts: true, leads: [],
    atDue: Alarm(planned: .min, rings: nil), opens: .min, closes: .max)
}

extension Record {
  func mark(_ occurrence: Occurrence) -> Mark { marks[occurrence.name] ?? Mark() }

  var next: Occurrence? { waiting.first }

  /// Marks an occurrence and all earlier ones as used.
  mutating func use(_ occurrence: Occurrence) { use { $0.name <= occurrence.name } }

  mutating func use(_ isMeant: (Occurrence) -> Bool) {
    guard let last = occurrences.last(where: isMeant) else { return }
    var marks = marks
    for other in occurrences where other.name <= last.name {
      marks[other.name, default: Mark()].isUsed = true
    }
    self.marks = marks
  }

  /// Marks so many leads of an occurrence as used, and all earlier occurrences.
  mutating func useLeads(_ count: Int, of occurrence: Occurrence) {
    use { $0.name < occurrence.name }
    marks[occurrence.name, default: Mark()].leads = count
  }

  /// The leads of an occurrence that are not used. If all are and the occurrence is not, the due
  /// time itself rings.
  func alarms(of occurrence: Occurrence) -> [Occurrence.Alarm] {
    let rest = occurrence.leads.dropFirst(mark(occurrence).leads)
    return rest.isEmpty ? [occurrence.atDue] : Array(rest)
  }
}
