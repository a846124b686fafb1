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
package struct FenceMonitor: Sendable {
  package internal(set) var fences: FenceSet
  package internal(set) var track = Track()

  package var policy: MonitorPolicy { fences.policy }

  package init(policy: MonitorPolicy = MonitorPolicy()) { fences = FenceSet(policy: policy) }

  /// Makes room for fences 0..<`count`.
  package mutating func reserveCapacity(_ count: Int) { fences.reserveCapacity(count) }

  /// Adds a fence, as `FenceSet.add` does.
  package mutating func add(_ region: Region, id: FenceID, presence: Presence = .unknown) {
    fences.add(region, id: id, presence: presence)
  }

  /// Removes a fence; a number without one is ignored.
  package mutating func remove(_ id: FenceID) { fences.remove(id) }

  /// A monitor with the same fences and presences and another policy, without the track and passes
  /// in progress. The scales of the receivers stay.
  /// - Complexity: O(fences), without building the index anew.
  package func restarted(policy: MonitorPolicy) -> FenceMonitor {
    var fresh = FenceMonitor(policy: policy)
    fresh.fences = fences.restarted(policy: policy)
    fresh.track = track.restarted()
    return fresh
  }

  /// The next samples are of this receiver.
  package mutating func follow(_ receiver: ReceiverID) { track.follow(receiver) }

  /// Takes a sample in and appends what it decides: departures, then arrivals, then passes, each
  /// by fence. A sample that is not newer than the one before is ignored.
  /// - Returns: whether the sample counts: then the track is for further sets of fences.
  /// - Complexity: as `FenceSet.follow`.
  @discardableResult
  package mutating func process(
    _ sample: PositionSample, into transitions: inout [Transition]
  ) -> Bool {
    guard track.follow(sample, fences.policy) else { return false }
    // Not `fences.follow`, for which the track would be copied each time.
    if !fences.isSafe(track.counted), let evaluation = Evaluation(track, policy) {
      fences.check(evaluation, into: &transitions)
    }
    return true
  }
}
