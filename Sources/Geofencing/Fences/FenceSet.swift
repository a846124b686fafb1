import CivilTime
import Geodesy

/// Fences, and whether the device is in each of them.
///
/// Samples of a `Track` go in, and transitions come out. Several sets follow one track: the
/// estimate of a sample is made once, and each set only compares (`InsideProbability`).
///
/// Most samples cost one comparison. After each check of the fences the set has a *safe ball*: how
/// far from there, in any direction, the believed place can go before any decision could change.
/// There is none while the next sample alone can decide something.
package struct FenceSet: Sendable {
  package let policy: MonitorPolicy
  package private(set) var index: FenceIndex
  /// The presence at each fence; nil where no fence has the number.
  var presences: [Presence?] = []
  /// The fences of presence `inside`, in no order.
  var inside: [FenceID] = []
  /// Each check measures these.
  var pending: [PendingFence] = []
  /// Passes that are reported once the device is outside again.
  var awaited: [Transition] = []

  var safeBall = SafeBall()
  var neighbours = NeighbourList()
  /// Whether `inside` is what the neighbour list and the samples have shown: not so for a presence
  /// from before a restart, and after fences have changed.
  var isPresenceTrusted = false

  /// - Parameter radius: of all fences, in place of each one's own; see `FenceIndex`.
  package init(policy: MonitorPolicy = MonitorPolicy(), radius: Double? = nil) {
    self.policy = policy
    index = FenceIndex(radius: radius)
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
    index.insert(region, id: id)
    set(presence, of: id)
  }

  /// Removes a fence; a number without one is ignored.
  package mutating func remove(_ id: FenceID) {
    guard index.contains(id) else { return }
    index.remove(id)
    set(.unknown, of: id)
  }

  /// Sets the presence at a fence that is new, has changed or was removed, and drops its passes and
  /// what samples have shown of it. Negative numbers are ignored.
  package mutating func set(_ presence: Presence, of id: FenceID) {
    guard id >= 0 else { return }
    let presence = index.contains(id) ? presence : nil
    if presences.count <= Int(id) {
      presences.append(contentsOf: repeatElement(nil, count: Int(id) + 1 - presences.count))
    }
    let former = presences[Int(id)]
    if former == .inside { inside.removeAll { $0 == id } }
    if former != nil {
      pending.removeAll { $0.fence == id }
      awaited.removeAll { $0.fence == id }
    }
    presences[Int(id)] = presence
    note(presence, of: id)
    forgetNeighbours()
  }

  mutating func forgetNeighbours() {
    safeBall = SafeBall()
    neighbours.forget()
    isPresenceTrusted = false
  }

  private mutating func note(_ presence: Presence?, of id: FenceID) {
    if presence == .unknown { pending.append(PendingFence(fence: id)) }
    if presence == .inside { inside.append(id) }
  }

  // MARK: - Fences in common

  /// Gives the fences away, so that the fences of several sets are changed in one place. `share`
  /// brings them back.
  package mutating func release() -> FenceIndex {
    defer { index = FenceIndex(radius: index.radius) }
    return index
  }

  /// Takes fences in common with other sets, which share their memory: `set` is to follow for each
  /// that has changed.
  /// - Parameter isOutside: the device is outside of those that are new here.
  package mutating func share(_ common: FenceIndex, isOutside: Bool = false) {
    index = FenceIndex(common, radius: index.radius)
    guard isOutside, presences.count < index.circles.count else { return }
    presences += index.circles[presences.count...].map { $0.radius < 0 ? nil : .outside }
    forgetNeighbours()
  }

  /// The same fences and presences under another policy, without passes in progress.
  /// - Complexity: O(fences), without building the index anew.
  package func restarted(policy: MonitorPolicy) -> FenceSet {
    var fresh = FenceSet(policy: policy)
    fresh.index = index
    fresh.presences = presences
    for (id, presence) in presences.enumerated() { fresh.note(presence, of: FenceID(id)) }
    return fresh
  }

  /// Whether an estimate decides nothing here.
  @inline(__always)
  func isSafe(_ belief: Belief) -> Bool {
    safeBall.contains(belief.place, variance: belief.variance)
  }

  /// Follows the newest sample of a track and appends what it decides: departures, then arrivals,
  /// then passes, each by fence.
  /// - Complexity: O(1) inside the safe ball, else O(fences whose edge is near + fences inside or
  ///   undecided), and now and then O(levels + fences within the reach of the neighbour list).
  @inline(__always)
  package mutating func follow(_ track: borrowing Track, into transitions: inout [Transition]) {
    if !isSafe(track.counted), let evaluation = Evaluation(track, policy) {
      check(evaluation, into: &transitions)
    }
  }
}
