package import Companion
package import LinuxRuntime

/// One firing as arguments of `Notify` (Desktop Notifications Specification 1.2), without the id.
package struct Notification: Equatable, Sendable {
  package enum Urgency: UInt8, Sendable {
    case low = 0
    case normal = 1
    case critical = 2
  }

  package enum Button: String, CaseIterable, Sendable {
    case done
    case snooze
  }

  package var summary: String
  /// Plain words; whoever shows it escapes them where the server reads markup.
  package var body: String
  package var urgency: Urgency
  /// A name of the icon theme.
  package var icon: String
  /// `x-georemind.arrive`: the specification keeps `x-` for a vendor's own.
  package var category: String
  package var buttons: [(button: Button, label: String)]

  package init(_ firing: FiringNotice, snoozeLabel: String) {
    let title = String(firing.title.printable.prefix(Self.longestSummary))
    summary = title.isEmpty ? "Reminder" : title
    body = String(firing.why.printable.prefix(Self.longestBody))
    urgency = Self.urgency(priority: firing.priority)
    icon = firing.event == "late" ? "appointment-missed" : "appointment-soon"
    category = "x-georemind.\(firing.event.isEmpty ? "firing" : firing.event.printable)"
    buttons = firing.reminderIDs.isEmpty ? [] : [(.done, "Done"), (.snooze, snoozeLabel)]
  }

  /// Characters; longer texts fill the screen.
  private static let longestSummary = 200
  private static let longestBody = 1_000

  /// iCalendar (RFC 5545 section 3.8.1.9) calls 1 to 4 high and 6 to 9 low.
  static func urgency(priority: Int) -> Urgency {
    switch priority {
    case 1...4: .critical
    case 6...9: .low
    default: .normal
    }
  }

  package static func == (a: Notification, b: Notification) -> Bool {
    a.summary == b.summary && a.body == b.body && a.urgency == b.urgency && a.icon == b.icon
      && a.category == b.category
      && a.buttons.elementsEqual(b.buttons) { $0.button == $1.button && $0.label == $1.label }
  }

  /// The arguments of `Notify`.
  /// - Parameters:
  ///   - replacing: the id of the notification to replace, 0 for none.
  ///   - server: the server's capabilities.
  package func arguments(replacing: UInt32, server: Capabilities) -> [BusValue] {
    var keys: [String] = []
    if server.hasActions { for (button, label) in buttons { keys += [button.rawValue, label] } }
    return [
      .string("georemind"), .uint32(replacing), .string(icon), .string(summary),
      .string(server.readsMarkup ? Self.escaped(body) : body), .strings(keys),
      .options([
        "urgency": .byte(urgency.rawValue), "category": .string(category),
        "desktop-entry": .string("georemind-notify"),
      ]),
      // The urgent stay until somebody acts; how long the others do is the desktop's to say.
      .int32(urgency == .critical ? 0 : -1),
    ]
  }

  /// Words as the specification's markup writes them.
  static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
  }

  /// The relevant part of `GetCapabilities`.
  package struct Capabilities: Equatable, Sendable {
    package var hasActions: Bool
    package var readsMarkup: Bool

    package init(_ names: [String]) {
      hasActions = names.contains("actions")
      readsMarkup = names.contains("body-markup")
    }
  }
}
