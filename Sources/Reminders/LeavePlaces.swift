import Geofencing

/// Some entries of a `LeaveQueue` side by side, each at a place that is its own until it is taken out; heaps
/// know them by it.
///
/// 48 bytes each.
struct LeavePlaces: Sendable {
  /// How one of them rests.
  struct Rest: Sendable {
    enum Kind: UInt8, Sendable {
      /// Nowhere: it has just come, or is being looked at.
      case none
      /// Until a moment of the time of day.
      case timed
      /// Until the clock of its grade shows so much.
      case graded
      case imminent
    }

    var kind = Kind.none
    /// That of its heap.
    var grade: UInt8 = 0
    /// Where it is among what is imminent.
    var number: Int32 = -1
  }

  private struct Place: Sendable {
    var entry: LeaveEntry
    /// Its number in the queue; −1 where the place is free.
    var index: Int32
    var rest: Rest
  }

  private var places: [Place] = []
  private var free: [Int32] = []

  /// Bytes of heap in use.
  var byteCount: Int { places.capacity * MemoryLayout<Place>.stride + free.capacity * 4 }

  /// Complexity: O(1).
  mutating func insert(_ entry: LeaveEntry, _ index: Int32) -> Int32 {
    let new = Place(entry: entry, index: index, rest: Rest())
    if let place = free.popLast() {
      places[Int(place)] = new
      return place
    }
    places.appendOnLargePages(new)
    return Int32(places.count - 1)
  }

  mutating func remove(_ place: Int32) {
    places[Int(place)].index = -1
    free.append(place)
  }

  func isFree(_ place: Int32) -> Bool { places[Int(place)].index < 0 }

  func entry(_ place: Int32) -> LeaveEntry { places[Int(place)].entry }

  /// Its number in the queue.
  func index(_ place: Int32) -> Int32 { places[Int(place)].index }

  /// The numbers in the queue of all. Complexity: O(places).
  var indices: [Int32] { places.lazy.map(\.index).filter { $0 >= 0 } }

  /// How it rests.
  subscript(place: Int32) -> Rest {
    @inline(__always) get { places[Int(place)].rest }
    @inline(__always) set { places[Int(place)].rest = newValue }
  }

  /// Has a place on its way to the processor, which will be asked for soon.
  @inline(__always)
  func askFor(_ place: Int32) { places.askFor(Int(place)) }
}
