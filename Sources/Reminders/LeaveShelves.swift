import CProcessor
import Geodesy

/// Those that are near their time to leave, on shelves by grade of `LeaveReckoning` and by how much slack they have.
/// Each is looked at as often, by the near clock of its grade, as something on it may have come down to the next
/// one. On the last one that may be by metres which no odometer counts: what has hardly any slack is looked at wherever
/// the device comes, and at its moment.
///
/// What comes nearer than its grade begins, or gains slack, changes its shelf at the next look.
struct LeaveShelves: Sendable {
  /// With less slack than this the shelf says nothing more, seconds.
  private static let least: Float = 1
  /// Where shelves end, in seconds of slack beyond two leashes; the last one does not.
  private static let ends: [Double] = [64]
  /// What gains so much more slack goes back by a shelf.
  private static let hysteresis: Float = 1.25
  /// Metres beyond its own that what goes away stays in a grade.
  private static let delay = 2_000.0
  /// With less than this, in microseconds, until a shelf is to be looked at it is looked at wherever the device comes.
  private static let shortestStep: Int64 = 1_000_000

  /// That of those that have just come.
  private static let new = 0
  /// Those of a grade.
  private static let depth = 2

  private var rack: LeaveRack
  /// What stays on each of them.
  private var bounds: [shelf_bounds] = []
  /// By what near clock each of them is to be looked at.
  private var marks: [Int64]
  /// Of each grade when what has least slack on its last shelf has none left if the device stays, microseconds, and where
  /// the device was when that was reckoned; at no time where there is so much that its clock tells.
  private var moments: [Int64]
  private var origins: [Direction?]
  /// The first of those moments, or before it.
  private var soonest = Int64.max
  /// None is to be looked at while the near clock of the first grade, the fastest one, is before this, …
  private var quietUntil = Int64.max
  /// … and none but the last ones, at their moments and elsewhere, before this.
  private var quietBehindUntil = Int64.max

  init(_ reckoning: LeaveReckoning) {
    let count = Self.first(of: reckoning.gradeCount)
    rack = LeaveRack(shelves: count)
    marks = Array(repeating: .max, count: count)
    moments = Array(repeating: .max, count: reckoning.gradeCount)
    origins = Array(repeating: nil, count: reckoning.gradeCount)
    use(reckoning)
  }

  /// Bytes of heap in use.
  var byteCount: Int { rack.byteCount }

  /// Reckons with another pace from now on. Where it leaves less slack, or has other clocks, `lookAtAll` must follow.
  mutating func use(_ reckoning: LeaveReckoning) {
    let farthest = Float(LeaveShelf.farthest)
    bounds = [
      shelf_bounds(
        least: .infinity, most: .infinity, nearest: 0, farthest: .infinity, shortest: -.infinity)
    ]
    for grade in 1..<reckoning.gradeCount {
      let reach = reckoning.reach(of: grade)
      for level in 0..<Self.depth {
        bounds.append(
          shelf_bounds(
            least: level == 0 ? Self.least : Self.end(level - 1, grade, reckoning),
            most: Self.end(level, grade, reckoning) * Self.hysteresis,
            nearest: Float(reach.lowerBound),
            farthest: min(farthest, Float(reach.upperBound + Self.delay)),
            shortest: -.infinity))
      }
    }
  }

  /// Where a level of a grade ends, seconds of slack.
  private static func end(_ level: Int, _ grade: Int, _ reckoning: LeaveReckoning) -> Float {
    guard level < ends.count else { return .infinity }
    return Float(ends[level] + 2 * Double(reckoning.leash(grade)) / 1e6)
  }

  @inline(__always)
  private static func first(of grade: Int) -> Int { 1 + (grade - 1) * depth }

  // MARK: - Coming and going

  /// Takes one in that is looked at when the shelves are, at this event.
  mutating func insert(_ place: Int32, _ places: inout LeavePlaces, _ view: LeaveView) {
    rack.put(place, on: Self.new, &places, view)
  }

