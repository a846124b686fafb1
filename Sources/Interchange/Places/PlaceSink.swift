/// Something in a file that is not taken.
package struct Refusal: Hashable, Sendable {
  /// Counted from 1.
  package let line: Int
  package let reason: String
}

/// Collects the places and refusals of the readers.
final class PlaceSink {
  /// Number of refusals listed one by one; the rest is counted.
  static let maximumRefusals = 100

  private(set) var taken = 0
  private(set) var refusals: [Refusal] = []
  private(set) var refused = 0
  /// The error of `body`; it ends the reading.
  private(set) var bodyError: (any Error)?
  private let body: (PlaceEntry) throws -> Void

  init(_ body: @escaping (PlaceEntry) throws -> Void) { self.body = body }

  func take(_ place: PlaceEntry) throws(Fault) {
    var place = place
    try place.finish()
    if place.name.isEmpty { place.name = place.category ?? "Place" }
    taken += 1
    do {
      try body(place)
    } catch {
      bodyError = error
      throw Fault("the reading was given up")
    }
  }

  func refuse(_ reason: String, line: Int) {
    refused += 1
    if refusals.count < Self.maximumRefusals {
      refusals.append(Refusal(line: line, reason: reason))
    }
  }
}
