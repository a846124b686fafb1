package import CivilTime
package import Geodesy

#if canImport(Glibc)
  import Glibc
#endif

/// Decides, sample by sample, which fences the receiver arrives at, departs from and passes.
///
///     var monitor = FenceMonitor()
///     monitor.add(.circle(circle), id: 0)
///     var transitions: [Transition] = []
///     monitor.process(sample, into: &transitions)
///
/// It knows no clock and does nothing on its own: the same samples give the same transitions.
/// `docs/geofencing.md` has the rules with their reasons.
///
/// Most samples cost a few comparisons. After each look at the fences the monitor keeps the
/// *quiet disc*: how far from there, in any direction, one can travel before any decision could
/// change. No great circle between two places in it leaves it, so neither a sample nor the path to
/// it can cross an edge. Anything half decided ends the quiet.
package struct FenceMonitor: Sendable {
  package let policy: MonitorPolicy
  /// `MonitorPolicy.isPlain`, kept because each sample asks.
  private let isPlain: Bool
  var index = GridIndex()
  var states: [FenceState] = []
  /// The fences in phase `inside` or `leaving`, in no order.
  var inside: [FenceID] = []
  /// Those of them that the last place looked at was outside of: each look measures them.
  var lingering: [FenceID] = []
  /// The fences in phase `entering`.
  var entering: [FenceID] = []
  /// The fences in one of the undecided phases.
  var undecided: [FenceID] = []
  /// How many are in phase `leaving`.
  var leavingCount = 0
  /// Passes seen on the last leg that the next sample has to bear out.
  var awaited: [Transition] = []

  /// The newest sample that was believed; nil before the first, and with `MonitorPolicy.plain`, where no decision
  /// asks for it.
  package private(set) var lastSample: PositionSample?
  /// The believed sample before it.
  var earlier: TrailPoint?
  /// Whether the leg between those two was short and plausible.
  var earlierConnected = false
  var trail = Trail()
  /// A jump at an implausible speed, until the next sample tells.
  var suspect: PositionSample?
  var suspectCount = 0
  /// How many samples were set aside as implausible and not borne out by those after them.
  package internal(set) var outlierCount = 0
  private var newest = Int64.min

  var quiet = QuietDisc()
  var surroundings = Surroundings()
  /// Whether the last sample was far from all fences, and none has been added since: then nothing is known of
  /// the surroundings, and nothing pending.
  var hasSkipped = false
  /// The square of the last sample, where it has been skipped.
  var lastSquare: UInt32 = 0
  /// Whether no decision is pending, and no fence lingers.
  var isSettled = false
  /// Whether `inside` is what the surroundings and the samples have shown: not so for a presence from
  /// before a restart, and after fences have changed.
  var isPresenceTrusted = false
  /// Scratch lists, kept for their storage.
  var hits: [FenceID] = []
  var settled: [FenceID] = []

  package init(policy: MonitorPolicy = MonitorPolicy()) {
    self.policy = policy
    isPlain = policy.isPlain
  }

  /// Makes room for fences 0..<`count`.
  package mutating func reserveCapacity(_ count: Int) {
    index.reserveCapacity(count)
    states.reserveCapacity(count)
  }

  /// Makes room for fences 0..<`count`. Until `endFilling` they may be added and removed, in a fraction
  /// of the time that it takes else, but no sample may come.
  package mutating func beginFilling(count: Int) {
    states.reserveCapacity(count)
    index.beginFilling(count: count)
  }

  /// Ends what `beginFilling` began.
  /// - Complexity: O(fences).
  package mutating func endFilling() { index.endFilling() }

  /// Adds a fence, or replaces the one of that number; negative numbers are ignored.
  ///
  /// With `presence` unknown the next samples decide it: `found` when they are inside, silently
  /// otherwise. A presence that is known, from before a restart, is changed by arrival and
  /// departure alone.
  /// - Complexity: O(1) amortised but near a pole.
  package mutating func add(_ region: Region, id: FenceID, presence: Presence = .unknown) {
    guard id >= 0 else { return }
    remove(id)
    while states.count <= Int(id) { states.append(.vacant) }
    index.insert(region, id: id)
    states[Int(id)] = FenceState(presence)
    switch presence {
    case .unknown: undecided.append(id)
    case .inside: inside.append(id)
    case .outside: break
    }
    quiet = QuietDisc()
    isSettled = false
    hasSkipped = false
    forgetSurroundings()
  }

  private mutating func forgetSurroundings() {
    guard isPresenceTrusted else { return }
    surroundings.forget()
    isPresenceTrusted = false
  }

  /// Removes a fence without a transition; a number without one is ignored.
  /// - Complexity: O(fences in its cells + fences inside or undecided).
  package mutating func remove(_ id: FenceID) {
    guard index.contains(id) else { return }
    switch states[Int(id)].phase {
    case .vacant, .outside: break
    case .unseen, .seenOutside, .seenInside: undecided.dropAny(id)
    case .entering: entering.dropAny(id)
    case .inside: inside.dropAny(id)
    case .leaving:
      inside.dropAny(id)
      leavingCount -= 1
    }
    lingering.dropAny(id)
    awaited.removeAll { $0.fence == id }
    states[Int(id)] = .vacant
    forgetSurroundings()
    index.remove(id)
  }

  /// What is known of a fence; `unknown` where there is none of that number.
  package func presence(of id: FenceID) -> Presence {
    id >= 0 && Int(id) < states.count ? states[Int(id)].presence : .unknown
  }

  /// Whether the last sample is an implausible jump that the next one has to bear out.
  package var isInDoubt: Bool { suspect != nil }

  /// The fences the receiver is inside of, by number.
  package func insideFences() -> [FenceID] { inside.sorted() }

  /// Metres from a place to the edge of a fence, negative inside; infinite where there is no fence
  /// of that number.
  package func distance(to id: FenceID, from position: Coordinate) -> Double {
    guard index.contains(id) else { return .infinity }
    return index.boundaryDistance(of: id, from: Viewpoint(position))
  }

  /// What a transition tells of its place: metres from the centre of a circle or the line of a
  /// corridor; of a polygon, from its edge, on whichever side.
  package func distance(of transition: Transition) -> Double {
    guard index.contains(transition.fence) else { return .infinity }
    let beyond = index.boundaryDistance(
      of: transition.fence, from: Viewpoint(transition.position))
    return max(0, index.distance(of: transition.fence, beyond: beyond))
  }

  /// The fences nearest to a place by distance to their edge (negative inside), nearest first:
  /// at most `limit`, none farther than `metres`.
  package func nearest(
    to position: Coordinate, limit: Int, within metres: Double
  ) -> [(id: FenceID, distance: Double)] {
    index.nearest(to: position, limit: limit, within: metres)
  }

  /// Bytes of heap that fences take which are no circles, about. Complexity: O(1).
  package var shapeBytes: Int { index.shapeBytes }

  /// Bytes of heap in use for fences, their states and the index.
  package var byteCount: Int {
    index.byteCount + states.capacity * MemoryLayout<FenceState>.stride
  }

  /// Takes a sample in and appends what it decides: departures, then arrivals, then passes, each
  /// by fence (but with `MonitorPolicy.plain` in no order among each). A sample that is not newer
  /// than the one before is ignored.
  /// - Complexity: O(1) inside the quiet disc, else O(fences in the cells of the position and of
  ///   the path to it + fences inside or undecided).
  package mutating func process(_ sample: PositionSample, into transitions: inout [Transition]) {
    process(
      at: sample.time, sample.position, eph: sample.eph, speed: sample.speed, into: &transitions)
  }

  /// The same for a sample in parts, which the processor's registers hold: most samples are not worth
  /// being written to memory.
  package mutating func process(
    at time: Instant, _ position: Coordinate, eph: Double?, speed: Double?,
    into transitions: inout [Transition]
  ) {
    guard time.microseconds > newest else { return }
    newest = time.microseconds
    guard isPlain else {
      return processWithCare(at: time, position, eph: eph, speed: speed, into: &transitions)
    }
    // What is asked here calls nothing and keeps little, so that the registers stay as they are.
    if hasSkipped {
      let square = index.square(of: position)
      if square != lastSquare, index.isVacant(square, around: position) {
        lastSquare = square
        return
      }
    } else if quiet.contains(position) {
      return
    }
    acceptPlainly(at: time, position, eph: eph, into: &transitions)
  }

  /// A sample that may decide something, or that must be remembered.
  @inline(never)
  private mutating func processWithCare(
    at time: Instant, _ position: Coordinate, eph: Double?, speed: Double?,
    into transitions: inout [Transition]
  ) {
    let sample = PositionSample(time: time, position: position, eph: eph, speed: speed)
    // There is no quiet disc as long as a decision is pending or a jump set aside.
    if !hasSkipped, quiet.contains(position) { return processInQuiet(sample, into: &transitions) }
    if policy.looksAtSamplesAlone, isFarFromAll(position) { return skip(sample) }
    weigh(sample, into: &transitions)
  }

  /// A sample that can change nothing, unless it is an implausible jump.
  @inline(never)
  private mutating func processInQuiet(
    _ sample: PositionSample, into transitions: inout [Transition]
  ) {
    if policy.rejectsOutliers, let last = lastSample {
      let step = quiet.bound(from: last.position, to: sample.position)
      if step > plausibleDistance(from: last, to: sample) {
        return weigh(sample, into: &transitions)
      }
    }
    remember(sample, connected: isLeg(to: sample))
  }

  /// Whether the path from the last sample is short enough in time to be known.
  @inline(__always)
  func isLeg(to sample: PositionSample) -> Bool {
    guard policy.reportsPasses, let last = lastSample else { return false }
    return (sample.time - last.time).microseconds <= policy.longestLeg.microseconds
  }

  /// How far the receiver can have moved between two samples, their errors included.
  @inline(__always)
  func plausibleDistance(from a: PositionSample, to b: PositionSample) -> Double {
    var speed = policy.plausibleSpeed
    if let claim = b.speed, claim > speed / 1.5 { speed = min(claim * 1.5, policy.fastestClaim) }
    // An error that is large or unknown must not excuse a jump of the size of an outlier.
    let errors = min(knownError(a) + knownError(b), 2 * policy.assumedError)
    return max(speed, policy.plausibleSpeed) * (b.time - a.time).seconds + errors
  }

  /// The error of a sample, 0 where it gives none that makes sense.
  @inline(__always)
  func givenError(_ sample: PositionSample) -> Double {
    if let eph = sample.eph, eph > 0 { return eph }
    return 0
  }

  /// The error of a sample, or the one assumed for a sample without.
  @inline(__always)
  func knownError(_ sample: PositionSample) -> Double {
    if let eph = sample.eph, eph > 0 { return eph }
    return policy.assumedError
  }

  /// Sets an implausible jump aside, or believes it when the next sample bears it out.
  @inline(never)
  private mutating func weigh(_ sample: PositionSample, into transitions: inout [Transition]) {
    guard policy.rejectsOutliers, let last = lastSample else {
      return accept(sample, connected: lastSample != nil, into: &transitions)
    }
    if isPlausible(from: last, to: sample) {
      if suspect != nil { outlierCount += 1 }
      suspect = nil
      return accept(sample, connected: true, into: &transitions)
    }
    if let jump = suspect, isPlausible(from: jump, to: sample) {
      suspect = nil
      accept(jump, connected: false, into: &transitions)
      accept(sample, connected: true, into: &transitions)
    } else if suspect != nil, suspectCount >= 2 {
      // Three in a row that agree with nothing: faster than is plausible, but not an outlier.
      outlierCount += 1
      suspect = nil
      accept(sample, connected: false, into: &transitions)
    } else {
      if suspect != nil { outlierCount += 1 }
      suspectCount = suspect == nil ? 1 : suspectCount + 1
      suspect = sample
      quiet = QuietDisc()
    }
  }

  /// Written in place, for a call copies the monitor.
  @inline(__always)
  private func isPlausible(from a: PositionSample, to b: PositionSample) -> Bool {
    a.position.distance(to: b.position) <= plausibleDistance(from: a, to: b)
  }

  @inline(__always)
  mutating func remember(_ sample: PositionSample, connected: Bool) {
    guard !isPlain else { return }
    if !policy.looksAtSamplesAlone {
      if let last = lastSample { earlier = TrailPoint(last) }
      earlierConnected = connected
      trail.append(TrailPoint(sample))
    }
    lastSample = sample
  }
}
