import CivilTime
import JSONText
import Reminders

extension DaemonConnection {
  /// Members of a reminder in which a time without a zone is meant by the client's clocks.
  private static let times = ["due", "from", "until"]

  /// The name of the zone of the daemon's clocks; nil where the daemon does not answer it.
  private var zoneName: String? {
    (try? call("Status"))?["status"]?["time_zone"]?.string
  }

  /// The zone of the daemon's clocks; nil where it is not known here.
  func zone(_ context: Context) -> TimeZoneRules? {
    zoneName.flatMap { try? context.zone(named: $0) }
  }

  /// A typed document in which times without a zone mean in the daemon's zone what they mean in the
  /// client's. Where both agree they stay without one, and follow the daemon's zone.
  func inItsZone(_ document: JSONObject, _ context: Context) throws -> JSONObject {
    let stamps = Self.times.compactMap { name -> (name: String, local: LocalDateTime)? in
      guard let text = document[name]?.string,
        case .floating(let local)? = try? TimeStamp(parsing: text)
      else { return nil }
      return (name, local)
    }
    let own = try context.zone()
    guard !stamps.isEmpty, let name = zoneName, name != own.name
    else { return document }
    let other = try? context.zone(named: name)
    var document = document
    for (name, local) in stamps where other?.instant(of: local) != own.instant(of: local) {
      document[name] = .string(own.instant(of: local).json)
      // A series goes on by the clocks that it was typed by.
      if name == "due", document["repeat"]?.string != nil, document["zone"] == nil,
        NamedZone.find(own.name) != nil
      {
        document["zone"] = .string(own.name)
      }
    }
    return document
  }
}
