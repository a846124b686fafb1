import CProcessor
import Geodesy
import Geofencing

/// Some shelves of `LeaveShelf`, with reminders of a `LeaveQueue` by their numbers there.
///
/// Nothing knows on which shelf one of them is, nor where on it: most go from one shelf to the next until they are given
/// out, many at once, and the few that are taken away before are searched for.
struct LeaveRack: Sendable {
  /// Moments are told from a time no longer ago than this, microseconds: so single precision will do.
  private static let longestSpan: Int64 = 4_096_000_000
  /// Beyond this a moment is told anew from its entry when the others are shifted, seconds.
  private static let longestShift: Float = 65_536

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

  /// Those on all shelves.
  var indices: [Int32] { shelves.flatMap(\.indices) }

  /// Which shelf one is on; nil where it is on none. Complexity: O(n).
  func shelf(of index: Int32) -> Int? { shelves.firstIndex { $0.indices.contains(index) } }

  // MARK: - Coming and going

  /// Puts one on a shelf that is on none, at an event for which the rack is settled. Complexity: O(1) amortised.
  mutating func put(_ index: Int32, _ entry: LeaveEntry, on shelf: Int) {
    shelves[shelf].append(
      index, x: entry.x, y: entry.y, z: entry.z, moment: Self.moment(entry, since: base, delay))
  }

  /// Puts one on a shelf that the last look has taken. Complexity: O(1) amortised.
  mutating func put(_ one: shelf_stray, on shelf: Int) {
    shelves[shelf].append(one.index, x: one.x, y: one.y, z: one.z, moment: one.moment)
  }

  /// Takes one from its shelf; harmless where it is on none. Complexity: O(n).
  mutating func remove(_ index: Int32) {
    for shelf in shelves.indices where shelves[shelf].remove(index) { return }
  }

  /// Takes all away, and answers which they are. Complexity: O(n).
  mutating func removeAll() -> [Int32] {
    let all = indices
    for shelf in shelves.indices { shelves[shelf].removeAll() }
    return all
  }

  // MARK: - Moments

  /// But for what all are told later by: a look is earlier by that.
  private static func moment(_ entry: LeaveEntry, since base: Int64, _ delay: Delay) -> Float {
    Float(Double(entry.moment - base) / 1e6 + delay.byRadius * Double(entry.radius))
  }

  /// Tells all moments later by another time. Complexity: O(n) where it is another for each metre, else O(1).
  mutating func use(_ delay: Delay, _ entries: [LeaveEntry]) {
    let isOther = delay.byRadius != self.delay.byRadius
    self.delay = delay
    if isOther { setMoments(entries) }
  }

  /// Whether moments are told from now, or not long ago: it must be so when something is put on a shelf or looked at.
  @inline(__always)
  func isSettled(_ view: LeaveView) -> Bool {
    let (span, isFar) = view.now.subtractingReportingOverflow(base)
    return !isFar && span.magnitude <= UInt64(Self.longestSpan)
  }

  /// Tells moments from a little before now where they are told from long ago. Complexity: O(1), and O(n) once in an hour.
  /// - Parameter entries: those of the queue.
  @inline(__always)
  mutating func settle(_ entries: [LeaveEntry], _ view: LeaveView) {
    if !isSettled(view) { shift(entries, view) }
  }

  /// Most are shifted by whole spans, without a look at their entries, whose lines of memory are far. That loses nothing,
  /// for a number that comes nearer to 0 keeps its last digit; what is past already loses half a digit of the longest
  /// shift at most, less than is allowed for.
  private mutating func shift(_ entries: [LeaveEntry], _ view: LeaveView) {
    let (span, isFar) = view.now.subtractingReportingOverflow(base)
    let spans = span / Self.longestSpan
    guard !isFar, spans >= 0, spans * Self.longestSpan <= Int64(Self.longestShift) * 1_000_000
    else {
      base = view.now
      return setMoments(entries)
    }
    base += spans * Self.longestSpan
    let shift = Float(spans * Self.longestSpan / 1_000_000)
    for shelf in shelves.indices {
      shelves[shelf].shiftMoments(by: shift, upTo: Self.longestShift) {
        Self.moment(entries[Int($0)], since: base, delay)
      }
    }
  }

  private mutating func setMoments(_ entries: [LeaveEntry]) {
    for shelf in shelves.indices {
      shelves[shelf].setMoments { Self.moment(entries[Int($0)], since: base, delay) }
    }
  }

  // MARK: - Looks

  /// Takes what does not stay from a shelf, and tells of the rest. Each that is taken is to be put elsewhere; the rack is
  /// settled. Complexity: O(those on it).
  mutating func look(
    at shelf: Int, _ bounds: shelf_bounds, _ reckoning: LeaveReckoning, _ view: LeaveView,
    _ here: Direction
  ) -> shelf_sight {
    assert(isSettled(view), "moments from long ago")
    if !taken.isEmpty { taken.removeAll(keepingCapacity: true) }
    let sight = shelves.span[shelf].look(
      shelf_view(
        now: Float(Double(view.now - base) / 1e6 - delay.always), x: Float(here.x),
        y: Float(here.y), z: Float(here.z)),
      reckoning, bounds, kernel, into: &taken)
    if sight.strays > 0 { shelves[shelf].remove(taken) }
    return sight
  }
}
