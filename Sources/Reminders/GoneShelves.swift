import CProcessor
import Geodesy

/// Those that have said "leave" and have much less slack than lets them wait again, on shelves by how much is
/// missing, some for each grade of `LeaveReckoning`: each is looked at when it may be that all but little of it has come
/// back.
///
/// What is missing goes by the clock of approach of the grade, as long as nothing on the shelf is nearer than the
/// grade begins: so a shelf is looked at after so many metres as well.
///
/// In a place there is no way at all. So moments are told later here by as much as the way to the edge takes at
/// most, and nothing has more slack than is told.
struct GoneShelves: Sendable {
  /// With so much less missing than this, in seconds beyond two leashes, the shelf says nothing more.
  private static let least = 50.0
  /// Where the first shelf of a grade ends, in seconds missing beyond those; the other one does not.
  private static let end = 960.0
  /// What misses so much more goes on by a shelf.
  private static let hysteresis = 1.25
  /// Seconds that may be missing less than single precision tells.
  private static let doubt = 20.0
  /// Metres that what comes nearer is away from where its grade begins when it leaves it, at most.
  private static let margin = 10_000.0
  /// Metres beyond its own, and that margin, that what goes away stays in a grade.
  private static let delay = 2_000.0
  /// Metres: a greater radius would have moments told later by more than single precision tells apart well enough.
  private static let largestRadius = 100_000.0
  /// What is over by more than this, in seconds left, is so however single precision rounds.
  private static let surelyOver: Float = -0.01
  /// What the odometer does not count, and single precision does not tell, metres.
  private static let doubtfulWay = 2 * Odometer.slackness + 100

  /// Those of each grade: one for what misses little, and one for the others.
  private static let depth = 2

  /// What stays on a shelf: how many seconds may be missing.
  private struct Range: Sendable {
    var least: Double
    var most: Double
    var nearest: Double
    var farthest: Double
    /// Where its grade begins, metres.
    var start: Double
  }

  private var rack: LeaveRack
  private var ranges: [Range] = []
  /// What the clock of approach shows when each of them is to be looked at.
  private var marks: [Int64]
  /// What the odometer shows then.
  private var ways: [Double]
  /// Nothing is to be looked at while the clock of approach of the first grade, the fastest one, is before this, …
  private var quietUntil = Int64.max
  /// … and the odometer before this.
  private var quietFor = Double.infinity
  /// Nothing farther away is told here, metres.
  private var farthest = 0.0

  init(_ reckoning: LeaveReckoning, _ kernel: ShelfKernel = ShelfKernel()) {
    let count = (reckoning.gradeCount - 1) * Self.depth
    rack = LeaveRack(shelves: count, kernel)
    marks = Array(repeating: .max, count: count)
    ways = Array(repeating: .infinity, count: count)
    use(reckoning, [])
  }

  /// Bytes of heap in use.
  var byteCount: Int { rack.byteCount }

  /// Reckons with another pace from now on. Where it leaves more slack, or has other clocks, `lookAtAll` must follow.
  mutating func use(_ reckoning: LeaveReckoning, _ entries: [LeaveEntry]) {
    let slope = reckoning.slope(1)
    rack.use(
      .init(always: Double(reckoning.secondsOfNoWay), byRadius: slope), entries)
    farthest = LeaveShelf.farthest
    while farthest > 1, doubt(farthest, reckoning) > Self.doubt { farthest /= 2 }
    if farthest <= 1 { farthest = 0 }
    ranges.removeAll(keepingCapacity: true)
    for grade in 1..<reckoning.gradeCount {
      let reach = reckoning.reach(of: grade)
      let least = Self.least + 2 * Double(reckoning.leash(grade)) / 1e6
      let end = least + Self.end
      for (least, most) in [(least, end * Self.hysteresis), (end, .infinity)] {
        ranges.append(
          Range(
            least: least, most: most,
            nearest: reach.lowerBound + min(reach.lowerBound, Self.margin),
            farthest: min(farthest, reach.upperBound + Self.margin + Self.delay),
            start: reach.lowerBound))
      }
    }
  }

  /// Of the latest moment and the greatest radius there may be here.
  private func doubt(_ distance: Double, _ reckoning: LeaveReckoning) -> Double {
    let delay = Double(reckoning.secondsOfNoWay) + reckoning.slope(1) * Self.largestRadius
    return LeaveShelf.doubt(
      left: reckoning.pace.seconds(distance) + 86_400 + delay, distance: distance,
      slope: reckoning.slope(1))
  }

  // MARK: - Coming and going

  /// What one misses that has so much slack outside its place, microseconds; in seconds, and nil where that is too little,
  /// or it is too far away or too large, to be told here.
  func missing(
    _ entry: LeaveEntry, slack: Int64, distance: Double, again: Double, _ reckoning: LeaveReckoning
  ) -> Double? {
    let radius = Double(entry.radius)
    guard distance < farthest, radius <= Self.largestRadius, again < 86_400 else { return nil }
    let inside = Double(reckoning.secondsOfNoWay) + reckoning.slope(1) * radius
    let missing = again - Double(slack) / 1e6 - inside - Self.doubt
    return missing >= Self.least ? missing : nil
  }

