import Companion
import Geodesy
import JSONText

/// A place as people name it: by its coordinate or by its name.
enum PlaceArgument: Equatable {
  case coordinate(Coordinate)
  case name(String)

  /// A text that is meant as a coordinate and is none is refused, and never taken for a name.
  init(_ text: String, option: String) throws(Failure) {
    do throws(CoordinateError) {
      self = .coordinate(try Coordinate(parsing: text))
    } catch {
      guard !text.allSatisfy(\.isWhitespace), !Self.resemblesCoordinate(text) else {
        throw Failure(.badData, "\(option) '\(text)' is not a coordinate: \(error)")
      }
      self = .name(text)
    }
  }

  /// The position of `here`, of a coordinate, or of a place of the daemon by name.
  static func position(
    _ text: String, option: String, _ options: CommonOptions, _ context: Context
  ) throws -> Coordinate {
    let text = try Here.resolve(text, option: option, options, context)
    switch try PlaceArgument(text, option: option) {
    case .coordinate(let coordinate): return coordinate
    case .name(let name):
      let place = try DaemonConnection(options, context)
        .call("ShowPlace", ["name": .string(name)])["place"]
      guard let position = place?.coordinate else {
        throw Failure(.badData, "\(option): the place '\(name)' has no position")
      }
      return position
    }
  }

  /// Reads a coordinate and nothing else.
  static func coordinate(_ text: String, option: String) throws(Failure) -> Coordinate {
    do throws(CoordinateError) {
      return try Coordinate(parsing: text)
    } catch {
      throw Failure(.badData, "\(option) '\(text)' is not a coordinate: \(error)")
    }
  }

  private static let words: Set<String> = [
    "n", "s", "e", "w", "o", "north", "south", "east", "west", "lat", "latitude", "lon", "long",
    "lng", "longitude", "deg", "min", "sec",
  ]

  /// True for links, and for digits with coordinate words only.
  private static func resemblesCoordinate(_ text: String) -> Bool {
    let lower = text.lowercased()
    if lower.contains("://") || lower.hasPrefix("geo:") { return true }
    guard lower.utf8.contains(where: { (0x30...0x39).contains($0) }) else { return false }
    return lower.split { !$0.isLetter }.allSatisfy { words.contains(String($0)) }
  }
}
