import Configuration

/// Events that start a hook: words of `Events=`.
package enum HookEvent: String, CaseIterable, Sendable {
  case firing
  case positionLost = "position-lost"
  case feedLost = "feed-lost"
  case storeFailure = "store-failure"

  /// Several words, separated by commas or spaces.
  static let form = SettingForm<Set<HookEvent>>(
    "a list of: \(allCases.map(\.rawValue).joined(separator: ", "))"
  ) { text in
    let words = text.split { $0 == "," || $0 == " " }
    let events = words.compactMap { HookEvent(rawValue: String($0)) }
    return events.count == words.count && !events.isEmpty ? Set(events) : nil
  }
}
