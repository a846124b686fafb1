import CivilTime
package import Containers
import Geodesy

/// The state of the device apart from fences: where it is believed to be, by the samples of all
/// receivers, and what the claims of each receiver are worth.
package struct Track: Sendable {
  /// Receivers that are not followed are remembered up to this number: their scales.
  private static let capacity = 8

  private var id = ReceiverID()
  /// Of the followed receiver.
  var noise = ReceiverNoise()
  private var others: [(id: ReceiverID, noise: ReceiverNoise)] = []
  /// Says nothing before `hasBegun`; an optional would be copied with each sample.
  private var estimator = Estimator.blank
  private var hasBegun = false
  /// The start of a way: the believed place of a sample, and whether the device was going there.
  typealias Leg = (place: Vector, time: Instant, isGoing: Bool)
  /// The newest sample that counts.
  package private(set) var last: PositionSample?
  /// The estimate after it.
  private(set) var counted = Belief.exact(Vector(x: 1, y: 0, z: 0))
  /// The leg that begins with the sample before it.
  private var former: Leg?
  /// The time of the newest sample, whether it counts or not.
  private(set) var newest = Instant(microseconds: .min)
  /// How many runs of samples were set aside and not borne out by those after them.
  private(set) var outlierCount = 0
  /// How many were borne out.
  private(set) var jumpCount = 0

  package init() {}

  /// The next samples are of this receiver.
  mutating func follow(_ next: ReceiverID) {
    guard next != id else { return }
    others.append((id, noise))
    noise = ReceiverNoise()
    if let index = others.firstIndex(where: { $0.id == next }) {
      noise = others.remove(at: index).noise
    }
    if others.count > Self.capacity { others.removeFirst() }
    id = next
  }

  /// Takes in a sample. Returns whether it counts: it does not if it is not newer than the one
  /// before, too inaccurate, or set aside.
  @inline(__always)
  mutating func follow(_ sample: PositionSample, _ policy: borrowing MonitorPolicy) -> Bool {
    guard sample.time > newest else { return false }
    if let eph = sample.eph, eph > policy.maximumError { return false }
    guard
      let belief = policy.isPlain
        ? takeExact(sample) : take(sample, fastest: policy.plausibleSpeed)
    else { return false }
    if let last { former = (counted.place, last.time, counted.isGoing) }
    last = sample
    counted = belief
    return true
  }

  /// Takes in a sample. Returns nil if it does not count: it is neither near enough to where the
  /// device should be, nor one of several that agree.
  @inline(__always)
  mutating func take(_ sample: PositionSample, fastest: Double) -> Belief? {
    newest = sample.time
    let place = Vector(sample.position)
    guard hasBegun else {
      (estimator, hasBegun) = (Estimator(place, sample, noise), true)
      return estimator.belief
    }
    guard let belief = estimator.follow(place, sample, &noise, fastest: fastest) else { return nil }
    switch belief.end {
    case nil: break
    case .jump: jumpCount += 1
    case .outlier: outlierCount += 1
    }
    return belief
  }

  /// Takes in a sample as it is.
  private mutating func takeExact(_ sample: PositionSample) -> Belief {
    newest = sample.time
    return .exact(Vector(sample.position))
  }

  /// The present estimate; nil before the first sample.
  var belief: Belief? {
    hasBegun ? estimator.belief : last.map { .exact(Vector($0.position)) }
  }

  var isInDoubt: Bool { estimator.isInDoubt }

  /// The track after times disagree: the scales of the receivers stay.
  func restarted() -> Track {
    var fresh = Track()
    (fresh.id, fresh.noise, fresh.others) = (id, noise, others)
    return fresh
  }

  /// The noise of a receiver; nil for a receiver that was not followed.
  func noise(of receiver: ReceiverID) -> ReceiverNoise? {
    if receiver == id { return noise }
    return others.first { $0.id == receiver }?.noise
  }
}

extension Track {
  /// Where the way to the newest sample began; nil if it is not known: from a rest, over a jump, or
  /// over more than three intervals, for a receiver is late now and then.
  func leg(_ policy: MonitorPolicy) -> Leg? {
    guard let last, let former, former.isGoing, counted.isGoing, counted.end != .jump else {
      return nil
    }
    let gap = last.time - former.time
    return gap <= policy.longestLeg && gap.seconds <= 3 * max(1, counted.interval) ? former : nil
  }
}

extension Track {
  /// Passes all that the next sample needs, of the followed receiver; nothing of others.
  package mutating func pass(_ tape: inout StateTape) {
    noise.pass(&tape)
    tape.pass(&hasBegun)
    guard hasBegun, !tape.hasFailed else { return }
    estimator.pass(&tape)
    tape.pass(&newest)
    // The rest of what counted last is the estimator's.
    var (isLone, hasJumped, interval) = (
      counted.isLone, counted.end == .jump, counted.interval.isFinite ? counted.interval : 0
    )
    tape.pass(&isLone)
    tape.pass(&hasJumped)
    tape.pass(&interval)
    counted = estimator.belief
    (counted.isLone, counted.end, counted.interval) = (isLone, hasJumped ? .jump : nil, interval)
    tape.pass(&last, blank: .blank) { $0.pass(&$1) }
    tape.pass(&former, blank: (counted.place, newest, false)) {
      $1.pass(&$0.place)
      $1.pass(&$0.time)
      $1.pass(&$0.isGoing)
    }
  }
}
