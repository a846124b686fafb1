import CivilTime
import Geodesy

extension FenceMonitor {
  /// Whether nothing is known of the surroundings and nothing is pending: so it is between two jumps, where all
  /// that counts of the next is what holds it.
  @inline(__always)
  var isAdrift: Bool {
    surroundings.isBlank && (hasSkipped || isSettled && isPresenceTrusted)
  }

  /// Whether a place is far from the last one, while `isAdrift`.
  @inline(__always)
  func isJump(to position: Coordinate) -> Bool {
    hasSkipped
      ? index.square(of: position) != lastSquare
      : surroundings.isJump(toLatitude: position.latitude)
  }

  /// A sample far from the last one, while `isAdrift`, with `MonitorPolicy.plain`: what held the last is left, what
  /// holds this one is entered, and how far the edges are is left alone until the receiver stays about.
  /// - Complexity: O(levels + fences in the cells of the place and those that held the last); O(the latter) where
  ///   no fence touches its square.
  @inline(never)
  mutating func jump(
    at time: Instant, to position: Coordinate, eph: Double?, into transitions: inout [Transition]
  ) {
    quiet.forget()
    if !hits.isEmpty { hits.removeAll(keepingCapacity: true) }
    // Where it has skipped `process` has asked.
    let square = index.square(of: position)
    let isVacant = !hasSkipped && index.isVacant(square, around: position)
    lastSquare = square
    if isVacant {
      surroundings.skip(position)
      hasSkipped = true
      return departFromInside(at: time, position, eph: eph, into: &transitions)
    }
    let direction = Vector(position)
    let isElsewhere = surroundings.jump(to: direction, position, in: index)
    index.findHolders(of: position, direction, into: &hits)
    if !inside.isEmpty {
      if isElsewhere || hits.isEmpty {
        departFromInside(at: time, position, eph: eph, into: &transitions)
      } else {
        compare(with: inside)
        departFromAll(at: time, position, eph: eph, into: &transitions)
      }
    }
    if !hits.isEmpty { arriveAtAll(at: time, position, eph: eph, into: &transitions) }
    hasSkipped = inside.isEmpty
    isSettled = true
    isPresenceTrusted = true
  }

  /// Departs from all fences.
  private mutating func departFromInside(
    at time: Instant, _ position: Coordinate, eph: Double?, into transitions: inout [Transition]
  ) {
    swap(&inside, &lingering)
    departFromAll(at: time, position, eph: eph, into: &transitions)
  }
}
