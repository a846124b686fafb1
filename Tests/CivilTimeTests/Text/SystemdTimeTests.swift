import Glibc
import TestSupport
import Testing

@testable import CivilTime

/// Time stamps and spans against systemd-analyze(1): what it understands is understood here, and as
/// the same. Left out is what it lets pass though it is most likely a slip:
/// days that do not exist, minutes of one digit, years of two.
@Suite(
  .enabled(
    if: runCommand("systemd-analyze --version >/dev/null 2>&1")?.code == 0,
    "systemd-analyze is not installed"))
struct SystemdTimeTests {
  private static let zone = "Europe/Berlin"

  /// What systemd-analyze makes of each text: the number behind a label, nil where it refuses it.
  private func analyzed(_ verb: String, _ label: String, _ texts: [String]) -> [Double?] {
    return texts.map { text in
      // One call for each: it stops at the first text that it refuses.
      guard
        let pipe = popen("TZ=\(Self.zone) systemd-analyze \(verb) -- '\(text)' 2>/dev/null", "r")
      else { return nil }
      defer { pclose(pipe) }
      var line = [CChar](repeating: 0, count: 256)
      var found: Double?
      while fgets(&line, Int32(line.count), pipe) != nil {
        let words = String(
          decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
        )
        .split(whereSeparator: { $0 == " " || $0 == "\n" || $0 == ":" })
        if words.dropLast().joined(separator: " ") == label, let last = words.last {
          found = Double(last.drop { $0 == "@" })
        }
      }
      return found
    }
  }

  @Test func spans() throws {
    var random = SeededGenerator(seed: 21)
    let units = [
      "", "us", "usec", "µs", "ms", "msec", "s", "sec", "second", "seconds", "m", "min", "minute",
      "minutes", "h", "hr", "hour", "hours", "d", "day", "days", "w", "week", "weeks", "M", "month",
      "months", "y", "year", "years",
    ]
    var texts = [
      "2 h", "1y 12month", "55s500ms", "300ms20s 5day", "1.5h", ".5s", "0", "1 5 min", "-3",
    ]
    for _ in 0..<60 {
      let parts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        let number = Int.random(in: 0...400, using: &random)
        let point = Bool.random(using: &random) ? "" : ".\(Int.random(in: 0...99, using: &random))"
        let blank = Bool.random(using: &random) ? " " : ""
        return "\(number)\(point)\(blank)\(units.randomElement(using: &random) ?? "")"
      }
      texts.append(parts.joined(separator: " "))
    }
    let expected = analyzed("timespan", "μs", texts)
    #expect(expected.count { $0 != nil } > 50)
    for (text, microseconds) in zip(texts, expected) {
      guard let microseconds else { continue }
      let span = try? TimeSpan(parsing: text)
      #expect(span.map { Double($0.microseconds) } == microseconds, "\(text)")
    }
  }

  @Test func stamps() throws {
    var random = SeededGenerator(seed: 22)
    var texts = [
      "2026-11-21", "2026-11-21 09:30", "Sat 2026-11-21 09:30:15",
      "Saturday 2026-11-21 09:30", "2026-11-21 09:30:15.25", "2026-11-21 09:30 UTC",
      "@1700000000", "@1700000000.5", "2026-07-01 00:00 CEST", "2026-11-21 09:30:60",
      "2026-13-01", "2026-11-21 24:00", "Mon 2026-11-21",
    ]
    for _ in 0..<40 {
      let year = Int.random(in: 1971...2099, using: &random)
      let month = Int.random(in: 1...12, using: &random)
      let day = Int.random(in: 1...28, using: &random)
      let hour = Int.random(in: 4...23, using: &random)
      let minute = Int.random(in: 0...59, using: &random)
      let second = Int.random(in: 0...59, using: &random)
      let zone = Bool.random(using: &random) ? " UTC" : ""
      texts.append(
        "\(year)-\(month.padded(2))-\(day.padded(2)) \(hour.padded(2)):\(minute.padded(2))"
          + ":\(second.padded(2))\(zone)")
    }
    let expected = analyzed("timestamp", "UNIX seconds", texts)
    #expect(expected.count { $0 != nil } > 45)
    let zone = try TimeZoneRules(named: Self.zone)
    let now = Instant(seconds: 1_781_280_000)
    for (text, seconds) in zip(texts, expected) {
      guard let seconds else { continue }
      let stamp = (try? TypedTime(text, now: now, zone: zone, dayAlone: .start))?.stamp
      #expect(stamp?.instant(in: zone).seconds == seconds, "\(text)")
    }
  }
}