  /// Takes one in that has so much slack outside its place, microseconds; false where it has too little or is
  /// too far away to be told here.
  mutating func insert(
    _ place: Int32, _ places: inout LeavePlaces, slack: Int64, distance: Double,
    _ reckoning: LeaveReckoning, _ view: LeaveView
  ) -> Bool {
    guard distance < LeaveShelf.farthest else { return false }
    let grade = reckoning.grade(distance)
    let doubt = LeaveShelf.doubt(
      left: Double(places.entry(place).moment - view.now) / 1e6, distance: distance,
      slope: reckoning.slope(grade))
    let sure = Float(Double(slack) / 1e6 - doubt)
    guard sure > Self.least else { return false }
    put(place, &places, sure, grade, reckoning, view)
    return true
  }

  mutating func remove(_ place: Int32, _ places: inout LeavePlaces) {
    rack.remove(place, &places)
  }

  /// Puts one where it belongs by its slack, in seconds, and its grade.
  private mutating func put(
    _ place: Int32, _ places: inout LeavePlaces, _ slack: Float, _ grade: Int,
    _ reckoning: LeaveReckoning, _ view: LeaveView
  ) {
    let start = Self.first(of: grade)
    var shelf = start
    for level in 1..<Self.depth where slack >= bounds[start + level].least { shelf = start + level }
    rack.put(place, on: shelf, &places, view)
    // What was looked at where the device is now may have been something else, or had no moment.
    if shelf == start, origins[grade] != view.here || moments[grade] == .max {
      origins[grade] = nil
    }
    mark(shelf, grade, slack, reckoning, view)
  }

  /// Has a shelf looked at before one with so much slack, in seconds, belongs elsewhere.
  private mutating func mark(
    _ shelf: Int, _ grade: Int, _ slack: Float, _ reckoning: LeaveReckoning, _ view: LeaveView
  ) {
    let slack = Int64(slack * 1e6)
    var step = reckoning.step(slack, grade)
    if shelf == Self.first(of: grade) {
      if step < Self.shortestStep {
        step = 0
        moments[grade] = min(moments[grade], view.now + slack)
        soonest = min(soonest, view.now + slack)
      }
    }
    if step > 0 { quietBehindUntil = min(quietBehindUntil, reckoning.nearClock(1, view) + step) }
    marks[shelf] = min(marks[shelf], reckoning.nearClock(grade, view) + step)
    quietUntil = min(quietUntil, reckoning.nearClock(1, view) + step)
  }

  // MARK: - Looks

  /// Has all looked at, at the next event. What marks and moments were there is forgotten: they may be of other clocks.
  mutating func lookAtAll(_ view: LeaveView) {
    (quietUntil, quietBehindUntil, soonest) = (.max, .max, .max)
    for shelf in marks.indices {
      let isEmpty = rack.isEmpty(shelf)
      marks[shelf] = isEmpty ? .max : .min
      guard !isEmpty else { continue }
      quietUntil = .min
      soonest = view.now
    }
    for grade in 1..<moments.count {
      moments[grade] = rack.isEmpty(Self.first(of: grade)) ? .max : view.now
      origins[grade] = nil
    }
  }

  /// Looks at those shelves whose time has come, and gives out what has too little slack to be told here.
  /// Complexity: O(1) where nothing is near; else O(those with little slack).
  @inline(__always)
  mutating func look(
    _ places: inout LeavePlaces, _ reckoning: LeaveReckoning, _ view: LeaveView,
    into given: inout [Int32]
  ) {
    guard reckoning.nearClock(1, view) >= quietUntil || !rack.isEmpty(Self.new) else { return }
    lookAround(&places, reckoning, view, into: &given)
  }

