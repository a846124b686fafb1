import CivilTime
import Geodesy

/// The reminders of one mode of transport that wait for their time to leave, in the order in which it
/// can become that.
///
/// The slack of a reminder, what is left until it is time to leave, shrinks by a second a second, and
/// by at most a slope more for each metre that the device goes, wherever it goes. So there is a clock
/// that runs on by both, and the slack cannot be used up before that clock has gone on by as much:
/// until then the reminder rests in a heap and costs nothing, and a fix costs one look at the top of
/// it. While the device stands still the clock is the time of day, and a reminder is looked at once,
/// when it is time. What moves away is looked at a few times more, each time when the slack of the last
/// look may be gone (the kinetic heaps of Basch, Guibas and Hershberger, "Data Structures for Mobile
/// Data", 1999, with the certificates of one moving point).
///
/// The slope is that of the band of the mode's profile in which the place lies: a way of 40 km grows at
/// 80 km/h, one of 4 km at 30. Each band is a *grade* with a clock and heaps of its own; the first grade
/// has no slope, for ways that no metre makes longer. A place that comes nearer than its band may stay
/// in its grade: before the way is longer than at the last look the place is back in the band.
///
/// `far` reckons with the longest ways there can be (`TravelPace.worst`), so that neither a trip that
/// turns out slow nor a routing engine's answer needs a look at all of them; `near` holds those whose
/// moment may come within that, and takes what is known exactly. `gone` holds those that have said
/// "leave", by the metres after which much slack may have come back.
///
/// 53 bytes a reminder, 33 of them for the entry and where it rests, and 4 more for each further heap.
struct LeaveQueue: Sendable {
  /// What a look needs, without unpacking the reminder.
  struct Entry: Sendable {
    /// The place as a direction from the Earth's centre; half a metre at most is lost.
    var x: Float
    var y: Float
    var z: Float
    /// Metres.
    var radius: Float
    /// A travel time that the reminder says itself, seconds; nan where it does not.
    var fixed: Float
    var slot: Int32
    /// Due less the lead, microseconds, within 36 000 years: what is reckoned with it cannot overflow.
    var moment: Int64
    private static let moments = -(Int64(1) << 60)...(Int64(1) << 60)

    init(slot: Int32, place: Coordinate, radius: Double, moment: Instant, fixed: TimeSpan? = nil) {
      let direction = Direction(place)
      x = Float(direction.x)
      y = Float(direction.y)
      z = Float(direction.z)
      self.radius = Float(radius)
      self.fixed = fixed.map { Float($0.seconds) } ?? .nan
      self.slot = slot
      self.moment = min(max(moment.microseconds, Self.moments.lowerBound), Self.moments.upperBound)
    }
  }

  enum Stage { case waiting, gone }

  /// Where an entry rests: the heap and the grade.
  private struct Home: Equatable, Sendable {
    let number: UInt8
    static let none = Home(number: 255)
    static func far(_ grade: Int) -> Home { Home(number: UInt8(truncatingIfNeeded: grade << 2)) }
    static func near(_ grade: Int) -> Home {
      Home(number: UInt8(truncatingIfNeeded: grade << 2 | 1))
    }
    static func gone(_ grade: Int) -> Home {
      Home(number: UInt8(truncatingIfNeeded: grade << 2 | 2))
    }
    var isFar: Bool { number & 3 == 0 }
    var isNear: Bool { number & 3 == 1 }
    var isGone: Bool { number & 3 == 2 }
    var grade: Int { Int(number >> 2) }
  }

  /// Ways that grow equally fast, and the reminders that rest with them.
  private struct Grade: Sendable {
    /// Where the band begins, metres.
    var start = 0.0
    /// Microseconds a metre.
    var farSlope = 0.0
    var nearSlope = 0.0
    /// By the clock of the longest ways there can be.
    var far = TimerHeap()
    /// By the clock of the ways as known.
    var near = TimerHeap()
    /// By the same metres, less the time.
    var gone = TimerHeap()
  }

