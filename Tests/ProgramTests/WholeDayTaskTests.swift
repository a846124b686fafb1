import Glibc
import LinuxRuntime
import TestSupport
import Testing

/// `georemind done` of a repeating task of a calendar folder that is due on a day: the file gets the
/// next date of the rule, wherever the machine is.
@Suite(.serialized) struct WholeDayTaskTests {
  /// The first date is a Friday.
  private static let next = [
    "FREQ=DAILY": "21000102", "FREQ=WEEKLY": "21000108", "FREQ=WEEKLY;BYDAY=MO,FR": "21000104",
    "FREQ=MONTHLY": "21000201", "FREQ=YEARLY": "21010101",
  ]

  private static func text(_ uid: Int, _ rule: String, due: String) -> String {
    [
      "BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VTODO", "UID:\(uid)", "SUMMARY:Bins out",
      "DUE;VALUE=DATE:\(due)", "RRULE:\(rule)", "END:VTODO", "END:VCALENDAR", "",
    ].joined(separator: "\r\n")
  }

  @Test(arguments: [
    "Pacific/Kiritimati", "Australia/Sydney", "Asia/Tokyo", "Europe/Berlin", "Europe/London", "UTC",
    "America/New_York", "Pacific/Honolulu",
  ]) func theNextDateIsThatOfTheRuleInEveryZone(zone: String) throws {
    let folder = try TemporaryFolder()
    let calendar = "\(folder.path)/calendar"
    mkdir(calendar, 0o700)
    let cases = Self.next.sorted { $0.key < $1.key }
    for (uid, (rule, _)) in cases.enumerated() {
      try folder.file("calendar/\(uid).ics", Self.text(uid, rule, due: "21000101"))
    }
    let config = try folder.file("conf", "[Feed]\nFeed=\n[Calendar]\nFolder=\(calendar)\n")
    let socket = "\(folder.path)/socket"
    let daemon = try ChildProcess(
      [
        "--config", config, "--state-directory", folder.path, "--socket", socket,
        "--foreground-journal",
      ], in: folder, variables: ["TZ=\(zone)"])
    #expect(try daemon.waits(for: "started: \(cases.count) reminders"))
    for (uid, (rule, next)) in cases.enumerated() {
      let client = try ChildProcess(
        ["done", "\(uid)", "--socket", socket], in: folder, as: "georemind",
        variables: ["TZ=\(zone)"])
      #expect(try client.wait() == 0)
      let written = String(decoding: try fileBytes("\(calendar)/\(uid).ics"), as: UTF8.self)
      #expect(written.contains("DUE;VALUE=DATE:\(next)\r\n"), "\(rule) in \(zone): \(written)")
    }
    kill(daemon.id, SIGTERM)
    #expect(try daemon.wait() == 0)
  }
}
