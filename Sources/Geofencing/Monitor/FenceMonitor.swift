import CivilTime
import Geodesy

/// Decides, sample by sample, which fences the receiver arrives at, departs from and passes.
///
///     var monitor = FenceMonitor()
///     monitor.add(.circle(circle), id: 0)
///     var transitions: [Transition] = []
///     monitor.process(sample, into: &transitions)
///
/// An estimator says where the device is and how sure that is (`Estimator`); a fence only compares
/// (`InsideProbability`). It knows no clock and does nothing on its own: the same samples give the
/// same transitions. `docs/explanation/how-it-decides.md` has the rule with its reasons.
///
/// Most samples cost the estimate and one comparison. After each check of the fences the monitor
/// has a *safe ball*: how far from there, in any direction, the believed place can go before any
/// decision could change. There is none while the next sample alone can decide something.
package struct FenceMonitor: Sendable {
  /// The state of a fence.
  enum Phase: UInt8 {
    /// No fence has this number.
    case vacant
    case undecided
    case outside
    /// Outside, and the believed place is in it: the error is too large for its size, or the fix
    /// too lonely, for an arrival.
    case entering
    case inside
  }

  package let policy: MonitorPolicy
  var index = FenceIndex()
  var phases: [Phase] = []
  /// The fences in phase `inside`, in no order.
  var inside: [FenceID] = []
  /// Fences of `inside` that do not contain the believed place: each check measures them.
  var lingering: [FenceID] = []
  /// The fences in phase `entering`.
  var entering: [FenceID] = []
  /// The fences of unknown presence, whether the last sample was inside (nil before the first), and
  /// whether one was far enough outside for a departure.
  var undecided: [(fence: FenceID, isInside: Bool?, wasOutside: Bool)] = []
  /// Passes that are reported once the device is outside again.
  var awaited: [Transition] = []

  package internal(set) var track: Track

  var safeBall = SafeBall()
  var neighbours = NeighbourList()
  /// Whether `inside` is what the neighbour list and the samples have shown: not so for a presence
  /// from before a restart, and after fences have changed.
  var isPresenceTrusted = false

  /// - Parameter track: of another monitor that has seen the samples so far.
  package init(policy: MonitorPolicy = MonitorPolicy(), track: Track = Track()) {
    self.policy = policy
    self.track = track
  }

  /// Makes room for fences 0..<`count`.
  package mutating func reserveCapacity(_ count: Int) {
    index.reserveCapacity(count)
    phases.reserveCapacity(count)
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
    while phases.count <= Int(id) { phases.append(.vacant) }
    index.insert(region, id: id)
    setPresence(presence, of: id)
    safeBall = SafeBall()
    forgetNeighbours()
  }

  /// Sets the presence at a fence that is in none of the lists.
  private mutating func setPresence(_ presence: Presence, of id: FenceID) {
    switch presence {
    case .unknown:
      phases[Int(id)] = .undecided
      undecided.append((id, nil, false))
    case .inside:
      phases[Int(id)] = .inside
      inside.append(id)
    case .outside: phases[Int(id)] = .outside
    }
  }

  /// Removes a fence; a number without one is ignored.
  package mutating func remove(_ id: FenceID) {
    guard index.contains(id) else { return }
    switch phases[Int(id)] {
    case .vacant, .outside: break
    case .undecided: undecided.dropAny { $0.fence == id }
    case .entering: entering.dropAny(id)
    case .inside:
      inside.dropAny(id)
      lingering.dropAny(id)
    }
    if !awaited.isEmpty { awaited.removeAll { $0.fence == id } }
    phases[Int(id)] = .vacant
    safeBall = SafeBall()
    forgetNeighbours()
    index.remove(id)
  }

  mutating func forgetNeighbours() {
    guard isPresenceTrusted else { return }
    neighbours.forget()
    isPresenceTrusted = false
  }

  /// A monitor with the same fences and presences and another policy, without the track and passes
  /// in progress. The scales of the receivers stay.
  /// - Complexity: O(fences), without building the index anew.
  package func restarted(policy: MonitorPolicy) -> FenceMonitor {
    var fresh = FenceMonitor(policy: policy, track: track.restarted())
    fresh.index = index
    fresh.phases = phases
    for id in phases.indices where phases[id] != .vacant {
      fresh.setPresence(presence(of: FenceID(id)), of: FenceID(id))
    }
    return fresh
  }

  /// The next samples are of this receiver.
  package mutating func follow(_ receiver: ReceiverID) { track.follow(receiver) }

  /// Takes a sample in and appends what it decides: departures, then arrivals, then passes, each
  /// by fence. A sample that is not newer than the one before is ignored.
  /// - Complexity: O(1) inside the safe ball, else O(fences whose edge is near + fences inside or
  ///   undecided), and now and then O(levels + fences within the reach of the neighbour list).
  package mutating func process(_ sample: PositionSample, into transitions: inout [Transition]) {
    guard sample.time > track.newest else { return }
    guard !policy.isPlain else { return processExact(sample, into: &transitions) }
    if let eph = sample.eph, eph > policy.maximumError { return }
    guard let belief = track.take(sample, fastest: policy.plausibleSpeed) else { return }
    if !safeBall.contains(belief.place, variance: belief.variance) {
      var evaluation = Evaluation(sample: sample, place: belief.place)
      evaluation.sigma = belief.sigma
      evaluation.isLone = belief.isLone
      // A jump has no way.
      if belief.isGoing, belief.end != .jump {
        evaluation.leg = leg(to: sample, longest: 3 * max(1, belief.interval))
      }
      check(evaluation, into: &transitions)
    }
    track.former = (belief.place, sample.time, belief.isGoing)
  }

  /// Takes in a sample that is the truth.
  private mutating func processExact(
    _ sample: PositionSample, into transitions: inout [Transition]
  ) {
    track.takeExact(sample)
    var evaluation = Evaluation(sample: sample, place: Vector(sample.position))
    if !safeBall.contains(evaluation.place, variance: 0) {
      evaluation.leg = leg(to: sample, longest: .infinity)
      check(evaluation, into: &transitions)
    }
    track.former = (evaluation.place, sample.time, true)
  }

  /// Where the way to a sample began; nil if it is not known: from a rest, or over more than
  /// `longest` seconds. A receiver is late now and then.
  @inline(__always)
  private func leg(to sample: PositionSample, longest: Double) -> Evaluation.Leg? {
    guard policy.reportsPasses, let former = track.former, former.isGoing else { return nil }
    let gap = sample.time - former.time
    return gap <= policy.longestLeg && gap.seconds <= longest ? former : nil
  }

  /// Evaluates the last sample for fences that were added since.
  package mutating func seed(into transitions: inout [Transition]) {
    guard let last = track.last else { return }
    var evaluation = Evaluation(sample: last, place: Vector(last.position))
    if let estimator = track.estimator {
      evaluation = Evaluation(sample: last, place: estimator.place)
      evaluation.sigma = estimator.sigma
    }
    check(evaluation, into: &transitions)
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