  private mutating func lookAround(
    _ places: inout LeavePlaces, _ reckoning: LeaveReckoning, _ view: LeaveView,
    into given: inout [Int32]
  ) {
    guard let here = view.here else { return }
    if !rack.isEmpty(Self.new) {
      look(at: Self.new, 1, &places, reckoning, view, here, into: &given)
    }
    (quietUntil, quietBehindUntil, soonest) = (.max, .max, .max)
    let fastest = reckoning.nearClock(1, view)
    for grade in 1..<reckoning.gradeCount {
      let clock = reckoning.nearClock(grade, view)
      let last = Self.first(of: grade)
      for shelf in (last..<last + Self.depth).reversed() where marks[shelf] < .max {
        let isLast = shelf == last && moments[grade] < .max
        if clock >= marks[shelf], !isLast || view.now >= moments[grade] || here != origins[grade] {
          look(at: shelf, grade, &places, reckoning, view, here, into: &given)
          guard marks[shelf] < .max else { continue }
        }
        // One that comes to a shelf of a grade before counts when it does.
        let rest = fastest + max(marks[shelf], clock) - clock
        quietUntil = min(quietUntil, rest)
        if shelf == last, moments[grade] < .max {
          soonest = min(soonest, moments[grade])
        } else {
          quietBehindUntil = min(quietBehindUntil, rest)
        }
      }
    }
  }

  /// Looks at one shelf, and puts elsewhere what does not belong there any more.
  private mutating func look(
    at shelf: Int, _ grade: Int, _ places: inout LeavePlaces, _ reckoning: LeaveReckoning,
    _ view: LeaveView, _ here: Direction, into given: inout [Int32]
  ) {
    marks[shelf] = .max
    if shelf == Self.first(of: grade) {
      moments[grade] = .max
      origins[grade] = here
    }
    guard !rack.isEmpty(shelf) else { return }
    let sight = rack.look(at: shelf, bounds[shelf], &places, reckoning, view, here)
    if sight.least < .infinity { mark(shelf, grade, sight.least, reckoning, view) }
    for one in rack.taken {
      if one.slack < Self.least || one.distance > Float(LeaveShelf.farthest) {
        places[one.place] = .init()
        given.append(one.place)
      } else {
        put(
          one.place, &places, one.slack, reckoning.grade(Double(one.distance)), reckoning, view)
      }
    }
  }

  // MARK: - Reading

  /// When one of them is to be looked at if the device stays where it is, microseconds.
  @inline(__always)
  func deadline(_ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64? {
    var start = view
    start.now = 0
    let behind =
      quietBehindUntil == .max
      ? nil : quietBehindUntil - reckoning.nearClock(1, start) + LeaveReckoning.nearPatience
    return sooner(soonest == .max ? nil : soonest, behind)
  }

  /// When the shelf is looked at that one of them is on, if the device stays where it is.
  func nextLook(_ shelf: UInt8, _ reckoning: LeaveReckoning, _ view: LeaveView) -> Int64 {
    guard Int(shelf) > Self.new else { return view.now }
    let (grade, level) = (Int(shelf) - 1).quotientAndRemainder(dividingBy: Self.depth)
    guard level > 0 || moments[grade + 1] == .max else { return moments[grade + 1] }
    let clock = reckoning.nearClock(grade + 1, view)
    return max(marks[Int(shelf)], clock) - clock + view.now + LeaveReckoning.nearPatience
  }

  /// All of them, those with the least slack first, with the moment to leave as things stand, while `body`
  /// answers true. Complexity: O(n log n).
  func forEachInOrder(
    _ places: LeavePlaces, _ reckoning: LeaveReckoning, _ view: LeaveView,
    _ body: (_ time: Int64, _ entry: LeaveEntry) -> Bool
  ) {
    let entries = rack.places.map { places.entry($0) }
    let moments = entries.map { view.now + reckoning.look(at: $0, view).slack }
    for number in entries.indices.sorted(by: { moments[$0] < moments[$1] }) {
      guard body(moments[number], entries[number]) else { return }
    }
  }
}