  /// With so much slack left in the worst case a reminder is near, microseconds.
  private static let nearness: Int64 = 600_000_000
  /// By so much of it a look at what is far may wait for a fix, microseconds.
  private static let farPatience: Int64 = 30_000_000
  /// The shortest step, microseconds: what is looked at in vain more often costs more than it gives.
  private static let shortestStep: Int64 = 1_000_000
  /// What is left so shortly before its moment is looked at once more, and exactly then, microseconds.
  private static let soon: Int64 = 2_000_000
  /// Metres that the short numbers cannot tell from none, and what rounding to whole microseconds adds.
  private static let doubtfulWay = 1.0
  private static let doubtfulTime: Int64 = 1_000
  /// Metres after which one that is gone is looked at again at the earliest.
  private static let shortestWay = 25.0
  /// Bands beyond so many share the last grade, at the slope of the first of them.
  private static let mostBands = 8

  private var entries: [Entry] = []
  private var homes: [Home] = []
  private var free: [Int32] = []
  /// That without a slope, then one for each band.
  private var grades: [Grade] = []
  private(set) var pace: TravelPace
  /// Nothing is due while the clock of the steepest slope is before this.
  private var quietUntil = Int64.min
  private var steepestSlope = 0.0

  init(pace: TravelPace) {
    self.pace = pace
    setGrades()
  }

  private mutating func setGrades() {
    let starts = pace.profile.bandStarts.prefix(Self.mostBands)
    let first = grades.first ?? Grade()
    if grades.count != starts.count + 1 {
      grades = [first] + Array(repeating: Grade(), count: starts.count)
    }
    for (grade, start) in zip(1..., starts) {
      grades[grade].start = start
      grades[grade].farSlope = pace.worstGrowth(beyond: start) * 1e6
      grades[grade].nearSlope = pace.profile.growth(beyond: start) * pace.factor * 1e6
    }
    steepestSlope = grades.reduce(0) { max($0, $1.farSlope, $1.nearSlope) }
    quietUntil = .min
  }

  var count: Int { entries.count - free.count }

  /// Bytes of heap in use.
  var byteCount: Int {
    entries.capacity * MemoryLayout<Entry>.stride + homes.capacity + free.capacity * 4
      + grades.reduce(0) { $0 + $1.far.byteCount + $1.near.byteCount + $1.gone.byteCount }
  }

  // MARK: - Coming and going

  /// Takes a reminder in that is put in its order by `reckonAll`. Complexity: O(1).
  mutating func append(_ entry: Entry) -> Int32 {
    let index = insert(entry)
    homes[Int(index)] = .far(0)
    return index
  }

  /// - Parameter moment: when it is time to leave as exactly as is known.
  mutating func add(
    _ entry: Entry, _ stage: Stage, moment: Instant?, again: TimeSpan, _ view: LeaveView
  ) -> Int32 {
    let index = insert(entry)
    switch stage {
    case .gone: rest(afterGoing: index, look(at: entry, view), again: again, view)
    case .waiting:
      let worst = worstSlack(entry, view)
      if isNear(worst) {
        // The last seconds are as exact as the rule itself; the others begin with a look.
        let left = moment.map { $0.microseconds - view.now } ?? 0
        let isSoon = (1..<Self.soon).contains(left)
        rest(near: index, worst.grade, isSoon ? left : 0, view)
      } else {
        rest(far: index, worst, view)
      }
    }
    return index
  }

  private mutating func insert(_ entry: Entry) -> Int32 {
    if let index = free.popLast() {
      entries[Int(index)] = entry
      return index
    }
    entries.append(entry)
    homes.append(.none)
    return Int32(entries.count - 1)
  }

  mutating func remove(_ index: Int32) {
    takeOut(index)
    free.append(index)
  }

