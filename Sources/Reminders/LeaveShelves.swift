import CProcessor
import Geodesy

/// Those that are near their time to leave, on shelves: those that have hardly any slack on one and those with little of it
/// on another, whatever their grade of `LeaveReckoning`, the others on one for each grade. Each shelf is looked at as often,
/// by its near clock, as something on it may have none left. On the last one that may be by metres which no odometer counts:
/// it is looked at wherever the device comes then, and at the moment of the first one.
///
/// What comes nearer than its grade begins, or gains slack, changes its shelf at the next look.
struct LeaveShelves: Sendable {
  /// With less slack than this the shelf says nothing more, seconds.
  private static let least: Float = 0.05
  /// Where the last shelf and the next one end, in seconds of slack beyond two leashes.
  private static let ends = (last: 48.0, little: 512.0)
  /// What gains so much more slack goes back to that of its grade.
  private static let hysteresis: Float = 1.25
  /// Metres beyond its own that what goes away stays in a grade.
  private static let delay = 2_000.0
  /// With less than this, in microseconds, until the last shelf is to be looked at it is looked at wherever the device
  /// comes.
  private static let shortestStep: Int64 = 1_000_000

  /// That of those with hardly any slack. It goes by the clock of the first grade, the fastest one.
  private static let last = 0
  /// That of those with little of it; it goes by the same clock.
  private static let little = 1

  private var rack: LeaveRack
  /// What stays on each of them.
  private var bounds: [shelf_bounds] = []
  /// By what near clock each of them is to be looked at.
  private var marks: [Int64]
  /// When what has least slack on the last shelf has none left if the device stays, microseconds, …
  private var moment = Int64.max
  /// … and where the device was when that was reckoned; at no time where there is so much that its clock tells.
  private var origin: Direction?
  /// The least slack of those that a look has put on each of them, in seconds; infinite where it has put none there.
  private var moved: [Float]
  /// Those that have come to the last shelf, until they are asked for.
  private(set) var approaching: [Int32] = []
  /// None is to be looked at while the near clock of the first grade is before this, …
  private var quietUntil = Int64.max
  /// … and none but the last one before this.
  private var quietBehindUntil = Int64.max

  init(_ reckoning: LeaveReckoning, _ kernel: ShelfKernel = ShelfKernel()) {
    let count = Self.shelf(of: reckoning.gradeCount)
    rack = LeaveRack(shelves: count, kernel)
    marks = Array(repeating: .max, count: count)
    moved = Array(repeating: .infinity, count: count)
    use(reckoning)
  }

  /// Bytes of heap in use.
  var byteCount: Int { rack.byteCount + approaching.capacity * 4 }

  /// Reckons with another pace from now on. Where it leaves less slack, or has other clocks, `lookAtAll` must follow.
  mutating func use(_ reckoning: LeaveReckoning) {
    let farthest = Float(LeaveShelf.farthest)
    let end = Self.slack(Self.ends.last, 1, reckoning)
    bounds = [
      shelf_bounds(
        least: Self.least, most: end * Self.hysteresis, nearest: 0, farthest: farthest,
        shortest: -.infinity),
      shelf_bounds(
        least: end, most: Self.slack(Self.ends.little, 1, reckoning) * Self.hysteresis, nearest: 0,
        farthest: farthest, shortest: -.infinity),
    ]
    for grade in 1..<reckoning.gradeCount {
      let reach = reckoning.reach(of: grade)
      bounds.append(
        shelf_bounds(
          least: Self.slack(Self.ends.little, grade, reckoning), most: .infinity,
          nearest: Float(reach.lowerBound),
          farthest: min(farthest, Float(reach.upperBound + Self.delay)), shortest: -.infinity))
    }
  }

  /// Seconds of slack beyond two leashes of a grade.
  private static func slack(_ end: Double, _ grade: Int, _ reckoning: LeaveReckoning) -> Float {
    Float(end + 2 * Double(reckoning.leash(grade)) / 1e6)
  }

  /// That of those of a grade with more than little slack.
  @inline(__always)
  private static func shelf(of grade: Int) -> Int { little + grade }

  /// The near clock that a shelf goes by.
  @inline(__always)
  private static func clock(
    of shelf: Int, _ reckoning: LeaveReckoning, _ view: LeaveView
  ) -> Int64 {
    reckoning.nearClock(grade(of: shelf), view)
  }

  @inline(__always)
  private static func grade(of shelf: Int) -> Int { max(1, shelf - little) }

  // MARK: - Coming and going

