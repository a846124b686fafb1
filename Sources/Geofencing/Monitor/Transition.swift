package import CivilTime
package import Containers
package import Geodesy

/// The slot number of a fence, chosen by the caller: 0 or more, and dense, for it is an index
/// into arrays. A number is free again once its fence has been removed.
package typealias FenceID = Int32

/// Where the receiver is known to be with respect to a fence.
package enum Presence: UInt8, Sendable {
  /// Not yet decided.
  case unknown
  case outside
  case inside
}

/// The parts of a fix that the monitor needs.
package struct PositionSample: Equatable, Sendable {
  package var position: Coordinate
  /// Time of the fix; a sample that is not newer than the one before is ignored.
  package var time: Instant
  /// Horizontal error in metres, 95 %; nil where unknown.
  package var eph: Double?
  /// Over ground, m/s; nil where unknown.
  package var speed: Double?

  package init(time: Instant, position: Coordinate, eph: Double? = nil, speed: Double? = nil) {
    self.time = time
    self.position = position
    self.eph = eph
    self.speed = speed
  }
}

/// One decision of the monitor about one fence.
package struct Transition: Equatable, Sendable {
  package enum Kind: UInt8, Sendable {
    /// Was inside, is outside.
    case depart
    /// Crossed between two samples without having been seen to stay: an arrival and a departure.
    case pass
    /// Was outside, is inside.
    case arrive
    /// Nothing was known, and the first samples are inside: no arrival.
    case found
  }

  /// The time of the sample that decided. Of a pass, the moment nearest
  /// the centre of a circle or the line of a corridor, or amid the longest stretch in a polygon.
  package var time: Instant
  /// The position that belongs to `time`.
  package var position: Coordinate
  /// The error of the sample that decided, as it was given.
  package var eph: Double?
  package var kind: Kind
  package var fence: FenceID

  package init(fence: FenceID, kind: Kind, time: Instant, position: Coordinate, eph: Double?) {
    self.fence = fence
    self.kind = kind
    self.time = time
    self.position = position
    self.eph = eph
  }
}

extension PositionSample {
  package mutating func pass(_ tape: inout StateTape) {
    tape.pass(&time)
    tape.pass(&position)
    tape.pass(&eph)
    tape.pass(&speed)
  }

  /// A sample that is to be read.
  package static let blank = PositionSample(time: Instant(microseconds: 0), position: .origin)
}

extension Transition {
  /// A transition at a sample.
  init(_ kind: Kind, _ fence: FenceID, _ sample: PositionSample) {
    self.init(
      fence: fence, kind: kind, time: sample.time, position: sample.position, eph: sample.eph)
  }

  /// The order of the transitions of one sample: departures, arrivals (`found` is one of them),
  /// passes, and by fence within each.
  package static func precedes(_ a: Transition, _ b: Transition) -> Bool {
    (a.rank, a.fence) < (b.rank, b.fence)
  }

  private var rank: Int { kind == .depart ? 0 : kind == .pass ? 2 : 1 }
}
