import Bytes

/// Warnings for unknown names, with the nearest known name.
struct ConfigurationHints {
  private let keys: [ConfigurationKey]
  private let sections: [String]

  /// Keys of earlier versions, with the advice in their place.
  private static let removed: [String: String] = {
    let formula = "a trip teaches the daemon, and --travel gives a reminder its own time"
    var removed = [
      "ExcludeDeadReckoning": "use Exclude=dead-reckoning", "ExcludeManual": "use Exclude=manual",
      "ExcludeSimulated": "use Exclude=simulated",
    ]
    let parts = ["Detour", "OverheadSec", "SpeedShort", "SpeedMedium", "SpeedLong"]
    for mode in ["Walking", "Cycling", "Driving", "Boat"] {
      for part in parts + ["MediumFrom", "LongFrom"] { removed[mode + part] = formula }
    }
    return removed
  }()

  init(_ declared: [ConfigurationKey]) {
    keys = declared
    var seen: Set<String> = []
    sections = declared.map(\.section).filter { seen.insert($0).inserted }
  }

  func section(_ name: String) -> String {
    let known = sections.map { "[\($0)]" }.joined(separator: ", ")
    let hint = NearestWord.find(name, in: sections).map { "did you mean [\($0)]?" }
    return "unknown section [\(shown(name))], passed over; \(hint ?? "known are \(known)")"
  }

  func key(_ name: String, in section: String) -> String {
    let problem = "unknown key '\(shown(name))' in [\(section)], passed over"
    if let advice = Self.removed[name] { return "\(problem); \(advice)" }
    let siblings = keys.filter { $0.section == section }.map(\.name)
    if let near = NearestWord.find(name, in: siblings) {
      return "\(problem); did you mean '\(near)'?"
    }
    if let home = keys.first(where: { $0.name == name }) {
      return "\(problem); it belongs into [\(home.section)]"
    }
    return "\(problem); georemind.conf(5) lists what there is"
  }
}
