import Geodesy
import Geofencing

/// The places of a category, as all its watches share them: the fence of each, and its number in
/// the store.
struct WatchedPlaces: Sendable {
  /// The fences, with the places' own radii and shapes.
  var index = FenceIndex()
  /// The place number of each fence; rising up to `sortedCount`.
  private var numbers: [Int64] = []
  private var sortedCount = 0
  /// Fences of places added later, by place number.
  private var late: [Int64: FenceID] = [:]
  /// The edge or line that the distance of a place with a shape refers to, by place number.
  private var landmarks: [Int64: String] = [:]

  /// Present places and removed ones.
  var count: Int { numbers.count }

  /// All fences.
  var fences: Range<FenceID> { 0..<FenceID(numbers.count) }

  /// Estimated heap use besides the index in bytes.
  var byteCount: Int { numbers.capacity * 8 + late.count * 32 }

  /// Makes room for more places, by a quarter in place of Swift's double: there may be a million.
  mutating func reserve(_ more: Int) {
    let needed = numbers.count + more
    guard needed > numbers.capacity else { return }
    let room = max(needed, numbers.count * 5 / 4)
    numbers.reserveCapacity(room)
    index.reserveCapacity(room)
  }

  /// Adds or moves a place, and returns its fence.
  /// - Complexity: O(1) amortised for a rising number.
  mutating func put(_ place: NumberedPlace) -> FenceID {
    let id = fence(of: place.number) ?? FenceID(numbers.count)
    if Int(id) == numbers.count {
      let isRising = sortedCount == numbers.count && numbers.last.map { $0 < place.number } ?? true
      numbers.append(place.number)
      if isRising { sortedCount += 1 } else { late[place.number] = id }
    }
    let region =
      place.area?.region
      ?? Circle(center: place.position, radius: place.radius).map { Region.circle($0) }
    landmarks[place.number] = place.area == nil ? nil : region?.landmark
    if let region {
      index.insert(region, id: id, around: place.position)
    } else {
      index.remove(id)
    }
    return id
  }

  /// Returns the fence that a place had; nil for an unknown place.
  mutating func remove(_ number: Int64) -> FenceID? {
    guard let id = fence(of: number) else { return nil }
    index.remove(id)
    return id
  }

  func number(of fence: FenceID) -> Int64 { numbers[Int(fence)] }

  /// The reference of a distance from a place, in words.
  /// - Parameter isCircle: all places are circles around their positions.
  func landmark(of number: Int64, isCircle: Bool) -> String {
    (isCircle ? nil : landmarks[number]) ?? Region.circleLandmark
  }

  func fence(of number: Int64) -> FenceID? {
    guard sortedCount > 0, number <= numbers[sortedCount - 1] else { return late[number] }
    var low = 0
    var high = sortedCount
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] < number { low = middle + 1 } else { high = middle }
    }
    if low < sortedCount, numbers[low] == number { return FenceID(low) }
    return late[number]
  }
}
