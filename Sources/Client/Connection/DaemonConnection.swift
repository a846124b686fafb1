import CivilTime
import Companion
import Control
import Glibc
import JSONText
import LinuxRuntime
import Reminders

/// A connection to the daemon: one call after the other.
///
/// systemd closes waiting connections when the service ends (`FlushPending=`). A first call that
/// nobody has read is therefore sent once more, a second later.
final class DaemonConnection {
  /// Limit for the daemon's answer, in microseconds.
  private static let timeout: Int64 = 30_000_000

  private var client: UnixClient
  private let path: String
  /// The option or the variable of the path; nil where it is the usual one.
  private let origin: String?
  /// Whether the daemon refuses to start with a configuration file.
  private let isWrong: (String) -> Bool
  /// A time by the clocks of the system.
  private let text: (Instant) -> String?
  /// Microseconds before the second try; nil once it was made.
  private var retryDelay: UInt32?
  /// The bytes of the first call, until the daemon has answered.
  private var firstCall: [UInt8]? = []
  /// The daemon closed before it has read all that was sent.
  private var isUnread = false
  private var session = VarlinkClientSession()

  convenience init(_ options: CommonOptions, _ context: Context) throws {
    try self.init(socket: options.socket, context)
  }

  /// - Parameter socket: the path that was given, if any.
  init(socket: String?, _ context: Context) throws {
    path = SocketPath.find(option: socket, environment: context.environment)
    retryDelay = context.retryDelay
    isWrong = context.isWrongConfiguration
    // Not relative to now: the clock is the daemon's, which would be asked.
    text = { try? $0.rfc3339(zone: context.zone()) }
    origin =
      socket != nil
      ? "--socket" : path == context.environment["GEOREMIND_SOCKET"] ? "GEOREMIND_SOCKET" : nil
    client = try Self.connect(path, namedBy: origin)
  }

  private static func connect(_ path: String, namedBy origin: String?) throws -> UnixClient {
    do throws(SystemError) {
      return try UnixClient(path: path, timeout: 5_000_000)
    } catch {
      switch error.code {
      case ENOENT, ECONNREFUSED:
        let remedy =
          origin.map { "\($0) names it: start 'georemindd --socket \(path)', or leave it out" }
          ?? "start it with 'systemctl start georemindd' or name its socket with --socket"
        throw Failure(.unavailable, "no daemon listens on \(path); \(remedy)")
      case EACCES, EPERM:
        throw Failure(
          .noPermission,
          "not permitted to connect to \(path); "
            + "join the group that owns it with 'usermod -aG georemind NAME'")
      default: throw error
      }
    }
  }

  /// Calls a method of `org.georemind` and waits for its reply.
  /// - Parameter suggests: looks for a reminder with a name like an unknown one.
  func call(
    _ method: String, _ parameters: JSONObject = JSONObject(), suggests: Bool = true
  ) throws -> JSONObject {
    try begin(method, parameters)
    do {
      return try answer()
    } catch let error as VarlinkError {
      guard let method = GeoremindMethod(rawValue: method) else { throw error }
      if var unknown = UnknownName(error, method: method, parameters) {
        if suggests, unknown.subject == .reminder {
          unknown.suggestion = Suggestions.reminder(like: unknown.name, self)
        }
        throw unknown
      }
      throw failure(error, of: method) ?? error
    }
  }

  /// An error in the words of what the method is about; nil where its own words do.
  private func failure(_ error: VarlinkError, of method: GeoremindMethod) -> Failure? {
    switch GeoremindError(error) {
    case .ambiguous(let text, let ids)?: return ambiguity(of: text, ids)
    case .invalidReminder(let field, let reason)? where method.subject != .reminder:
      return Failure(.badData, method.subject.invalid(field, because: reason))
    case .inUse(let name, let ids)? where method == .removePlace:
      return Failure(
        .badData,
        "'\(name)' is named by \(titled(ids)); change or remove those first, or give --force: "
          + "they keep its position")
    default: return nil
    }
  }

  /// Lists the reminders that a text may mean, with their titles.
  private func ambiguity(of text: String, _ ids: [String]) -> Failure {
    Failure(
      .badData,
      "'\(text)' may be \(titled(ids)); give more letters of the id, or of the title")
  }

  /// Ids with their titles, five at most.
  private func titled(_ ids: [String]) -> String {
    let shown = ids.prefix(5).map { id in words(of: id).map { "\(id) \($0)" } ?? id }
    let rest = ids.count > shown.count ? " and \(ids.count - shown.count) more" : ""
    return shown.joined(separator: ", ") + rest
  }