  /// Takes those in that cells have given out; some may be to be looked at, at this event.
  mutating func insert(
    _ given: LeaveCells.Given, _ entries: [LeaveEntry], _ reckoning: LeaveReckoning,
    _ view: LeaveView
  ) {
    var start = 0
    for bucket in given.buckets {
      let slack = Float(Double(bucket.slack) / 1e6)
      let shelf = shelf(slack, bucket.grade)
      for index in given.indices[start..<bucket.end] {
        rack.put(index, entries[Int(index)], on: shelf)
      }
      mark(shelf, slack, reckoning, view)
      start = bucket.end
    }
  }

  /// What one surely has that has so much slack outside its place, microseconds; in seconds, and nil where that is too
  /// little, or it is too far away, to be told here.
  static func sureSlack(
    _ entry: LeaveEntry, slack: Int64, distance: Double, _ reckoning: LeaveReckoning,
    _ view: LeaveView
  ) -> Float? {
    guard distance < LeaveShelf.farthest else { return nil }
    let doubt = LeaveShelf.doubt(
      left: Double(entry.moment - view.now) / 1e6, distance: distance,
      slope: reckoning.slope(reckoning.grade(distance)))
    let sure = Float(Double(slack) / 1e6 - doubt)
    return sure > least ? sure : nil
  }

  /// Takes one in that surely has so much slack, in seconds.
  mutating func insert(
    _ index: Int32, _ entry: LeaveEntry, sureSlack: Float, distance: Double,
    _ reckoning: LeaveReckoning, _ view: LeaveView
  ) {
    let grade = reckoning.grade(distance)
    let shelf = shelf(sureSlack, grade)
    rack.put(index, entry, on: shelf)
    mark(shelf, sureSlack, reckoning, view)
  }

  /// Takes one from its shelf; harmless where it is on none. Complexity: O(n).
  mutating func remove(_ index: Int32) { rack.remove(index) }

  /// Takes all from their shelves. Complexity: O(n).
  mutating func removeAll() -> [Int32] { rack.removeAll() }

  /// Has moments told from no longer ago than single precision allows: before anything is put on a shelf, or looked at.
  /// Complexity: O(1), and O(n) once in an hour.
  @inline(__always)
  mutating func settle(_ entries: [LeaveEntry], _ view: LeaveView) { rack.settle(entries, view) }

  /// That of those with so much slack, in seconds, and of a grade.
  @inline(__always)
  private func shelf(_ slack: Float, _ grade: Int) -> Int {
    let shelf = Self.shelf(of: grade)
    if slack >= bounds[shelf].least { return shelf }
    return slack >= bounds[Self.little].least ? Self.little : Self.last
  }

  /// Has a shelf looked at in time for one with so much slack, in seconds, that has been put on it.
  private mutating func mark(
    _ shelf: Int, _ slack: Float, _ reckoning: LeaveReckoning, _ view: LeaveView
  ) {
    guard shelf == Self.last else { return markBehind(shelf, slack, reckoning, view) }
    // What was looked at where the device is now may have been something else, or had no moment.
    if origin != view.here || moment == .max { origin = nil }
    markLast(slack, reckoning.nearClock(1, view), reckoning, view)
  }

  /// Has another shelf than the last one looked at before one with so much slack, in seconds, has none any more.
  private mutating func markBehind(
    _ shelf: Int, _ slack: Float, _ reckoning: LeaveReckoning, _ view: LeaveView
  ) {
    let step = reckoning.step(Int64(slack * 1e6), Self.grade(of: shelf))
    marks[shelf] = min(marks[shelf], Self.clock(of: shelf, reckoning, view) + step)
    quietBehindUntil = min(quietBehindUntil, reckoning.nearClock(1, view) + step)
    quietUntil = min(quietUntil, quietBehindUntil)
  }

  /// Has the last shelf looked at before one with so much slack, in seconds, has none any more.
  private mutating func markLast(
    _ slack: Float, _ clock: Int64, _ reckoning: LeaveReckoning, _ view: LeaveView
  ) {
    let slack = Int64(slack * 1e6)
    var step = reckoning.step(slack, 1)
    if step < Self.shortestStep {
      step = 0
      moment = min(moment, view.now + slack)
    }
    marks[Self.last] = min(marks[Self.last], clock + step)
    quietUntil = min(quietUntil, marks[Self.last])
  }

  // MARK: - Looks

  /// Has all looked at, at the next event. What marks and moments were there is forgotten: they may be of other clocks.
  mutating func lookAtAll(_ view: LeaveView) {
    let mark = marks.indices.allSatisfy(rack.isEmpty) ? Int64.max : .min
    for shelf in marks.indices { marks[shelf] = mark }
    (quietUntil, quietBehindUntil) = (mark, mark)
    moment = mark == .max ? .max : view.now
    origin = nil
  }

