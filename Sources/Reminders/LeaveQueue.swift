import CivilTime
import Geodesy

/// How fast one mode gets along now: its profile, and what is known beyond it.
struct TravelPace: Equatable, Sendable {
  var profile: TravelProfile
  /// What own trips take over the profile; 1 where nothing is learnt.
  var learnt = 1.0
  /// What the trip under way takes over the profile; counts where nothing is learnt.
  var measured = 1.0

  var factor: Double { learnt * measured }

  /// Seconds for so many metres of straight line.
  func seconds(_ distance: Double) -> Double {
    profile.seconds(distance) * factor + profile.overhead.seconds
  }
}

/// The reminders of one mode of transport that wait for their time to leave, in the order in which it
/// can become that.
///
/// The slack of a reminder, what is left until it is time to leave, shrinks by a second a second, and
/// by at most `slope` more for each metre that the device goes, wherever it goes. So each mode has a
/// clock of its own that runs on by both, and the slack cannot be used up before that clock has gone
/// on by as much: until then the reminder rests in a heap and costs nothing, and a fix costs one look
/// at the top of it. While the device stands still the clock is the time of day, and a reminder is
/// looked at once, when it is time. What moves away is looked at a few times more, each time when the
/// slack of the last look may be gone (the kinetic heaps of Basch, Guibas and Hershberger, "Data
/// Structures for Mobile Data", 1999, with the certificates of one moving point).
///
/// `far` reckons with ways twice as slow as known (`worst`), so that neither a trip that turns out slow
/// nor a routing engine's answer needs a look at all of them; `near` holds those whose moment may
/// come within that, and takes what is known exactly. `gone` holds those that have said "leave", by
/// the metres after which much slack may have come back.
///
/// 48 bytes a reminder: 32 for the entry, and its place in the heaps.
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
    /// Due less the lead, microseconds.
    var moment: Int64

    init(slot: Int32, place: Coordinate, radius: Double, moment: Instant, fixed: TimeSpan? = nil) {
      let direction = Direction(place)
      x = Float(direction.x)
      y = Float(direction.y)
      z = Float(direction.z)
      self.radius = Float(radius)
      self.fixed = fixed.map { Float($0.seconds) } ?? .nan
      self.slot = slot
      self.moment = moment.microseconds
    }
  }

  enum Stage { case waiting, gone }

  /// How many times slower than known a way is taken to be at most while a reminder is far.
  static let worst = 2.0
  /// With so much slack left in the worst case a reminder is near, microseconds.
  private static let nearness: Int64 = 600_000_000
  /// The shortest step, microseconds: what is looked at in vain more often costs more than it gives.
  private static let shortestStep: Int64 = 1_000_000
  /// Slack that the short numbers cannot tell from none, microseconds.
  private static let doubt: Int64 = 1_000_000
  /// Metres after which one that is gone is looked at again at the earliest.
  private static let shortestWay = 25.0

  private var entries: [Entry] = []
  private var free: [Int32] = []
  /// By this mode's clock, ways in the worst case.
  private var far = TimerHeap()
  /// By this mode's clock, ways as known.
  private var near = TimerHeap()
  /// By millimetres of the odometer.
  private var gone = TimerHeap()
  private(set) var pace: TravelPace
  /// Microseconds a metre.
  private var farSlope = 0.0
  private var nearSlope = 0.0

  init(pace: TravelPace) {
    self.pace = pace
    setSlopes()
  }

  private mutating func setSlopes() {
    nearSlope = pace.profile.steepest * pace.factor * 1e6
    farSlope = pace.profile.steepest * pace.learnt * Self.worst * 1e6
  }

  var count: Int { entries.count - free.count }

  /// Bytes of heap in use.
  var byteCount: Int {
    entries.capacity * MemoryLayout<Entry>.stride + free.capacity * 4 + far.byteCount
      + near.byteCount + gone.byteCount
  }

  // MARK: - Coming and going

  /// Takes a reminder in that is put in its order by `reckonAll`. Complexity: O(1).
  mutating func append(_ entry: Entry) -> Int32 {
    let index = insert(entry)
    far.append(slot: index, at: 0)
    return index
  }

  /// - Parameter moment: when it is time to leave as exactly as is known.
  mutating func add(
    _ entry: Entry, _ stage: Stage, moment: Instant?, again: TimeSpan, _ view: LeaveView
  ) -> Int32 {
    let index = insert(entry)
    switch stage {
    case .gone: rest(afterGoing: index, again: again, view)
    case .waiting:
      if isNear(entry, view) {
        // The last seconds are as exact as the rule itself; the others begin with a look.
        let left = moment.map { $0.microseconds - view.now } ?? 0
        let isSoon = (1..<2 * Self.doubt).contains(left)
        near.push(slot: index, at: clock(nearSlope, view) + (isSoon ? left : 0))
      } else {
        far.push(slot: index, at: farKey(entry, view))
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
    return Int32(entries.count - 1)
  }

  mutating func remove(_ index: Int32) {
    far.cancel(slot: index)
    near.cancel(slot: index)
    gone.cancel(slot: index)
    free.append(index)
  }

  /// Reckons every moment anew. Complexity: O(n).
  mutating func reckonAll(_ view: LeaveView) {
    let waiting = far.timedSlots + near.timedSlots
    far = TimerHeap()
    near = TimerHeap()
    far.reserveCapacity(entries.count)
    for index in waiting {
      let entry = entries[Int(index)]
      if isNear(entry, view) {
        near.push(slot: index, at: clock(nearSlope, view))
      } else {
        far.append(slot: index, at: farKey(entry, view))
      }
    }
    far.heapify()
    // What has come back is found out with the next metres.
    for index in gone.timedSlots { gone.push(slot: index, at: 0) }
  }

  /// What is known of the mode has changed. Complexity: O(those near), O(n) where it is for good.
  mutating func use(_ pace: TravelPace, _ view: LeaveView) {
    guard pace != self.pace else { return }
    let isForGood = pace.profile != self.pace.profile || pace.learnt != self.pace.learnt
    self.pace = pace
    setSlopes()
    if isForGood { return reckonAll(view) }
    for index in near.timedSlots { near.push(slot: index, at: clock(nearSlope, view)) }
    for index in gone.timedSlots { gone.push(slot: index, at: 0) }
  }

  // MARK: - Looks

  /// When the first of them may be due if the device stays where it is, microseconds.
  /// Complexity: O(1).
  func deadline(_ view: LeaveView) -> Int64? {
    let far = far.peek().map { $0.deadline - Int64(farSlope * view.metres) }
    let near = near.peek().map { $0.deadline - Int64(nearSlope * view.metres) }
    guard let far, let near else { return far ?? near }
    return min(far, near)
  }

  /// A reminder whose moment may have come, by its slot; its entry is out of the heap, and is to be
  /// removed or added anew. nil where there is none.
  mutating func nextDue(_ view: LeaveView, routes: inout RouteBook, mode: Int) -> Int32? {
    let farNow = clock(farSlope, view)
    while let top = far.peek(), top.deadline <= farNow {
      let entry = entries[Int(top.slot)]
      if isNear(entry, view) {
        far.cancel(slot: top.slot)
        near.push(slot: top.slot, at: clock(nearSlope, view))
      } else {
        far.push(slot: top.slot, at: max(farKey(entry, view), farNow + 1))
      }
    }
    let nearNow = clock(nearSlope, view)
    while let top = near.peek(), top.deadline <= nearNow {
      let entry = entries[Int(top.slot)]
      var look = look(at: entry, view)
      if routes.isOn, entry.fixed.isNaN { consult(&routes, &look, entry, mode, view) }
      if look.slack <= Self.doubt {
        near.cancel(slot: top.slot)
        return entry.slot
      }
      near.push(slot: top.slot, at: nearNow + look.step)
    }
    return nil
  }

  /// One that has said "leave" and may have as much slack again, as `nextDue`.
  /// - Parameter over: gets those whose due time has passed; they are to be removed.
  mutating func nextBack(
    _ view: LeaveView, again: TimeSpan, over: inout [Int32]
  ) -> Int32? {
    let now = Int64(view.metres * 1_000)
    while let top = gone.peek(), top.deadline <= now {
      let entry = entries[Int(top.slot)]
      if entry.moment <= view.now {
        gone.cancel(slot: top.slot)
        over.append(entry.slot)
      } else if look(at: entry, view).slack > again.microseconds - Self.doubt {
        gone.push(slot: top.slot, at: now + Int64(Self.shortestWay * 1_000))
        return entry.slot
      } else {
        rest(afterGoing: top.slot, again: again, view)
      }
    }
    return nil
  }

  /// Looks at these anew, wherever they rest.
  mutating func lookSoon(_ index: Int32, _ view: LeaveView) {
    if near.deadline(slot: index) != nil {
      near.push(slot: index, at: clock(nearSlope, view))
    } else if gone.deadline(slot: index) != nil {
      gone.push(slot: index, at: 0)
    }
  }

  /// When one of them is looked at if the device stays where it is, microseconds.
  func nextLook(_ index: Int32, _ view: LeaveView) -> Int64? {
    if let key = near.deadline(slot: index) { return key - Int64(nearSlope * view.metres) }
    return far.deadline(slot: index).map { $0 - Int64(farSlope * view.metres) }
  }

  /// The moments to leave as things stand, soonest first, at most `limit`; looks at some thousands.
  func soonest(limit: Int, _ view: LeaveView) -> [(moment: Int64, slot: Int32)] {
    var found: [(moment: Int64, slot: Int32)] = []
    for (heap, slope) in [(near, nearSlope), (far, farSlope)] {
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
    return found
  }

  // MARK: - Reckoning

  private func clock(_ slope: Double, _ view: LeaveView) -> Int64 {
    view.now + Int64(slope * view.metres)
  }

  /// Microseconds of slack in the worst case, outside the place whether the device is there or not.
  private func worstSlack(_ entry: Entry, _ view: LeaveView) -> Int64 {
    guard let here = view.here else {
      return entry.moment - view.now - (entry.fixed.isNaN ? 0 : Int64(entry.fixed * 1e6))
    }
    guard entry.fixed.isNaN else { return entry.moment - view.now - Int64(entry.fixed * 1e6) }
    let distance = here.distance(x: Double(entry.x), y: Double(entry.y), z: Double(entry.z))
    let seconds = pace.profile.seconds(distance) * pace.learnt * Self.worst
    return entry.moment - view.now - Int64((seconds + pace.profile.overhead.seconds) * 1e6)
  }

  private func isNear(_ entry: Entry, _ view: LeaveView) -> Bool {
    worstSlack(entry, view) - leash(farSlope) <= Self.nearness
  }

  /// What two ends of the odometer's leash may take away.
  private func leash(_ slope: Double) -> Int64 { Int64(2 * Odometer.slackness * slope) }

  private func farKey(_ entry: Entry, _ view: LeaveView) -> Int64 {
    clock(farSlope, view) + worstSlack(entry, view) - leash(farSlope) - Self.nearness
  }

  private struct Look {
    /// Microseconds until it is time to leave.
    var slack: Int64
    /// By how much the clock must go on before it can be.
    var step: Int64
    /// Metres to the middle of the place.
    var distance: Double
  }

  private func look(at entry: Entry, _ view: LeaveView) -> Look {
    let left = entry.moment - view.now
    guard let here = view.here else {
      let slack = left - (entry.fixed.isNaN ? 0 : Int64(entry.fixed * 1e6))
      return Look(slack: slack, step: max(slack, 1), distance: 0)
    }
    let distance = here.distance(x: Double(entry.x), y: Double(entry.y), z: Double(entry.z))
    let seconds = entry.fixed.isNaN ? pace.seconds(distance) : Double(entry.fixed)
    let outside = left - Int64(seconds * 1e6)
    guard distance <= Double(entry.radius) else {
      return Look(slack: outside, step: stride(outside), distance: distance)
    }
    // Inside there is no way, until the device comes out.
    let edge = Int64((Double(entry.radius) - distance) * nearSlope)
    return Look(
      slack: left, step: max(stride(outside), stride(min(left, edge))), distance: distance)
  }

  private func stride(_ slack: Int64) -> Int64 {
    let leash = leash(nearSlope)
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
      look.step = stride(Int64(Double(look.slack) / ratio))
    }
    look.step = min(look.step, RouteBook.interval(look.slack))
    if answer.map({ routes.isStale($0, from: here, slack: look.slack, at: now) }) ?? true {
      routes.want(entry.slot, by: mode, slack: look.slack)
    }
  }

  private mutating func rest(afterGoing index: Int32, again: TimeSpan, _ view: LeaveView) {
    let entry = entries[Int(index)]
    // Coming into the place takes away what is left of the way at once.
    let jump = Int64(pace.seconds(Double(entry.radius)) * 1e6)
    let wanted = again.microseconds - look(at: entry, view).slack - jump
    let way = max(Self.shortestWay, Double(wanted) / nearSlope - 2 * Odometer.slackness)
    gone.push(slot: index, at: Int64((view.metres + way) * 1_000))
  }
}

extension TravelPace {
  /// Seconds for a way of which a routing engine has said what it took where it began: what is left of
  /// it, by the straight line.
  func routed(_ answer: RouteBook.Answer, distance: Double) -> Double {
    let then = profile.seconds(answer.distance)
    let share = then > 0 ? profile.seconds(distance) / then : 1
    return answer.seconds * share + profile.overhead.seconds
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
