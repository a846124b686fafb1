import JSONText

/// The daemon's health in the text format of OpenMetrics 1.0 (https://openmetrics.io), which
/// Prometheus and the textfile collector of node_exporter read.
struct Metrics {
  private(set) var text = ""

  private enum Kind: String {
    case counter
    case gauge
  }

  /// One value, with the name and value of its label.
  private typealias Sample = (label: (name: String, value: String)?, value: Double?)

  /// - Parameters:
  ///   - status: the answer of `Status`.
  ///   - deliveries: the answer of `ListConsumers`.
  init(_ status: JSONObject, _ deliveries: JSONObject) {
    let feeds = status["feeds"]?.array ?? []
    let consumers = deliveries["consumers"]?.array ?? []
    func each(
      _ rows: [JSONValue], _ label: String, by name: String, _ value: (JSONValue) -> Double?
    ) -> [Sample] {
      rows.map { ((label, $0[name]?.string ?? ""), value($0)) }
    }
    func one(_ value: Double?) -> [Sample] { [(nil, value)] }
    add("up", .gauge, "1 while the daemon answers.", one(1))
    add(
      "fixes", .counter, "Fixes of a feed.",
      each(feeds, "feed", by: "url") { $0["fixes"]?.double })
    add(
      "feed_lost", .gauge, "1 while a feed is lost.",
      each(feeds, "feed", by: "url") { $0["lost"]?.bool == true ? 1 : 0 })
    add("fix_age_seconds", .gauge, "Age of the last fix.", one(status["fix"]?["age_s"]?.double))
    add("fix_error_meters", .gauge, "Error of the last fix.", one(status["fix"]?["eph_m"]?.double))
    add("reminders", .gauge, "Reminders in the store.", one(status["reminders"]?.double))
    add("reminders_armed", .gauge, "Reminders that wait.", one(status["armed"]?.double))
    add("firings", .counter, "Firings in the ledger.", one(deliveries["head"]?.double))
    add(
      "firings_late", .counter, "Late firings since the start.",
      one(status["late_firings"]?.double))
    add(
      "lateness_seconds", .counter, "By how much firings were late since the start, together.",
      one(status["late_s"]?.double))
    add(
      "deliveries_waiting", .gauge, "Firings that wait for a destination.",
      each(consumers, "destination", by: "name") { $0["waiting"]?.double })
    add(
      "delivery_failures", .gauge, "Failed tries of the next firing of a destination.",
      each(consumers, "destination", by: "name") { $0["tries"]?.double })
    add(
      "store_failing", .gauge, "1 while the store fails.",
      one(status["store_trouble"] == nil ? 0 : 1))
    add(
      "clock_trusted", .gauge, "1 while the clock is trusted.",
      one(status["clock_trusted"]?.bool == false ? 0 : 1))
    add(
      "resident_memory_bytes", .gauge, "Resident memory of the daemon.",
      one(status["memory_bytes"]?.double))
    text += "# EOF\n"
  }

  /// Adds a family of metrics; none without a value.
  private mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    guard samples.contains(where: { $0.value != nil }) else { return }
    text += "# TYPE georemind_\(name) \(kind.rawValue)\n# HELP georemind_\(name) \(help)\n"
    for sample in samples {
      guard let value = sample.value else { continue }
      let label = sample.label.map { "{\($0.name)=\"\(Self.escaped($0.value))\"}" } ?? ""
      let suffix = kind == .counter ? "_total" : ""
      let number = Int(exactly: value).map { "\($0)" } ?? "\(value)"
      text += "georemind_\(name)\(suffix)\(label) \(number)\n"
    }
  }

  /// A label's value, as section 4 of OpenMetrics has it.
  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { escaped, character in
      switch character {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.append(character)
      }
    }
  }
}
