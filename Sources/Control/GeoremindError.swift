import JSONText

/// The errors of `org.georemind`, for both ends.
package enum GeoremindError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Nothing has this id or name.
  case notFound(id: String)
  /// An id prefix that several reminders share.
  case ambiguous(id: String, candidates: [String])
  /// A reminder that cannot be: the member at fault (`place.lat`, `[3].due`) and why.
  case invalidReminder(field: String, reason: String)
  /// A place or category that reminders (their ids) still name.
  case inUse(name: String, reminders: [String])
  case alreadyExists(name: String)
  case storeFailure(reason: String)
  /// The caller, or the configuration, does not allow it.
  case refusedByPolicy(reason: String)
  /// The reminder's state does not allow the call, such as a snooze after completion.
  case wrongState(id: String, state: String)
  /// A reminder is no more as the change left it that should be taken back: it was changed, was
  /// removed, or has fired.
  case changedSince(id: String, title: String, how: String)
  /// The token is of no link, or its link has ended.
  case invalidLink

  /// nil for other errors.
  package init?(_ error: VarlinkError) {
    func text(_ key: String) -> String { error.parameters[key]?.string ?? "?" }
    func texts(_ key: String) -> [String] {
      error.parameters[key]?.array?.compactMap(\.string) ?? []
    }
    let (interface, member) = VarlinkCall.split(error.name)
    guard interface == GeoremindInterface.name else { return nil }
    switch member {
    case "NotFound": self = .notFound(id: text("id"))
    case "Ambiguous": self = .ambiguous(id: text("id"), candidates: texts("candidates"))
    case "InvalidReminder":
      self = .invalidReminder(field: text("field"), reason: text("reason"))
    case "InUse": self = .inUse(name: text("name"), reminders: texts("reminders"))
    case "AlreadyExists": self = .alreadyExists(name: text("name"))
    case "StoreTrouble": self = .storeFailure(reason: text("reason"))
    case "RefusedByPolicy": self = .refusedByPolicy(reason: text("reason"))
    case "WrongState": self = .wrongState(id: text("id"), state: text("state"))
    case "ChangedSince":
      self = .changedSince(id: text("id"), title: text("title"), how: text("how"))
    case "InvalidLink": self = .invalidLink
    default: return nil
    }
  }

  /// The error on the wire.
  package var varlink: VarlinkError {
    func error(_ name: String, _ parameters: KeyValuePairs<String, JSONValue?>) -> VarlinkError {
      VarlinkError(
        name: "\(GeoremindInterface.name).\(name)", parameters: JSONObject(parameters))
    }
    func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
    return switch self {
    case .notFound(let id): error("NotFound", ["id": .string(id)])
    case .ambiguous(let id, let candidates):
      error("Ambiguous", ["id": .string(id), "candidates": list(candidates)])
    case .invalidReminder(let field, let reason):
      error("InvalidReminder", ["field": .string(field), "reason": .string(reason)])
    case .inUse(let name, let reminders):
      error("InUse", ["name": .string(name), "reminders": list(reminders)])
    case .alreadyExists(let name): error("AlreadyExists", ["name": .string(name)])
    case .storeFailure(let reason): error("StoreTrouble", ["reason": .string(reason)])
    case .refusedByPolicy(let reason): error("RefusedByPolicy", ["reason": .string(reason)])
    case .wrongState(let id, let state):
      error("WrongState", ["id": .string(id), "state": .string(state)])
    case .changedSince(let id, let title, let how):
      error(
        "ChangedSince", ["id": .string(id), "title": .string(title), "how": .string(how)])
    case .invalidLink: error("InvalidLink", [:])
    }
  }

  package var description: String {
    switch self {
    case .notFound(let id): "there is no '\(id)'; see 'georemind list'"
    case .ambiguous(let id, let candidates):
      "'\(id)' may be \(Self.some(candidates)); give more letters of the id, or of the title"
    case .invalidReminder(let field, let reason):
      "the reminder's '\(field)' is not valid: \(reason); correct it and try again"
    case .inUse(let name, let reminders):
      "'\(name)' is named by \(Self.some(reminders)); change or remove those first"
    case .alreadyExists(let name):
      "there is a '\(name)' already; choose another name, or edit or remove that one"
    case .storeFailure(let reason):
      "the daemon cannot use its store: \(reason); see 'journalctl -t georemindd'"
    case .refusedByPolicy(let reason): "the daemon refuses: \(reason)"
    case .wrongState(let id, let state):
      "reminder '\(id)' is \(state), which does not allow this; see 'georemind show \(id)'"
    case .changedSince(let id, let title, let how):
      "nothing was taken back: '\(title)' (\(id)) \(how) since; 'georemind undo --list' shows "
        + "earlier changes"
    case .invalidLink:
      "the link has ended or was never made; make one with 'georemind web link'"
    }
  }

  /// At most five, so that the sentence stays one.
  private static func some(_ names: [String]) -> String {
    let head = names.prefix(5).joined(separator: ", ")
    return names.count > 5 ? "\(head) and \(names.count - 5) more" : head
  }
}