  /// Takes an entry out of its heap, wherever that is.
  private mutating func takeOut(_ index: Int32) {
    let home = homes[Int(index)]
    homes[Int(index)] = .none
    guard home != .none else { return }
    if home.isFar { grades[home.grade].far.cancel(slot: index) }
    if home.isNear { grades[home.grade].near.cancel(slot: index) }
    if home.isGone { grades[home.grade].gone.cancel(slot: index) }
  }

  private mutating func rest(far index: Int32, _ worst: WorstSlack, _ view: LeaveView) {
    move(index, to: .far(worst.grade))
    let clock = clock(grades[worst.grade].farSlope, view)
    grades[worst.grade].far.push(slot: index, at: max(clock + 1, clock + restLength(worst)))
    quietUntil = .min
  }

  private mutating func rest(
    near index: Int32, _ grade: Int, _ step: Int64, _ view: LeaveView
  ) {
    move(index, to: .near(grade))
    grades[grade].near.push(slot: index, at: clock(grades[grade].nearSlope, view) + step)
    quietUntil = .min
  }

  /// Takes an entry out of its heap if it is to rest in another one.
  private mutating func move(_ index: Int32, to home: Home) {
    guard homes[Int(index)] != home else { return }
    takeOut(index)
    homes[Int(index)] = home
  }

  /// Reckons every moment anew. Complexity: O(n).
  mutating func reckonAll(_ view: LeaveView) {
    for grade in grades.indices {
      grades[grade].far = TimerHeap()
      grades[grade].near = TimerHeap()
    }
    quietUntil = .min
    for index in entries.indices where homes[index] != .none && !homes[index].isGone {
      let worst = worstSlack(entries[index], view)
      let slot = Int32(truncatingIfNeeded: index)
      homes[index] = .none
      if isNear(worst) {
        rest(near: slot, worst.grade, 0, view)
      } else {
        homes[index] = .far(worst.grade)
        let clock = clock(grades[worst.grade].farSlope, view)
        grades[worst.grade].far.append(slot: slot, at: clock + restLength(worst))
      }
    }
    for grade in grades.indices { grades[grade].far.heapify() }
    lookAtGone()
  }

  /// What has come back is found out at the next event.
  private mutating func lookAtGone() {
    for grade in grades.indices {
      for index in grades[grade].gone.timedSlots { grades[grade].gone.push(slot: index, at: .min) }
    }
  }

  /// What is known of the mode has changed. Complexity: O(those near), O(n) where it is for good.
  mutating func use(_ pace: TravelPace, _ view: LeaveView) {
    guard pace != self.pace else { return }
    var measured = self.pace
    measured.measured = pace.measured
    let isForGood = measured != pace
    if pace.profile != self.pace.profile { restAnywhere() }
    self.pace = pace
    setGrades()
    if isForGood { return reckonAll(view) }
    for grade in grades.indices {
      let clock = clock(grades[grade].nearSlope, view)
      for index in grades[grade].near.timedSlots {
        grades[grade].near.push(slot: index, at: clock)
      }
    }
    lookAtGone()
  }

  /// Before there are other bands: the grades mean something else then.
  private mutating func restAnywhere() {
    for index in homes.indices where homes[index] != .none {
      let slot = Int32(truncatingIfNeeded: index)
      if homes[index].isGone {
        move(slot, to: .gone(0))
        grades[0].gone.push(slot: slot, at: .min)
      } else {
        move(slot, to: .far(0))
      }
    }
  }

  // MARK: - Looks

  /// When the first of them is to be looked at if no fix comes until then, microseconds.
  /// Complexity: O(1).
  func deadline(_ view: LeaveView) -> Int64? {
    var soonest = Int64.max
    for grade in grades.indices {
      if let top = grades[grade].far.peek()?.deadline {
        let time = top - Int64(grades[grade].farSlope * view.metres)
        soonest = min(soonest, time + Self.farPatience)
      }
      if let top = grades[grade].near.peek()?.deadline {
        soonest = min(soonest, top - Int64(grades[grade].nearSlope * view.metres))
      }
    }
    return soonest == .max ? nil : soonest
  }

