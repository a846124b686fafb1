import Companion
import Geodesy
import JSONText

/// The word `here` for the current fix, wherever a place or coordinate is taken.
enum Here {
  private static func isMeant(_ text: String) -> Bool {
    text.lowercased().filter { !$0.isWhitespace } == "here"
  }

  /// The coordinate of the current fix in place of `here`, with a note of its age and accuracy; any
  /// other text as it is.
  static func resolve(
    _ text: String, option: String, _ options: CommonOptions, _ context: Context
  ) throws -> String {
    guard isMeant(text) else { return text }
    let daemon = try DaemonConnection(options, context)
    let answer = try daemon.call("Where")
    let status = try daemon.call("Status")["status"]?.object ?? JSONObject()
    guard let here = CurrentPosition(answer) else {
      throw Failure(
        .badData, "\(option) 'here': there is no fix yet\(cause(status)); see 'georemind status'")
    }
    let position = here.position.formatted(.decimalDegrees)
    let accuracy = try here.error.map { "±\(try context.display().length($0))" }
    let details = [answer["age_s"]?.double.map { "\(Answer.age($0)) old" }, accuracy]
      .compactMap { $0 }.joined(separator: ", ")
    guard status["position"]?.string != "lost" else {
      throw Failure(
        .badData,
        "\(option) 'here': the position is lost, and the last fix is \(details); "
          + "give a coordinate, or see 'georemind status'")
    }
    try context.note("note: here is \(position)\(details.isEmpty ? "" : ", \(details)")")
    return position
  }

  /// The condition of the feeds, as a reason.
  private static func cause(_ status: JSONObject) -> String {
    let feeds = status["feeds"]?.array ?? []
    guard let feed = feeds.first else { return ", for there is no feed" }
    let condition = (feed["condition"] ?? feed["state"])?.string
    return condition.map { " (\(feed["url"]?.string ?? "feed"): \($0))" } ?? ""
  }
}
