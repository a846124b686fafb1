package import CivilTime
package import Configuration
package import Departure

/// The section `[Route]` of `georemind.conf`, for the daemon and for `georemind-route`.
package struct RouteSettings: Equatable, Sendable {
  package static let engineKey = ConfigurationKey.scalar("Route", "Engine", default: "none")
  package static let drivingKey = ConfigurationKey.scalar("Route", "DrivingURL")
  package static let cyclingKey = ConfigurationKey.scalar("Route", "CyclingURL")
  package static let walkingKey = ConfigurationKey.scalar("Route", "WalkingURL")
  package static let keys = [engineKey, drivingKey, cyclingKey, walkingKey]

  package var engine: RoutingEngine
  /// For each mode that has one; without a slash at the end.
  package var bases: [Transport: String] = [:]

  /// Of a request to the engine. Nothing waits for the answer: meanwhile the formula counts. The
  /// unit of `georemind-route` stops after a longer time.
  package static let timeout = TimeSpan.seconds(5)

  /// nil without a routing engine.
  package init?(_ configuration: Configuration) throws {
    let none = "none"
    let words = RoutingEngine.allCases.map(\.rawValue) + [none]
    let name = configuration.string(Self.engineKey) ?? none
    guard words.contains(name) else {
      throw configuration.error(
        Self.engineKey, "'\(name)' is not one of: \(words.joined(separator: ", "))")
    }
    for (transport, key) in [
      (Transport.driving, Self.drivingKey), (.cycling, Self.cyclingKey),
      (.walking, Self.walkingKey),
    ] {
      guard let text = configuration.string(key), !text.isEmpty else { continue }
      bases[transport] = try Self.base(text, key, configuration)
    }
    guard let engine = RoutingEngine(rawValue: name) else { return nil }
    self.engine = engine
    guard !bases.isEmpty else {
      throw configuration.error(
        Self.engineKey, "needs a DrivingURL=, CyclingURL= or WalkingURL= to ask")
    }
  }

  private static func base(
    _ text: String, _ key: ConfigurationKey, _ configuration: Configuration
  ) throws -> String {
    guard text.hasPrefix("http://") || text.hasPrefix("https://"),
      !text.contains(where: { $0.isWhitespace || $0 == "?" || $0 == "#" })
    else {
      throw configuration.error(
        key, "'\(text)' is not a base URL; write it like http://localhost:5000")
    }
    var base = text[...]
    while base.hasSuffix("/") { base = base.dropLast() }
    return String(base)
  }
}
