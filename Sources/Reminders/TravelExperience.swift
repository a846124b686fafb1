/// What own trips have taught: for each mode of transport how long the latest of them took over what
/// the mode's profile says, its overhead aside.
///
/// The factor in force is the median, so that a trip with a stop on the way, or one of five with the
/// tram, changes little; it needs three trips to begin with.
package struct TravelExperience: Equatable, Sendable {
  /// The latest ratios of each mode, oldest first.
  private var ratios: [Reminder.Transport: [Double]] = [:]

  /// Trips that are remembered for each mode.
  package static let longest = 15
  /// Trips that it takes to say anything.
  package static let fewest = 3
  /// A trip outside was none of this mode, or not on the direct way.
  package static let plausible = 1.0 / 3...3.0
  /// The factor in force stays within.
  package static let factors = 0.5...2.0

  package init() {}

  package var isEmpty: Bool { ratios.isEmpty }

  /// The ratios of one mode, oldest first.
  package func ratios(of transport: Reminder.Transport) -> [Double] { ratios[transport] ?? [] }

  /// Notes a trip; what is not plausible is passed over. Says whether it was taken.
  @discardableResult
  package mutating func add(_ ratio: Double, by transport: Reminder.Transport) -> Bool {
    guard Self.plausible.contains(ratio) else { return false }
    var known = ratios(of: transport)
    known.append(ratio)
    ratios[transport] = Array(known.suffix(Self.longest))
    return true
  }

  /// Forgets one mode, or all of them.
  package mutating func forget(_ transport: Reminder.Transport?) {
    if let transport { ratios[transport] = nil } else { ratios = [:] }
  }

  /// nil while there are too few trips. Complexity: O(n log n) of the trips remembered.
  package func factor(of transport: Reminder.Transport) -> (factor: Double, trips: Int)? {
    let sorted = ratios(of: transport).sorted()
    guard sorted.count >= Self.fewest else { return nil }
    let middle = sorted.count / 2
    let median =
      sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    return (min(max(median, Self.factors.lowerBound), Self.factors.upperBound), sorted.count)
  }
}
