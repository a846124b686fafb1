package import Companion
import JSONText

/// The input and the variables of a program, for one firing.
package struct HookCall: Equatable, Sendable {
  package let firing: FiringNotice

  package init(_ firing: FiringNotice) { self.firing = firing }

  /// One line of JSON.
  package var input: [UInt8] { Array((JSONValue.object(firing.json).line + "\n").utf8) }

  /// Variables that are about this service and not about its programs.
  private static let ownVariables = ["NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"]

  /// The service's own variables and the members of the firing.
  package func environment(of service: [String]) -> [String] {
    service.filter { line in
      let name = line.prefix { $0 != "=" }
      return !name.hasPrefix("GEOREMIND_") && !Self.ownVariables.contains(String(name))
    } + environment
  }

  /// The members of the firing as variables named after them: `GEOREMIND_TITLE` and so on.
  package var environment: [String] {
    firing.json.members.compactMap { key, value in
      let text: String
      switch value {
      case .string(let value): text = value
      case .number(let value): text = value.text
      case .bool(let value): text = value ? "true" : "false"
      // Ids have no white space.
      case .array(let ids) where key == "reminder_ids":
        text = ids.compactMap(\.string).joined(separator: " ")
      case .null, .array, .object: return nil
      }
      let name = key.uppercased()
      guard
        name.utf8.allSatisfy({
          (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
        })
      else { return nil }
      return "GEOREMIND_\(name)=\(text)"
    }
  }
}
