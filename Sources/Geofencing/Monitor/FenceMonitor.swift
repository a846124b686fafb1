import CivilTime
import Geodesy

/// Decides, sample by sample, which fences the receiver arrives at, departs from and passes.
///
///     var monitor = FenceMonitor()
///     monitor.add(.circle(circle), id: 0)
///     var transitions: [Transition] = []
///     monitor.process(sample, into: &transitions)
///     // At `monitor.nextDeadline`, if no sample came before:
///     monitor.advance(to: now, into: &transitions)
///
/// It knows no clock and does nothing on its own: the same samples give the same transitions.
/// `docs/explanation/how-it-decides.md` has the rules with their reasons.
///
/// Most samples cost a few comparisons. After each check of the fences the monitor has a *safe
/// ball*: how far from there, in any direction, one can travel before any decision could change.
/// There is none while the next sample alone can decide something. A hold has a deadline instead.
package struct FenceMonitor: Sendable {
  package let policy: MonitorPolicy
  var index = FenceIndex()
  var states: [FenceState] = []
  /// The fences in phase `inside`, in no order.
  var inside: [FenceID] = []
  /// Fences of `inside` that do not contain the last sample: each check measures them.
  var lingering: [Leaving] = []
  /// The fences in phase `entering`.
  var entering: [Entering] = []
  /// The fences in one of the undecided phases.
  var undecided: [Undecided] = []
  /// Fences that coarse samples contradict since the last good one: whether inside, since when.
  var coarse: [FenceID: (isInside: Bool, since: Instant)] = [:]
  /// Passes seen on the last leg that the next sample has to bear out.
  var awaited: [Transition] = []
  /// When the next hold ends; the latest time for never.
  var deadline = Instant(microseconds: .max)

  package internal(set) var track: Track

  var safeBall = SafeBall()
  var neighbours = NeighbourList()
  /// Whether `inside` is what the neighbour list and the samples have shown: not so for a presence
  /// from before a restart, and after fences have changed.
  var isPresenceTrusted = false
  /// Scratch list: fences that were decided by the sample in hand, and are not passed as well.
  var decided: [FenceID] = []

  /// - Parameter track: of another monitor that has seen the samples so far.
  package init(policy: MonitorPolicy = MonitorPolicy(), track: Track = Track()) {
    self.policy = policy
    self.track = track
  }

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
    case .unknown: undecided.append(Undecided(id))
    case .inside: inside.append(id)
    case .outside: break
    }
    safeBall = SafeBall()
    forgetNeighbours()
  }

  /// Removes a fence; a number without one is ignored.
  package mutating func remove(_ id: FenceID) {
    guard index.contains(id) else { return }
    switch states[Int(id)].phase {
    case .vacant, .outside: break
    case .unseen, .seenOutside, .seenInside: undecided.dropAny { $0.fence == id }
    case .entering: entering.dropAny { $0.fence == id }
    case .inside:
      inside.dropAny(id)
      lingering.dropAny { $0.fence == id }
    }
    if !awaited.isEmpty { awaited.removeAll { $0.fence == id } }
    if !coarse.isEmpty { coarse[id] = nil }
    states[Int(id)] = .vacant
    forgetNeighbours()
    index.remove(id)
  }

  mutating func forgetNeighbours() {
    guard isPresenceTrusted else { return }
    neighbours.forget()
    isPresenceTrusted = false
  }

  /// The newest sample that was believed; nil before the first.
  package var lastSample: PositionSample? { track.last?.sample }

  /// Whether the device moves. Where its receiver is not followed, every device does.
  var isMoving: Bool { track.receiver.isMoving || !policy.followsReceiver }

  /// Whether the last sample is an implausible jump that the next one has to bear out.
  package var isInDoubt: Bool { track.receiver.isInDoubt }

  /// How many samples were set aside as implausible and not borne out by those after them.
  package var outlierCount: Int { track.outlierCount }

  /// How many jumps at an implausible speed were borne out by the samples after them.
  package var jumpCount: Int { track.jumpCount }

  /// Follows a receiver from the next sample on. A takeover is no motion.
  package mutating func follow(_ receiver: ReceiverID) {
    guard track.follow(receiver) else { return }
    awaited.removeAll(keepingCapacity: true)
  }

  /// Takes a sample in and appends what it decides: departures, then arrivals, then passes, each
  /// by fence; before them, what holds have decided until then. A sample that is not newer than
  /// the one before is ignored.
  /// - Complexity: O(1) inside the safe ball, else O(fences whose edge is near + fences inside or
  ///   undecided), and now and then O(levels + fences within the reach of the neighbour list).
  package mutating func process(_ sample: PositionSample, into transitions: inout [Transition]) {
    guard sample.time > track.newest else { return }
    if deadline <= sample.time { advance(to: sample.time, into: &transitions) }
    track.newest = sample.time
    if let eph = sample.eph, eph > policy.largestError {
      return processCoarse(sample, into: &transitions)
    }
    let located = LocatedSample(sample)
    let wasInDoubt = track.receiver.isInDoubt
    let step = track.receiver.last?.place.chordSquared(to: located.place) ?? 0
    let interval = track.receiver.last.map { (sample.time - $0.sample.time).seconds } ?? 0
    let belief =
      isPlausible(located, step, after: interval)
      ? track.receiver.believe() : track.receiver.judgeJump(located, policy)
    if wasInDoubt { count(belief) }
    guard belief != .setAside else {
      safeBall = SafeBall()
      return
    }
    track.newestGood = sample.time
    if !coarse.isEmpty { coarse.removeAll() }
    if policy.followsReceiver {
      track.receiver.follow(
        located, claim: policy.claim(of: sample), step: step, after: interval,
        isAnew: belief == .anew)
    }
    let connected = belief == .follows
    let leg = connected && isLeg(to: sample, after: interval)
    // There is no safe ball as long as the next sample can decide something.
    if !isSafe(located.place) {
      accept(Evaluation(sample: sample, place: located.place, leg: leg), into: &transitions)
    }
    track.receiver.remember(located, after: interval, connected: leg)
  }

  /// Whether the place of a sample that the receiver has followed can change no decision.
  @inline(__always)
  func isSafe(_ place: Vector) -> Bool {
    safeBall.contains(
      place, error: track.receiver.error, isMoving: track.receiver.isMoving,
      isSettled: track.receiver.isSettled)
  }

  /// Evaluates the last sample for fences that were added since.
  package mutating func seed(into transitions: inout [Transition]) {
    guard let last = track.last else { return }
    accept(Evaluation(sample: last.sample, place: last.place, leg: false), into: &transitions)
  }

  /// Whether a sample may follow the last one.
  @inline(__always)
  private func isPlausible(
    _ sample: LocatedSample, _ step: Double, after interval: Double
  ) -> Bool {
    guard policy.rejectsOutliers, let last = track.receiver.last else { return true }
    return policy.isPlausible(from: last, to: sample, step: step, after: interval)
  }

  /// Counts a jump by what the sample after it shows.
  private mutating func count(_ belief: Receiver.Belief) {
    if belief == .anew { track.jumpCount += 1 } else { track.outlierCount += 1 }
  }

  /// Whether the way from the last sample is short enough in time to be known.
  @inline(__always)
  private func isLeg(to sample: PositionSample, after seconds: Double) -> Bool {
    guard policy.reportsPasses, let last = track.receiver.last else { return false }
    return policy.isLeg(
      sample.time - last.sample.time, seconds: seconds, interval: track.receiver.interval)
  }
}

extension Array {
  /// Drops one element that matches, if there is one; the order does not matter.
  mutating func dropAny(where matches: (Element) -> Bool) {
    guard let i = lastIndex(where: matches) else { return }
    swapAt(i, count - 1)
    removeLast()
  }
}
