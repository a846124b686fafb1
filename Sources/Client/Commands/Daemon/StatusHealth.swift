import JSONText

extension StatusCommand {
  /// A short sentence for each thing that is wrong; empty while all is well.
  static func problems(_ status: JSONObject) -> [String] {
    func count(_ member: String) -> Int { status[member]?.array?.count ?? 0 }
    let lost = (status["feeds"]?.array ?? []).filter { $0["lost"]?.bool == true }
      .map { "the feed \($0["url"]?.string ?? "?") is lost" }
    let failing = (status["delivery"]?.array ?? [])
      .map { "the delivery to \($0["name"]?.string ?? "?") fails" }
    let found: [String?] = [
      status["position"]?.string == "lost" && lost.isEmpty ? "the position is lost" : nil,
      status["store_trouble"] == nil ? nil : "the store fails",
      count("configuration_errors") == 0 ? nil : "a line of the configuration is wrong",
      count("unreadable") == 0 ? nil : "a reminder cannot be read",
      status["clock_trusted"]?.bool == false ? "the clock is not trusted" : nil,
    ]
    return lost + failing + found.compactMap { $0 }
  }
}