  /// Takes one in that misses so much, at an event for which moments are settled; false where that is too little for its
  /// distance.
  mutating func insert(
    _ index: Int32, _ entry: LeaveEntry, missing: Double, distance: Double,
    _ reckoning: LeaveReckoning, _ view: LeaveView
  ) -> Bool {
    guard let (shelf, grade) = shelf(missing, distance, reckoning) else { return false }
    rack.put(index, entry, on: shelf)
    mark(shelf, grade, missing, distance, reckoning, view)
    return true
  }

  /// Takes one from its shelf; harmless where it is on none. Complexity: O(n).
  mutating func remove(_ index: Int32) { rack.remove(index) }

  /// Has moments told from no longer ago than single precision allows: before anything is put on a shelf, or looked at.
  /// Complexity: O(1), and O(n) once in an hour.
  @inline(__always)
  mutating func settle(_ entries: [LeaveEntry], _ view: LeaveView) { rack.settle(entries, view) }

  /// Where one belongs by what it misses, in seconds, and by its distance; nil where it belongs nowhere.
  private func shelf(
    _ missing: Double, _ distance: Double, _ reckoning: LeaveReckoning
  ) -> (shelf: Int, grade: Int)? {
    var grade = reckoning.grade(distance)
    while grade > 1, distance < ranges[(grade - 1) * Self.depth].nearest { grade -= 1 }
    let start = (grade - 1) * Self.depth
    guard missing >= ranges[start].least else { return nil }
    return (missing >= ranges[start + 1].least ? start + 1 : start, grade)
  }

  /// Has a shelf looked at before one that misses so much, so far away, may belong elsewhere.
  private mutating func mark(
    _ shelf: Int, _ grade: Int, _ missing: Double, _ distance: Double,
    _ reckoning: LeaveReckoning, _ view: LeaveView
  ) {
    let step = Int64(missing * 1e6) - reckoning.leash(grade)
    marks[shelf] = min(marks[shelf], reckoning.approach(grade, view) + step)
    quietUntil = min(quietUntil, reckoning.approach(1, view) + step)
    // In the first grade nothing is nearer than it begins.
    guard grade > 1 else { return }
    ways[shelf] = min(
      ways[shelf], view.metres + max(1, distance - ranges[shelf].start - Self.doubtfulWay))
    quietFor = min(quietFor, ways[shelf])
  }

  // MARK: - Looks

  /// Has all looked at, at this event.
  mutating func lookAtAll() {
    for shelf in marks.indices {
      marks[shelf] = .min
      ways[shelf] = .infinity
    }
    quietUntil = .min
    quietFor = .infinity
  }

  /// Looks at those shelves whose time has come, and gives out what has nearly as much slack as lets it wait
  /// again; drops what is over. Complexity: O(those looked at).
  @inline(__always)
  mutating func look(
    again: Double, _ reckoning: LeaveReckoning, _ view: LeaveView, into given: inout [Int32],
    over: inout [Int32]
  ) {
    guard reckoning.approach(1, view) >= quietUntil || view.metres >= quietFor,
      let here = view.here
    else { return }
    quietUntil = .max
    quietFor = .infinity
    let fastest = reckoning.approach(1, view)
    for grade in 1..<reckoning.gradeCount {
      let clock = reckoning.approach(grade, view)
      for shelf in (grade - 1) * Self.depth..<grade * Self.depth {
        if clock >= marks[shelf] || view.metres >= ways[shelf] {
          look(
            at: shelf, grade, again: again, reckoning, view, here, into: &given, over: &over)
        }
        if marks[shelf] < .max {
          quietUntil = min(quietUntil, fastest + marks[shelf] - clock)
          quietFor = min(quietFor, ways[shelf])
        }
      }
    }
  }

  private mutating func look(
    at shelf: Int, _ grade: Int, again: Double, _ reckoning: LeaveReckoning, _ view: LeaveView,
    _ here: Direction, into given: inout [Int32], over: inout [Int32]
  ) {
    marks[shelf] = .max
    ways[shelf] = .infinity
    guard !rack.isEmpty(shelf) else { return }
    let range = ranges[shelf]
    let most = again - Self.doubt
    let bounds = shelf_bounds(
      least: Float(most - range.most), most: Float(most - range.least),
      nearest: Float(range.nearest), farthest: Float(range.farthest),
      shortest: Self.surelyOver)
    let sight = rack.look(at: shelf, bounds, reckoning, view, here)
    if sight.least < .infinity {
      mark(
        shelf, grade, most - Double(sight.most), Double(sight.nearest), reckoning, view)
    }
    // Most go to the other shelf of their grade, which is then to be looked at for the first of them.
    let first = (grade - 1) * Self.depth
    let other = 2 * first + 1 - shelf
    var soonest = Double.infinity
    var shortest = Double.infinity
    for one in rack.taken {
      let missing = most - Double(one.slack)
      let distance = Double(one.distance)
      if one.left < Self.surelyOver {
        over.append(one.index)
      } else if distance >= farthest {
        given.append(one.index)
      } else if missing >= ranges[first].least, distance >= range.nearest,
        distance <= range.farthest
      {
        rack.put(one, on: other)
        soonest = min(soonest, missing)
        shortest = min(shortest, distance)
      } else if let (shelf, grade) = self.shelf(missing, distance, reckoning) {
        rack.put(one, on: shelf)
        mark(shelf, grade, missing, distance, reckoning, view)
      } else {
        given.append(one.index)
      }
    }
    if soonest < .infinity { mark(other, grade, soonest, shortest, reckoning, view) }
  }
}
