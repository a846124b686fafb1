import Geodesy
import Testing

@testable import Interchange

/// What a text in memory is read as.
struct ReadFile {
  var kind: FileKind
  var places: [PlaceEntry] = []
  var report: PlaceFile.Report?

  init(_ text: String) throws { try self.init(Array(text.utf8)) }

  init(_ bytes: [UInt8]) throws {
    let source = ByteSource(bytes: bytes, name: "f")
    kind = try FileKind.of(source)
    guard case .places(let format) = kind else { return }
    var found: [PlaceEntry] = []
    report = try PlaceFile.read(source, as: format) { found.append($0) }
    places = found
  }

  var names: [String] { places.map(\.name) }
}

/// Why a text is refused, as people are told; nil where it is not.
func refusal(_ bytes: [UInt8]) -> String? {
  do {
    _ = try ReadFile(bytes)
    return nil
  } catch {
    return "\(error)"
  }
}

func refusal(_ text: String) -> String? { refusal(Array(text.utf8)) }

func point(_ latitude: Double, _ longitude: Double) throws -> Coordinate {
  try #require(Coordinate(latitude: latitude, longitude: longitude))
}