  /// A reminder whose moment may have come, by its slot; its entry is out of the heap, and is to be
  /// removed or added anew. nil where there is none.
  mutating func nextDue(_ view: LeaveView, routes: inout RouteBook, mode: Int) -> Int32? {
    guard count > 0, clock(steepestSlope, view) >= quietUntil else { return nil }
    for grade in grades.indices {
      let now = clock(grades[grade].farSlope, view)
      while let top = grades[grade].far.peek(), top.deadline <= now {
        let worst = worstSlack(entries[Int(top.slot)], view)
        if isNear(worst) {
          rest(near: top.slot, worst.grade, 0, view)
        } else {
          rest(far: top.slot, worst, view)
        }
      }
    }
    for grade in grades.indices {
      let now = clock(grades[grade].nearSlope, view)
      while let top = grades[grade].near.peek(), top.deadline <= now {
        let entry = entries[Int(top.slot)]
        var look = look(at: entry, view)
        if routes.isOn, entry.fixed.isNaN { consult(&routes, &look, entry, mode, view) }
        if look.slack <= doubt(look.grade) {
          takeOut(top.slot)
          return entry.slot
        }
        rest(near: top.slot, look.grade, look.step, view)
      }
    }
    quietUntil = clock(steepestSlope, view) + (shortestRest(view) ?? .max / 2)
    return nil
  }

  /// By how much each clock must go on at least before something is due.
  private func shortestRest(_ view: LeaveView) -> Int64? {
    var shortest = Int64.max
    for grade in grades.indices {
      if let top = grades[grade].far.peek()?.deadline {
        shortest = min(shortest, top - clock(grades[grade].farSlope, view))
      }
      if let top = grades[grade].near.peek()?.deadline {
        shortest = min(shortest, top - clock(grades[grade].nearSlope, view))
      }
    }
    return shortest == .max ? nil : shortest
  }

  /// One that has said "leave" and may have as much slack again, as `nextDue`.
  /// - Parameter over: gets those whose due time has passed; they are to be removed.
  mutating func nextBack(
    _ view: LeaveView, again: TimeSpan, over: inout [Int32]
  ) -> Int32? {
    for grade in grades.indices {
      let now = approach(grades[grade].nearSlope, view)
      while let top = grades[grade].gone.peek(), top.deadline <= now {
        let entry = entries[Int(top.slot)]
        if entry.moment <= view.now {
          takeOut(top.slot)
          over.append(entry.slot)
          continue
        }
        let look = look(at: entry, view)
        rest(afterGoing: top.slot, look, again: again, view)
        if look.slack > again.microseconds - Self.soon { return entry.slot }
      }
    }
    return nil
  }

  /// Looks at these anew, wherever they rest.
  mutating func lookSoon(_ index: Int32, _ view: LeaveView) {
    let home = homes[Int(index)]
    guard home != .none else { return }
    if home.isGone { grades[home.grade].gone.push(slot: index, at: .min) }
    if home.isNear { rest(near: index, home.grade, 0, view) }
  }

  /// When one of them is looked at if the device stays where it is, microseconds.
  func nextLook(_ index: Int32, _ view: LeaveView) -> Int64? {
    let home = homes[Int(index)]
    guard home != .none, !home.isGone else { return nil }
    let grade = grades[home.grade]
    return home.isFar
      ? grade.far.deadline(slot: index).map { $0 - Int64(grade.farSlope * view.metres) }
      : grade.near.deadline(slot: index).map { $0 - Int64(grade.nearSlope * view.metres) }
  }