  /// The title of a reminder, and how it differs from others of this title; nil where the daemon
  /// does not answer it.
  private func words(of id: String) -> String? {
    guard (try? begin("Show", ["id": .string(id)])) != nil,
      let reminder = (try? answer())?["reminder"], let title = reminder["title"]?.string
    else { return nil }
    let state = reminder["state"]?.string
    let details = [
      reminder["place"]?["name"]?.string.map { "at \($0)" },
      (reminder["rings"] ?? reminder["next_due"])?.instant.flatMap(text).map { "at \($0)" },
      state == Reminder.State.armed.rawValue ? nil : state,
    ]
    let detail = details.compactMap { $0 }.joined(separator: ", ")
    return "'\(title)'" + (detail.isEmpty ? "" : " (\(detail))")
  }

  /// All reminders as the daemon answers them, in the order of arrival.
  func reminders() throws -> [JSONObject] { try allRows { $0 }.rows }

  /// All reminders, and a sentence about each row that cannot be read.
  /// - Parameter body: gets each of a page while the daemon prepares the next page.
  func allRows<Row>(
    _ body: (JSONObject) throws -> Row
  ) throws -> (rows: [Row], unreadable: [String]) {
    var rows: [Row] = []
    var problems: [JSONValue] = []
    var text: JSONValue?
    var page = try call("PageReminders")
    while true {
      let next = page["next"]
      if next?.int != nil { try begin("PageReminders", ["after": next]) }
      for case .object(let reminder) in page["reminders"]?.array ?? [] {
        rows.append(try body(reminder))
      }
      problems += page["unreadable"]?.array ?? []
      text = page["unreadable_text"] ?? text
      guard next?.int != nil else { break }
      page = try answer()
    }
    let unreadable: JSONObject = ["unreadable": .array(problems), "unreadable_text": text]
    return (rows, StatusCommand.unreadable(unreadable))
  }

  /// Calls a method and goes on; `answer` is to be called before the next call.
  func begin(_ method: String, _ parameters: JSONObject = JSONObject()) throws {
    let (_, bytes) = try session.call("\(GeoremindInterface.name).\(method)", parameters)
    try send(bytes)
  }

  /// Waits for the reply to `begin`.
  func answer() throws -> JSONObject {
    while true {
      for reply in try receive(timeout: Self.timeout) { return try reply.result.get() }
    }
  }

  private func doesNotStart() -> Failure {
    let isSystem = path == SocketPath.system
    let file = isSystem ? ServiceFolders.systemConfiguration : ServiceFolders().configurationFile
    if isWrong(file) {
      return Failure(
        .unavailable,
        "georemindd does not start: its configuration is wrong; see 'georemindd --check-config'")
    }
    let user = isSystem ? "" : "--user "
    return Failure(
      .unavailable,
      "georemindd does not start; see 'systemctl \(user)status georemindd' and "
        + "'journalctl \(user)-t georemindd'")
  }

  /// Ignores EPIPE: a daemon that refuses a caller replies and disconnects, maybe before the call.
  private func send(_ bytes: [UInt8]) throws(SystemError) {
    firstCall?.append(contentsOf: bytes)
    do throws(SystemError) {
      try client.send(bytes, timeout: Self.timeout)
    } catch {
      guard error.code == EPIPE || error.code == ECONNRESET else { throw error }
      isUnread = true
    }
  }

  private func receive(timeout: Int64) throws -> [VarlinkClientSession.Reply] {
    while true {
      var message: [UInt8]?
      do throws(SystemError) {
        message = try client.receive(timeout: timeout)
      } catch {
        // The other end closed without reading the call: unix(7), Linux.
        guard error.code == ECONNRESET else { throw error }
        isUnread = true
      }
      if let message {
        firstCall = nil
        return try session.receive(message + [0])
      }
      guard isUnread, let firstCall else {
        throw Failure(
          .unavailable, "the daemon disconnected; see 'journalctl -t georemindd' and try again")
      }
      try sendAgain(firstCall)
    }
  }

  private func sendAgain(_ call: [UInt8]) throws {
    guard let delay = retryDelay else { throw doesNotStart() }
    usleep(delay)
    retryDelay = nil
    client.close()
    client = try Self.connect(path, namedBy: origin)
    isUnread = false
    firstCall = []
    try send(call)
  }
}
