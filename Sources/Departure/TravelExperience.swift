/// The user's own trips: for each mode of transport the ratios of their times to the time of the
/// mode's profile, without the overhead.
///
/// The factor in force is the median, so a trip with a stop, or one of five by tram, changes
/// little. It needs three trips.
package struct TravelExperience: Equatable, Sendable {
  /// The latest ratios of each mode, oldest first.
  private var ratios: [Transport: [Double]] = [:]

  /// Trips stored for each mode.
  package static let longest = 15
  /// Trips that a factor needs.
  package static let fewest = 3
  /// A trip with another ratio used another mode, or made a detour.
  package static let plausible = 1.0 / 3...3.0
  /// Limits of the factor in force.
  package static let factors = 0.5...2.0

  package init() {}

  package var isEmpty: Bool { ratios.isEmpty }

  /// The ratios of one mode, oldest first.
  package func ratios(of transport: Transport) -> [Double] { ratios[transport] ?? [] }

  /// Adds a trip; false for a ratio that is not plausible.
  @discardableResult
  package mutating func add(_ ratio: Double, by transport: Transport) -> Bool {
    guard Self.plausible.contains(ratio) else { return false }
    var known = ratios(of: transport)
    known.append(ratio)
    ratios[transport] = Array(known.suffix(Self.longest))
    return true
  }

  /// Removes the trips of one mode, or all.
  package mutating func forget(_ transport: Transport?) {
    if let transport { ratios[transport] = nil } else { ratios = [:] }
  }

  /// nil while there are too few trips.
  /// - Complexity: O(n log n) for n stored trips.
  package func factor(of transport: Transport) -> (factor: Double, trips: Int)? {
    let sorted = ratios(of: transport).sorted()
    guard sorted.count >= Self.fewest else { return nil }
    let middle = sorted.count / 2
    let median =
      sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    return (min(max(median, Self.factors.lowerBound), Self.factors.upperBound), sorted.count)
  }
}
