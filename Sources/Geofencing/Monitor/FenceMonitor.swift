import CivilTime
import Geodesy

/// Decides, sample by sample, which fences the receiver arrives at, departs from and passes.
///
///     var monitor = FenceMonitor()
///     monitor.add(.circle(circle), id: 0)
///     var transitions: [Transition] = []
///     monitor.process(sample, into: &transitions)
///
/// It knows no clock and does nothing on its own: the same samples give the same transitions.
/// `docs/explanation/how-it-decides.md` has the rules with their reasons.
///
/// Most samples cost one comparison. After each check of the fences the monitor has a *safe ball*:
/// how far from there, in any direction, one can travel before any decision could change. There is
/// none while something is half decided.
package struct FenceMonitor: Sendable {
  package let policy: MonitorPolicy
  var index = FenceIndex()
  var states: [FenceState] = []
  /// The fences in phase `inside` or `leaving`, in no order.
  var inside: [FenceID] = []
  /// Fences of `inside` that do not contain the last sample: each check measures them.
  var lingering: [FenceID] = []
  /// The fences in phase `entering`.
  var entering: [FenceID] = []
  /// The fences in one of the undecided phases.
  var undecided: [FenceID] = []
  /// How many are in phase `leaving`.
  var leavingCount = 0
  /// Passes seen on the last leg that the next sample has to bear out.
  var awaited: [Transition] = []

  /// The newest sample that was believed.
  var last: LocatedSample?
  /// The believed sample before it.
  var earlier: TrailPoint?
  /// Whether the leg between those two was short and plausible.
  var earlierConnected = false
  var trail = Trail()
  /// A jump at an implausible speed, until the next sample bears it out or not.
  private var suspect: LocatedSample?
  private var suspectCount = 0
  /// How many samples were set aside as implausible and not borne out by those after them.
  package private(set) var outlierCount = 0
  /// How many jumps at an implausible speed were borne out by the samples after them.
  package private(set) var jumpCount = 0
  private var newest = Int64.min

  var safeBall = SafeBall()
  var neighbours = NeighbourList()
  /// Whether `inside` is what the neighbour list and the samples have shown: not so for a presence
  /// from before a restart, and after fences have changed.
  var isPresenceTrusted = false
  /// Scratch list: fences that were decided by the sample in hand, and are not passed as well.
  var settled: [FenceID] = []

  package init(policy: MonitorPolicy = MonitorPolicy()) { self.policy = policy }

  /// Makes room for fences 0..<`count`.
  package mutating func reserveCapacity(_ count: Int) {
    index.reserveCapacity(count)
    states.reserveCapacity(count)
  }

  /// Adds a fence, or replaces the one of that number; negative numbers are ignored.
  ///
  /// With `presence` unknown the next samples decide it: `found` when they are inside, silently
  /// otherwise. A presence that is known, from before a restart, is changed by arrival and
  /// departure alone.
  /// - Complexity: O(1) amortised.
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
    safeBall = SafeBall()
    forgetNeighbours()
  }

  /// Removes a fence without a transition; a number without one is ignored.
  /// - Complexity: O(fences listed with it + fences inside or undecided).
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
    forgetNeighbours()
    index.remove(id)
  }

  private mutating func forgetNeighbours() {
    guard isPresenceTrusted else { return }
    neighbours.forget()
    isPresenceTrusted = false
  }

  /// The newest sample that was believed; nil before the first.
  package var lastSample: PositionSample? { last?.sample }

  /// Whether the last sample is an implausible jump that the next one has to bear out.
  package var isInDoubt: Bool { suspect != nil }

  /// Takes a sample in and appends what it decides: departures, then arrivals, then passes, each
  /// by fence. A sample that is not newer than the one before is ignored.
  /// - Complexity: O(1) inside the safe ball, else O(fences whose edge is near + fences inside or
  ///   undecided), and now and then O(levels + fences within the reach of the neighbour list).
  package mutating func process(_ sample: PositionSample, into transitions: inout [Transition]) {
    guard sample.time.microseconds > newest else { return }
    newest = sample.time.microseconds
    let located = LocatedSample(sample)
    // There is no safe ball as long as a decision is pending or a jump set aside.
    if safeBall.contains(located.place), !isSuspect(located) {
      return remember(located, connected: isLeg(to: located))
    }
    weigh(located, into: &transitions)
  }

  /// Whether a sample in the safe ball may be an implausible jump.
  @inline(__always)
  private func isSuspect(_ sample: LocatedSample) -> Bool {
    guard policy.rejectsOutliers, let last else { return false }
    let squared = last.place.chordSquared(to: sample.place) * (Sphere.radius * Sphere.radius)
    // Up to 300 km the way on the ground is longer than the straight line by less than a
    // ten-thousandth.
    let straight = plausibleDistance(from: last.sample, to: sample.sample) * 0.9999 - 0.001
    return squared > 9e10 || straight <= 0 || squared > straight * straight
  }

  /// Whether the way from the last sample is short enough in time to be known.
  @inline(__always)
  func isLeg(to located: LocatedSample) -> Bool {
    guard policy.reportsPasses, let last else { return false }
    return (located.sample.time - last.sample.time).microseconds <= policy.longestLeg.microseconds
  }

  /// How far the receiver can have moved between two samples, their errors included.
  @inline(__always)
  private func plausibleDistance(from a: PositionSample, to b: PositionSample) -> Double {
    var speed = policy.plausibleSpeed
    if let claim = b.speed, claim > speed / 1.5 { speed = min(claim * 1.5, policy.fastestClaim) }
    // An error that is large or unknown must not excuse a jump of the size of an outlier.
    let errors = min(knownError(a) + knownError(b), 2 * policy.assumedError)
    return max(speed, policy.plausibleSpeed) * (b.time - a.time).seconds + errors
  }

  /// The error of a sample, 0 where it gives none that makes sense.
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
  private mutating func weigh(_ sample: LocatedSample, into transitions: inout [Transition]) {
    guard policy.rejectsOutliers, let last else {
      return accept(sample, connected: last != nil, into: &transitions)
    }
    if isPlausible(from: last, to: sample) {
      if suspect != nil { outlierCount += 1 }
      suspect = nil
      return accept(sample, connected: true, into: &transitions)
    }
    if let jump = suspect, isPlausible(from: jump, to: sample) {
      jumpCount += 1
      suspect = nil
      accept(jump, connected: false, into: &transitions)
      accept(sample, connected: true, into: &transitions)
    } else if suspect != nil, suspectCount >= 2 {
      // Three in a row that agree with nothing: faster than is plausible, but not an outlier.
      outlierCount += 1
      jumpCount += 1
      suspect = nil
      accept(sample, connected: false, into: &transitions)
    } else {
      if suspect != nil { outlierCount += 1 }
      suspectCount = suspect == nil ? 1 : suspectCount + 1
      suspect = sample
      safeBall = SafeBall()
    }
  }

  private func isPlausible(from a: LocatedSample, to b: LocatedSample) -> Bool {
    !a.place.isFarther(than: plausibleDistance(from: a.sample, to: b.sample), from: b.place)
  }

  @inline(__always)
  mutating func remember(_ sample: LocatedSample, connected: Bool) {
    if let last { earlier = TrailPoint(time: last.sample.time, place: last.place) }
    earlierConnected = connected
    trail.append(TrailPoint(time: sample.sample.time, place: sample.place))
    last = sample
  }
}

/// A sample with the vector of its position.
struct LocatedSample {
  let sample: PositionSample
  let place: Vector

  @inline(__always)
  init(_ sample: PositionSample) {
    self.sample = sample
    place = Vector(sample.position)
  }
}
