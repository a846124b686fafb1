import Control
import JSONText

/// A name or id that the daemon does not know.
struct UnknownName: Error, Equatable, CustomStringConvertible {
  let subject: GeoremindSubject
  let name: String
  /// The method that was called with the name.
  private let method: GeoremindMethod
  /// A known name that is much like it.
  var suggestion: String?

  /// - Parameter parameters: of the failed call; the parameter with the name says what it names.
  init?(_ error: VarlinkError, method: GeoremindMethod, _ parameters: JSONObject) {
    guard case .notFound(let name)? = GeoremindError(error) else { return nil }
    self.name = name
    self.method = method
    func isGiven(_ object: JSONValue?, _ members: String...) -> Bool {
      members.contains { object?[$0]?.string == name }
    }
    let (given, reminder) = (JSONValue.object(parameters), parameters["reminder"])
    let document = reminder ?? parameters["changes"]
    if isGiven(given, "category") || isGiven(document, "category") {
      subject = .category
    } else if isGiven(document, "place") || isGiven(given, "into") {
      subject = .place
    } else if isGiven(given, "name", "id", "who", "trip", "reminder") {
      subject = method.subject
    } else {
      return nil
    }
  }

  /// The command that adds a category of this name; nil where a search named it.
  private var remedy: String? {
    guard subject == .category, [.addPlace, .editPlace, .add, .edit].contains(method) else {
      return nil
    }
    let typed = name.contains(where: \.isWhitespace) ? "\"\(name)\"" : name
    return "'georemind category add \(typed)' adds it"
  }

  var description: String {
    let hint = suggestion.map { "did you mean '\($0)'?" }
    let list = subject.listing.map { "'georemind \($0)' shows all" }
    let ways = [list, remedy].compactMap { $0 }.joined(separator: ", ")
    return "\(subject.unknown(name)); " + [hint, ways].compactMap { $0 }.joined(separator: " ")
  }
}
