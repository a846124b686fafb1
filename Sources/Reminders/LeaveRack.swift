import CProcessor
import Geodesy

/// Some shelves of `LeaveShelf`, and where on them the places of a `LeavePlaces` are.
struct LeaveRack: Sendable {
  /// Moments are told from a time no longer ago than this, microseconds: so single precision will do.
  private static let longestSpan: Int64 = 4_096_000_000

  /// What moments are told later by, seconds.
  struct Delay: Equatable, Sendable {
    var always = 0.0
    /// For each metre of the place's radius.
    var byRadius = 0.0
  }

  private var shelves: [LeaveShelf]
  private var delay = Delay()
  /// What moments are told from, microseconds.
  private var base: Int64 = 0
  /// Those that the last look has taken from their shelf.
  private(set) var taken: [shelf_stray] = []
  private let kernel: ShelfKernel

  init(shelves count: Int, _ kernel: ShelfKernel = ShelfKernel()) {
    shelves = Array(repeating: LeaveShelf(), count: count)
    self.kernel = kernel
  }

  /// Bytes of heap in use.
  var byteCount: Int {
    shelves.reduce(taken.capacity * MemoryLayout<shelf_stray>.stride) { $0 + $1.byteCount }
  }

  @inline(__always)
  func isEmpty(_ shelf: Int) -> Bool { shelves[shelf].isEmpty }

  /// The places on all shelves.
  var places: [Int32] { shelves.flatMap(\.places) }

  // MARK: - Coming and going

  /// Puts a place on a shelf that is on none, at an event for which the rack is settled. Complexity: O(1) amortised.
  mutating func put(_ place: Int32, on shelf: Int, _ places: inout LeavePlaces) {
    let entry = places.entry(place)
    let number = shelves[shelf].append(
      place, entry, moment: Self.moment(entry, since: base, delay))
    places[place] = .init(kind: .shelf, grade: UInt8(truncatingIfNeeded: shelf), number: number)
  }

  /// Takes a place from its shelf. Complexity: O(1).
  mutating func remove(_ place: Int32, _ places: inout LeavePlaces) {
    let rest = places[place]
    places[place] = .init()
    if let moved = shelves[Int(rest.grade)].remove(rest.number) {
      places[moved].number = rest.number
    }
  }

  // MARK: - Moments

  private static func moment(_ entry: LeaveEntry, since base: Int64, _ delay: Delay) -> Float {
    Float(Double(entry.moment - base) / 1e6 + delay.always + delay.byRadius * Double(entry.radius))
  }

  /// Tells all moments later by another time. Complexity: O(n) where it is another.
  mutating func use(_ delay: Delay, _ places: LeavePlaces) {
    guard delay != self.delay else { return }
    self.delay = delay
    setMoments(places)
  }

  /// Tells moments from now, if they are told from long ago: before something is put on a shelf.
  @inline(__always)
  mutating func settle(_ places: LeavePlaces, _ view: LeaveView) {
    let (span, isFar) = view.now.subtractingReportingOverflow(base)
    guard isFar || span.magnitude > UInt64(Self.longestSpan) else { return }
    base = view.now
    setMoments(places)
  }

  private mutating func setMoments(_ places: LeavePlaces) {
    for shelf in shelves.indices {
      shelves[shelf].setMoments { Self.moment(places.entry($0), since: base, delay) }
    }
  }

  // MARK: - Looks

  /// Takes what does not stay from a shelf, and tells of the rest. Each that is taken is to be put elsewhere, or told
  /// that it rests nowhere; the rack is settled. Complexity: O(those on it).
  mutating func look(
    at shelf: Int, _ bounds: shelf_bounds, _ places: inout LeavePlaces,
    _ reckoning: LeaveReckoning, _ view: LeaveView, _ here: Direction
  ) -> shelf_sight {
    settle(places, view)
    if !taken.isEmpty { taken.removeAll(keepingCapacity: true) }
    let sight = shelves.span[shelf].look(
      shelf_view(
        now: Float(Double(view.now - base) / 1e6), x: Float(here.x), y: Float(here.y),
        z: Float(here.z)),
      reckoning, bounds, kernel, into: &taken)
    if sight.strays == 0 { return sight }
    // They, and those that get their numbers, are asked for all at once: memory gives many lines in little more time
    // than one.
    for one in taken { places.askFor(one.place) }
    if taken.count == shelves[shelf].places.count {
      shelves[shelf].removeAll()
    } else {
      for place in shelves[shelf].places.suffix(taken.count) { places.askFor(place) }
      shelves[shelf].remove(taken)
      places.renumber(shelves[shelf].places, taken)
    }
    return sight
  }
}