  /// Looks at those shelves whose time has come, and gives out what has too little slack to be told here.
  /// Complexity: O(1) where nothing is near; else O(those with little slack).
  @inline(__always)
  mutating func look(
    _ reckoning: LeaveReckoning, _ view: LeaveView, into given: inout [Int32]
  ) {
    let clock = reckoning.nearClock(1, view)
    guard clock >= quietUntil else { return }
    lookAround(clock, reckoning, view, into: &given)
  }

  /// - Parameter clock: that of the first grade.
  private mutating func lookAround(
    _ clock: Int64, _ reckoning: LeaveReckoning, _ view: LeaveView, into given: inout [Int32]
  ) {
    guard let here = view.here else { return }
    if clock >= quietBehindUntil {
      quietBehindUntil = .max
      for shelf in Self.little..<marks.count {
        let own = Self.clock(of: shelf, reckoning, view)
        if own >= marks[shelf] {
          marks[shelf] = .max
          let sight = look(at: shelf, reckoning, view, here, into: &given)
          if sight < .infinity { markBehind(shelf, sight, reckoning, view) }
        }
        if marks[shelf] < .max {
          // One that comes to a shelf before counts when it does.
          quietBehindUntil = min(quietBehindUntil, clock + max(marks[shelf], own) - own)
        }
      }
    }
    if clock >= marks[Self.last], moment == .max || view.now >= moment || here != origin {
      (marks[Self.last], moment) = (.max, .max)
      origin = here
      let sight = look(at: Self.last, reckoning, view, here, into: &given)
      if sight < .infinity { markLast(sight, clock, reckoning, view) }
    }
    quietUntil = min(quietBehindUntil, marks[Self.last])
  }

  /// Looks at one shelf, and puts elsewhere what does not belong there any more. Answers the least slack that is left
  /// there, in seconds, infinite where nothing is.
  private mutating func look(
    at shelf: Int, _ reckoning: LeaveReckoning, _ view: LeaveView, _ here: Direction,
    into given: inout [Int32]
  ) -> Float {
    guard !rack.isEmpty(shelf) else { return .infinity }
    let sight = rack.look(at: shelf, bounds[shelf], reckoning, view, here)
    guard sight.strays > 0 else { return sight.least }
    for one in rack.taken {
      if one.slack < Self.least || one.distance > Float(LeaveShelf.farthest) {
        given.append(one.index)
      } else {
        let grade = reckoning.grade(Double(one.distance))
        let next = self.shelf(one.slack, grade)
        rack.put(one, on: next)
        moved[next] = min(moved[next], one.slack)
        if next == Self.last { approaching.append(one.index) }
      }
    }
    for shelf in moved.indices where moved[shelf] < .infinity {
      mark(shelf, moved[shelf], reckoning, view)
      moved[shelf] = .infinity
    }
    return sight.least
  }

  /// Those that have come to the last shelf are known.
  mutating func forgetApproaching() { approaching.removeAll(keepingCapacity: true) }

  // MARK: - Reading

  /// When one of them is to be looked at if the device stays where it is, microseconds.
  @inline(__always)
  func deadline(_ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    var start = view
    start.now = 0
    // Where all are to be looked at, there is a moment.
    let rest = moment == .max ? min(quietBehindUntil, marks[Self.last]) : quietBehindUntil
    let behind =
      rest == .max || rest == .min
      ? nil : rest - reckoning.nearClock(1, start) + LeaveReckoning.nearPatience
    return sooner(moment == .max ? nil : moment, behind)
  }

  /// When the shelf is looked at that one of them is on, if the device stays where it is; nil where it is on none.
  /// Complexity: O(n).
  func nextLook(_ index: Int32, _ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    guard let shelf = rack.shelf(of: index) else { return nil }
    guard shelf != Self.last || moment == .max else { return moment }
    let clock = Self.clock(of: shelf, reckoning, view)
    return max(marks[shelf], clock) - clock + view.now + LeaveReckoning.nearPatience
  }

  /// All of them, those with the least slack first, with the moment to leave as things stand, while `body`
  /// answers true. Complexity: O(n log n).
  func forEachInOrder(
    _ entries: [LeaveEntry], _ reckoning: LeaveReckoning, _ view: LeaveView,
    _ body: (_ time: Int64, _ entry: LeaveEntry) -> Bool
  ) {
    let known = rack.indices.map { entries[Int($0)] }
    let moments = known.map { view.now + reckoning.look(at: $0, view).slack }
    for number in known.indices.sorted(by: { moments[$0] < moments[$1] }) {
      guard body(moments[number], known[number]) else { return }
    }
  }
}
