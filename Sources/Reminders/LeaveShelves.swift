import CProcessor
import Geodesy

/// Those that are near their time to leave, on shelves: those that have hardly any slack on one and those with little of it
/// on another, whatever their grade of `LeaveReckoning`, the others on one for each grade. Each shelf is looked at as often,
/// by its near clock, as something on it may have none left. On the last one that may be by metres which no odometer counts:
/// for it the way is told that the device has really come since it was looked at.
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
  /// That of those with hardly any slack.
  private static let last = 0
  /// That of those with little of it. It goes by the clock of the first grade, the fastest one.
  private static let little = 1

  private var rack: LeaveRack
  /// What stays on each of them.
  private var bounds: [shelf_bounds] = []
  /// By what near clock each of them is to be looked at, but for the last one.
  private var marks: [Int64]
  /// Nothing on the last shelf has its slack used up before this, in microseconds, if the device stays …
  private var moment = Int64.max
  /// … where it is or was; where that is nowhere the shelf is to be looked at.
  private var origin: Direction?
  /// The least slack of those that a look has put on each of them, in seconds; infinite where it has put none there.
  private var moved: [Float]
  /// Those that have come to the last shelf, until they are asked for.
  private(set) var approaching: [Int32] = []
  /// None but the last one is to be looked at while the near clock of the first grade is before this.
  private var quietUntil = Int64.max

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
    if moment == .max { origin = view.here }
    if origin != view.here, let here = view.here { follow(to: here, reckoning) }
    moment = min(moment, view.now + Int64(slack * 1e6))
  }

  /// Tells the moment of the last shelf for where the device is now: on the way there it can have lost no more slack than a
  /// straight line takes.
  private mutating func follow(to here: Direction, _ reckoning: LeaveReckoning) {
    guard let origin else { return }
    moment -= Int64(1e6 * reckoning.slope(1) * here.distance(atLeastTo: origin)) + 1
    self.origin = here
  }

  /// Has another shelf than the last one looked at before one with so much slack, in seconds, has none any more.
  private mutating func markBehind(
    _ shelf: Int, _ slack: Float, _ reckoning: LeaveReckoning, _ view: LeaveView
  ) {
    let step = reckoning.step(Int64(slack * 1e6), Self.grade(of: shelf))
    marks[shelf] = min(marks[shelf], Self.clock(of: shelf, reckoning, view) + step)
    quietUntil = min(quietUntil, reckoning.nearClock(1, view) + step)
  }

  // MARK: - Looks

  /// Has all looked at, at the next event. What marks and moments were there is forgotten: they may be of other clocks.
  mutating func lookAtAll(_ view: LeaveView) {
    let mark = marks.indices.allSatisfy(rack.isEmpty) ? Int64.max : .min
    for shelf in marks.indices { marks[shelf] = mark }
    quietUntil = mark
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
    guard clock >= quietUntil || moment < .max else { return }
    lookAround(clock, reckoning, view, into: &given)
  }

  /// - Parameter clock: that of the first grade.
  private mutating func lookAround(
    _ clock: Int64, _ reckoning: LeaveReckoning, _ view: LeaveView, into given: inout [Int32]
  ) {
    guard let here = view.here else { return }
    let isElsewhere = here != origin
    if isElsewhere, moment < .max { follow(to: here, reckoning) }
    if clock >= quietUntil {
      quietUntil = .max
      for shelf in Self.little..<marks.count {
        let own = Self.clock(of: shelf, reckoning, view)
        if own >= marks[shelf] {
          marks[shelf] = .max
          let sight = look(at: shelf, reckoning, view, here, into: &given)
          if sight < .infinity { markBehind(shelf, sight, reckoning, view) }
        }
        if marks[shelf] < .max {
          // One that comes to a shelf before counts when it does.
          quietUntil = min(quietUntil, clock + max(marks[shelf], own) - own)
        }
      }
    }
    // With a fix it is looked at a little before its moment: a feed that gives one a second needs no timers between.
    if moment <= view.now + (isElsewhere ? LeaveReckoning.nearPatience : 0) {
      moment = .max
      let sight = look(at: Self.last, reckoning, view, here, into: &given)
      if sight < .infinity { mark(Self.last, sight, reckoning, view) }
    }
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
    let behind =
      quietUntil == .max || quietUntil == .min
      ? nil : quietUntil - reckoning.nearClock(1, start) + LeaveReckoning.nearPatience
    return sooner(moment == .max ? nil : moment, behind)
  }

  /// When the shelf is looked at that one of them is on, if the device stays where it is; nil where it is on none.
  /// Complexity: O(n).
  func nextLook(_ index: Int32, _ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    guard let shelf = rack.shelf(of: index) else { return nil }
    guard shelf != Self.last else { return moment }
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