  /// The moments to leave as things stand, soonest first, at most `limit`; looks at some thousands.
  func soonest(limit: Int, _ view: LeaveView) -> [(moment: Int64, slot: Int32)] {
    var found: [(moment: Int64, slot: Int32)] = []
    for grade in grades {
      for (heap, slope) in [(grade.near, grade.nearSlope), (grade.far, grade.farSlope)] {
        let way = Int64(slope * view.metres)
        var looks = 0
        heap.forEachInOrder { key, index in
          if found.count >= limit, let last = found.last, last.moment < key - way { return false }
          let entry = entries[Int(index)]
          let moment = look(at: entry, view).slack + view.now
          let place = found.firstIndex { $0.moment > moment } ?? found.count
          if place < limit { found.insert((moment, entry.slot), at: place) }
          if found.count > limit { found.removeLast() }
          looks += 1
          return looks < 4_096 + 2 * limit
        }
      }
    }
    return found
  }

  // MARK: - Reckoning

  private func clock(_ slope: Double, _ view: LeaveView) -> Int64 {
    view.now + Int64(slope * view.metres)
  }

  /// What has been gained by coming nearer, at most, less the time that has passed.
  private func approach(_ slope: Double, _ view: LeaveView) -> Int64 {
    Int64(slope * view.metres) - view.now
  }

  /// Slack that cannot be told from none, microseconds.
  private func doubt(_ grade: Int) -> Int64 {
    Self.doubtfulTime + Int64(Self.doubtfulWay * grades[max(1, grade)].nearSlope)
  }

  /// The grade of a way that begins so many metres from its end.
  private func grade(_ distance: Double) -> Int {
    min(pace.profile.band(distance) + 1, grades.count - 1)
  }

  /// Slack in the worst case, outside the place whether the device is there or not.
  private struct WorstSlack {
    /// Microseconds.
    var slack: Int64
    var grade: Int
  }

  private func worstSlack(_ entry: Entry, _ view: LeaveView) -> WorstSlack {
    let left = entry.moment - view.now
    guard entry.fixed.isNaN else {
      return WorstSlack(slack: left - Int64(entry.fixed * 1e6), grade: 0)
    }
    guard let here = view.here else { return WorstSlack(slack: left, grade: 0) }
    let distance = here.distance(x: Double(entry.x), y: Double(entry.y), z: Double(entry.z))
    return WorstSlack(
      slack: left - Int64(pace.worst(distance) * 1e6), grade: grade(distance))
  }

  /// What two ends of the odometer's leash may take away.
  private func leash(_ slope: Double) -> Int64 { Int64(2 * Odometer.slackness * slope) }

  /// By how much the clock must go on before one that is far is near.
  private func restLength(_ worst: WorstSlack) -> Int64 {
    worst.slack - leash(grades[worst.grade].farSlope) - Self.nearness
  }

  private func isNear(_ worst: WorstSlack) -> Bool { restLength(worst) <= 0 }

  private struct Look {
    /// Microseconds until it is time to leave.
    var slack: Int64
    /// By how much the clock must go on before it can be.
    var step: Int64
    /// Whose clock.
    var grade: Int
    /// Metres to the middle of the place.
    var distance: Double
  }

  private func look(at entry: Entry, _ view: LeaveView) -> Look {
    let left = entry.moment - view.now
    guard let here = view.here else {
      let slack = left - (entry.fixed.isNaN ? 0 : Int64(entry.fixed * 1e6))
      return Look(slack: slack, step: max(slack, 1), grade: 0, distance: 0)
    }
    let distance = here.distance(x: Double(entry.x), y: Double(entry.y), z: Double(entry.z))
    let seconds = entry.fixed.isNaN ? pace.seconds(distance) : Double(entry.fixed)
    let outside = left - Int64(seconds * 1e6)
    guard distance <= Double(entry.radius) else {
      let grade = entry.fixed.isNaN ? grade(distance) : 0
      return Look(
        slack: outside, step: stride(outside, grade), grade: grade, distance: distance)
    }
    // Inside there is no way, until the device comes out.
    let grade = grade(distance)
    let edge = max(
      Self.shortestStep, Int64((Double(entry.radius) - distance) * grades[grade].nearSlope))
    return Look(
      slack: left, step: max(stride(outside, grade), stride(min(left, edge), grade)), grade: grade,
      distance: distance)
  }

