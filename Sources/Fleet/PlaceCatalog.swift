package import Geodesy
import Reminders

/// The places of the categories that reminders of all devices share.
package struct PlaceCatalog: Sendable {
  private var places: [String: [NumberedPlace]] = [:]
  private var names: [Int64: String] = [:]

  package init() {}

  /// Adds a circle; the numbers rise. A place that no circle can be is left out.
  package mutating func add(
    number: Int64, name: String, category: String, position: Coordinate, radius: Double
  ) {
    names[number] = name
    places[Self.folded(category), default: []].append(
      NumberedPlace(number: number, position: position, radius: radius))
  }

  func places(of category: String) -> [NumberedPlace] { places[Self.folded(category)] ?? [] }

  func name(_ number: Int64) -> String { names[number] ?? "place \(number)" }

  /// ASCII letters in lower case, as the engine compares categories.
  private static func folded(_ text: String) -> String {
    String(decoding: text.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
