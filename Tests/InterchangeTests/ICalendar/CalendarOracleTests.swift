import CivilTime
import Glibc
import JSONText
import Reminders
import TestSupport
import Testing

@testable import Interchange

/// Random repeating tasks and events, completed up to six times each, against python-dateutil and
/// icalendar: they compute from the first file, and read back what was written.
@Suite struct CalendarOracleTests {
  private let seed = 20_261_126
  private let number = getenv("GEOREMIND_LONG_TESTS") == nil ? 2_000 : 20_000

  private static let python = pythonWithModules("dateutil.rrule, icalendar, zoneinfo")

  @Test(.enabled(if: python != nil, "python3-dateutil or python3-icalendar is not installed"))
  func agreesWithDateutilAndICalendar() throws {
    let folder = try TemporaryFolder()
    let cases = "\(folder.path)/cases"
    _ = try run("make \(number) \(seed) >'\(cases)'")
    let now = Instant(microseconds: 1_795_262_400_000_000)
    var results = ""
    for line in String(decoding: try fileBytes(cases), as: UTF8.self).split(separator: "\n") {
      let given = try #require(try JSONParser.parse(String(line)).object)
      results += JSONValue.object(try result(of: given, at: now)).line + "\n"
    }
    try folder.file("results", results)
    let verdict = try run("judge '\(cases)' '\(folder.path)/results'")
    let last = try #require(verdict.split(separator: "\n").last)
    let summary = try #require(try JSONParser.parse(String(last)).object)
    #expect(summary["cases"]?.int == number)
    #expect(summary["completions"]?.int ?? 0 > number)
    #expect(
      summary["wrong"]?.int == 0, "seed \(seed): \(verdict.split(separator: "\n").prefix(20))")
  }

  /// The output of the script.
  private func run(_ arguments: String) throws -> String {
    let script = "\(packageRoot)/Tests/System/calendar_series.py"
    let python = try #require(Self.python)
    let ran = try #require(runCommand("\(python) '\(script)' \(arguments)"))
    try #require(ran.code == 0, "the script ends with \(ran.code)")
    return ran.output
  }

  // MARK: - georemind

  private func result(of given: JSONObject, at now: Instant) throws -> JSONObject {
    let text = try #require(given["text"]?.string)
    let zone = try TimeZoneRules(named: try #require(given["zone"]?.string))
    let limit = try name(try #require(given["limit"]?.string))
    var document = try CalendarDocument(Array(text.utf8), name: "case")
    var result = JSONObject()
    do {
      result["firings"] = try firings(of: document, before: limit, in: zone)
      var steps: [JSONValue] = []
      for jump in given["jumps"]?.array ?? [] {
        let found = CalendarReading(document).reminders
        guard let task = found.first(where: { $0.item.recurrence == nil }),
          task.reminder.state == .armed
        else { break }
        var done: LocalDateTime?
        if let series = task.reminder.series(in: zone) {
          for _ in 0..<(jump.int ?? 1) { done = series.next(after: done)?.name ?? done }
        }
        _ = try document.apply(.done(through: done), to: task, at: now, in: zone)
        let written = String(decoding: document.bytes, as: UTF8.self)
        // The bytes are read anew, as the daemon does.
        document = try CalendarDocument(document.bytes, name: "case")
        steps.append(
          .object([
            "name": .string(done?.description ?? ""), "text": .string(written),
            "firings": try firings(of: document, before: limit, in: zone),
          ]))
      }
      result["steps"] = .array(steps)
    } catch {
      result["error"] = .string("\(error)")
    }
    return result
  }

  private func name(_ text: String) throws -> LocalDateTime {
    let stamp = try TimeStamp(parsing: text)
    if case .floating(let local) = stamp { return local }
    throw AbsoluteName(stamp: stamp)
  }

  private struct AbsoluteName: Error { let stamp: TimeStamp }

  /// When all its alarms ring, in seconds, for occurrences with an earlier name than the limit.
  private func firings(
    of document: CalendarDocument, before limit: LocalDateTime, in zone: TimeZoneRules
  ) throws -> JSONValue {
    var moments: Set<Int> = []
    for found in CalendarReading(document).reminders {
      let reminder = found.reminder
      guard reminder.state != .done, let series = reminder.series(in: zone) else { continue }
      var search = SeriesSearch(series)
      var last: LocalDateTime?
      while let next = search.next(after: last), next.name < limit || !reminder.repeats {
        last = next.name
        for lead in reminder.leads.isEmpty ? [.zero] : reminder.leads {
          let moment = lead.before(next.due, in: reminder.calendarZone(zone))
          moments.insert(Int(moment.microseconds / 1_000_000))
        }
      }
    }
    return .array(moments.sorted().map { .int($0) })
  }
}
