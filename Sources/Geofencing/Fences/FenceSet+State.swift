import CivilTime
package import Containers
import Geodesy

extension FenceSet {
  /// Passes the presence at each fence, and what samples have shown of it. A set that is read has
  /// its fences already. The device is outside of each that the tape does not name.
  /// - Parameters:
  ///   - name: of a fence on the tape.
  ///   - fence: of a name; nil for an unknown one.
  package mutating func pass(
    _ tape: inout StateTape, name: (FenceID) -> Int64, fence: (Int64) -> FenceID?
  ) {
    // They have no order there; with one, equal states are equal tapes.
    var within = inside.map(name).sorted()
    var undecided = pending.map { next in
      Undecided(
        name: name(next.fence), presence: presences[Int(next.fence)] ?? .unknown, next: next)
    }
    undecided.sort { $0.name < $1.name }
    var passes = awaited.map { (name: name($0.fence), pass: $0) }
    passes.sort { $0.name < $1.name }
    tape.pass(&within, blank: 0) { $1.pass(&$0) }
    tape.pass(&undecided, blank: Undecided()) { $0.pass(&$1) }
    tape.pass(&passes, blank: (0, Transition(.pass, 0, .blank))) {
      $1.pass(&$0.name)
      $0.pass.pass(&$1)
    }
    guard tape.isReading, !tape.hasFailed else { return }
    for id in inside + pending.map(\.fence) where presences[Int(id)] != nil {
      presences[Int(id)] = .outside
    }
    inside = within.compactMap(fence).filter { index.contains($0) }
    for id in inside { presences[Int(id)] = .inside }
    pending = []
    for var item in undecided {
      guard let id = fence(item.name), index.contains(id) else { continue }
      presences[Int(id)] = item.presence
      item.next.fence = id
      pending.append(item.next)
    }
    awaited = passes.compactMap { name, pass in
      guard let id = fence(name), index.contains(id) else { return nil }
      var pass = pass
      pass.fence = id
      return pass
    }
    forgetNeighbours()
  }

  private struct Undecided {
    var name: Int64 = 0
    var presence = Presence.unknown
    var next = PendingFence(fence: 0)

    mutating func pass(_ tape: inout StateTape) {
      tape.pass(&name)
      tape.pass(&presence)
      tape.pass(&next.wasInside, blank: false) { $1.pass(&$0) }
      tape.pass(&next.wasOutside)
    }
  }
}

extension Transition {
  /// All but the fence and the kind.
  fileprivate mutating func pass(_ tape: inout StateTape) {
    tape.pass(&time)
    tape.pass(&position)
    tape.pass(&eph)
  }
}
