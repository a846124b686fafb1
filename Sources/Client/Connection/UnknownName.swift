import Control
import JSONText

/// A name or id that the daemon does not know.
struct UnknownName: Error, Equatable, CustomStringConvertible {
  enum Kind: String {
    case reminder, place, category, destination
  }

  /// Kind of a parameter `name`, by the end of the method.
  private static let kinds: KeyValuePairs<String, Kind> = [
    "Category": .category, "Consumer": .destination, "Consumers": .destination,
    "SkipFiring": .destination,
  ]

  let kind: Kind
  let name: String

  /// - Parameters:
  ///   - parameters: of the failed call; the parameter with the name says its kind.
  ///   - method: the kind of a parameter `name`.
  init?(_ error: VarlinkError, method: String, _ parameters: JSONObject) {
    guard case .notFound(let name)? = GeoremindError(error) else { return nil }
    self.name = name
    let reminder = parameters["reminder"] ?? parameters["changes"]
    if parameters["category"]?.string == name || reminder?["category"]?.string == name {
      kind = .category
    } else if reminder?["place"]?.string == name || parameters["into"]?.string == name {
      kind = .place
    } else if parameters["name"]?.string == name {
      kind = Self.kinds.first { method.hasSuffix($0.key) }?.value ?? .place
    } else if parameters["id"]?.string == name || parameters["reminder"]?.string == name {
      kind = .reminder
    } else {
      return nil
    }
  }

  var description: String {
    let lists: [Kind: String] = [
      .reminder: "list", .place: "place list", .destination: "delivery", .category: "category list",
    ]
    return "there is no \(kind) '\(name)'; 'georemind \(lists[kind] ?? "list")' shows all"
  }
}
