import CivilTime
import Geodesy

/// How times and lengths are shown: for people on a terminal, for programs elsewhere (RFC 3339 with
/// the zone's offset). All times of one output are in one zone.
struct Display {
  let time: HumanTime
  let units: LengthUnits
  let isForPeople: Bool

  var zone: TimeZoneRules { time.zone }

  func length(_ metres: Double) -> String { Length.formatted(metres: metres, in: units) }

  /// A time in an answer: weekday, date, time and distance, for programs behind the exact time.
  func answer(_ instant: Instant) -> String {
    isForPeople ? time.full(instant) : "\(exact(instant)) (\(time.full(instant)))"
  }

  /// A time in a listing.
  func entry(_ instant: Instant) -> String {
    isForPeople ? time.relative(instant) : exact(instant)
  }

  /// The time at which a reminder fires, or how late it is.
  func due(_ instant: Instant) -> String {
    isForPeople && instant < time.now ? "\((time.now - instant).words) late" : entry(instant)
  }

  /// A sentence of the daemon, with its speeds in the units of the display and its times as people
  /// read them.
  func sentence(_ text: String) -> String {
    let text = speeds(text)
    guard isForPeople else { return text }
    return text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      let stamp = word.prefix { $0.isASCII && ($0.isNumber || "-:.TZ+".contains($0)) }
      guard stamp.utf8.count >= 20, let instant = try? Instant(rfc3339: String(stamp)) else {
        return String(word)
      }
      return time.absolute(instant) + word[stamp.endIndex...]
    }.joined(separator: " ")
  }

  /// `11 km/h` in the units of the display.
  private func speeds(_ text: String) -> String {
    let mark = " km/h"
    guard units != .metric, text.contains(mark) else { return text }
    let parts = text.split(separator: mark, omittingEmptySubsequences: false)
    return parts.dropLast().map { part in
      let digits = String(
        part.reversed().prefix { $0.isASCII && ($0.isNumber || $0 == ".") }.reversed())
      guard let speed = Double(digits) else { return part + mark }
      return part.dropLast(digits.count) + units.speed(metresPerSecond: speed / 3.6)
    }.joined() + (parts.last ?? "")
  }

  /// In whole seconds, so that columns are aligned.
  private func exact(_ instant: Instant) -> String {
    Instant(seconds: instant.seconds.rounded(.down)).rfc3339(zone: zone)
  }
}
