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
  package let policy: MonitorPolicy
  var index = FenceIndex()
  /// The presence at each fence; nil where no fence has the number.
  var presences: [Presence?] = []
  /// The fences of presence `inside`, in no order.
  var inside: [FenceID] = []
  /// Each check measures these.
  var pending: [PendingFence] = []
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
    presences.reserveCapacity(count)
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
    while presences.count <= Int(id) { presences.append(nil) }
    index.insert(region, id: id)
    setPresence(presence, of: id)
    forgetNeighbours()
  }

  /// Sets the presence at a fence that is in none of the lists.
  private mutating func setPresence(_ presence: Presence, of id: FenceID) {
    presences[Int(id)] = presence
    if presence == .unknown { pending.append(PendingFence(fence: id)) }
    if presence == .inside { inside.append(id) }
  }

  /// Removes a fence; a number without one is ignored.
  package mutating func remove(_ id: FenceID) {
    guard index.contains(id) else { return }
    if presences[Int(id)] == .inside { inside.removeAll { $0 == id } }
    presences[Int(id)] = nil
    pending.removeAll { $0.fence == id }
    awaited.removeAll { $0.fence == id }
    forgetNeighbours()
    index.remove(id)
  }

  private mutating func forgetNeighbours() {
    safeBall = SafeBall()
    neighbours.forget()
    isPresenceTrusted = false
  }

  /// A monitor with the same fences and presences and another policy, without the track and passes
  /// in progress. The scales of the receivers stay.
  /// - Complexity: O(fences), without building the index anew.
  package func restarted(policy: MonitorPolicy) -> FenceMonitor {
    var fresh = FenceMonitor(policy: policy, track: track.restarted())
    fresh.index = index
    fresh.presences = presences
    for (id, presence) in presences.enumerated() {
      if let presence { fresh.setPresence(presence, of: FenceID(id)) }
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
    if let eph = sample.eph, eph > policy.maximumError { return }
    guard
      let belief = policy.isPlain
        ? track.takeExact(sample) : track.take(sample, fastest: policy.plausibleSpeed)
    else { return }
    if !safeBall.contains(belief.place, variance: belief.variance) {
      let leg = leg(to: sample, belief)
      check(evaluation(of: sample, belief, leg: leg), into: &transitions)
    }
    track.former = (belief.place, sample.time, belief.isGoing)
  }

  private func evaluation(
    of sample: PositionSample, _ belief: Belief, leg: Track.Leg? = nil
  ) -> Evaluation {
    Evaluation(
      sample: sample, place: belief.place,
      position: policy.isPlain ? sample.position : belief.place.coordinate, sigma: belief.sigma,
      isLone: belief.isLone, leg: leg)
  }

  /// Where the way to a sample began; nil if it is not known: from a rest, over a jump, or over
  /// more than three intervals, for a receiver is late now and then.
  private func leg(to sample: PositionSample, _ belief: Belief) -> Track.Leg? {
    guard let former = track.former, former.isGoing, belief.isGoing, belief.end != .jump else {
      return nil
    }
    let gap = sample.time - former.time
    return gap <= policy.longestLeg && gap.seconds <= 3 * max(1, belief.interval) ? former : nil
  }

  /// Evaluates the last sample for fences that were added since.
  package mutating func seed(into transitions: inout [Transition]) {
    guard let last = track.last, let belief = track.belief else { return }
    check(evaluation(of: last, belief), into: &transitions)
  }
}