  private func stride(_ slack: Int64, _ grade: Int) -> Int64 {
    let leash = leash(grades[grade].nearSlope)
    if slack - leash >= Self.shortestStep { return slack - leash }
    return max(1, min(slack, Self.shortestStep))
  }

  /// What a routing engine has said takes the place of the estimate; where it has said nothing lately,
  /// it is to be asked.
  private func consult(
    _ routes: inout RouteBook, _ look: inout Look, _ entry: Entry, _ mode: Int, _ view: LeaveView
  ) {
    guard let here = view.here, look.distance > Double(entry.radius) else { return }
    let now = Instant(microseconds: view.now)
    let answer = routes.answer(entry.slot, from: here, at: now)
    if let answer {
      let seconds = pace.routed(answer, distance: look.distance)
      look.slack = entry.moment - view.now - Int64(seconds * 1e6)
      // A way slower than the estimate grows faster with each metre, too.
      let ratio = max(1, seconds / max(1, pace.seconds(look.distance)))
      look.step = stride(Int64(Double(look.slack) / ratio), look.grade)
    }
    look.step = min(look.step, RouteBook.interval(look.slack))
    if answer.map({ routes.isStale($0, from: here, slack: look.slack, at: now) }) ?? true {
      routes.want(entry.slot, by: mode, slack: look.slack)
    }
  }

  /// Until as much slack may have come back. It falls by the second, and grows by what the device comes
  /// nearer at the slope of the way's band, as long as the way is not shorter than where that begins.
  /// Where it may become so before its due time, the slope of the nearest band counts, which is the
  /// steepest: a reminder that has just said "leave" has hardly more time than its way takes.
  private mutating func rest(
    afterGoing index: Int32, _ look: Look, again: TimeSpan, _ view: LeaveView
  ) {
    let entry = entries[Int(index)]
    let grade = max(1, look.grade)
    var rest = rest(in: grade, entry, look, again: again, view)
    if entry.fixed.isNaN {
      if rest.isOver < rest.isBack { rest = self.rest(in: 1, entry, look, again: again, view) }
      rest.isOver = .max
    }
    move(index, to: .gone(rest.grade))
    grades[rest.grade].gone.push(
      slot: index, at: max(rest.shortest, min(rest.isBack, rest.isOver)))
  }

  /// Moments of the clock by which a grade's slack may come back.
  private struct Rest {
    let grade: Int
    let shortest: Int64
    /// When as much slack may be there again.
    let isBack: Int64
    /// When the slope may be another one: from the metre at which the band ends, or the due time,
    /// whichever comes first.
    var isOver: Int64
  }

  private func rest(
    in grade: Int, _ entry: Entry, _ look: Look, again: TimeSpan, _ view: LeaveView
  ) -> Rest {
    let slope = grades[grade].nearSlope
    let now = approach(slope, view)
    // Coming into the place takes away what is left of the way at once.
    let end = entry.fixed.isNaN ? grades[grade].start : Double(entry.radius)
    let jump = entry.fixed.isNaN ? Int64(pace.seconds(Double(entry.radius)) * 1e6) : 0
    let left = Int64(max(0, look.distance - end) * slope) - leash(slope)
    return Rest(
      grade: grade, shortest: now + Int64(Self.shortestWay * slope),
      isBack: now + again.microseconds - look.slack - jump - leash(slope),
      isOver: now + left - (entry.moment - view.now))
  }
}

/// The moment and the place of a look.
struct LeaveView {
  /// Microseconds.
  var now: Int64
  /// Of the odometer.
  var metres: Double
  /// nil before the first position.
  var here: Direction?
}
