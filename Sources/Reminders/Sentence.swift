import CivilTime
import Geodesy

/// A sentence in the making.
///
/// It is put together from a dozen pieces: bytes in one array take a fraction of what a `String` takes that
/// grows by each.
struct Sentence {
  private var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(192) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func add(_ words: String) { bytes.append(contentsOf: words.utf8) }

  mutating func add(_ number: Int) { bytes.append(decimal: Int64(number)) }

  /// As systemd prints it.
  mutating func add(_ span: TimeSpan) { span.append(to: &bytes) }

  /// A span without the units that nobody asks for: seconds above an hour, and parts of a second.
  mutating func add(coarse span: TimeSpan) {
    let unit = span.seconds >= 3600 ? 60.0 : 1.0
    add(TimeSpan(seconds: (span.seconds / unit).rounded() * unit))
  }

  mutating func add(metres: Double) { add(Length.formatted(metres: metres)) }

  /// The time of day to the minute, with the date where that is another day than the other moment's.
  mutating func add(_ instant: Instant, in zone: TimeZoneRules, at now: Instant) {
    let local = zone.localDateTime(at: instant)
    if local.date != zone.localDateTime(at: now).date {
      local.date.append(to: &bytes)
      add(" ")
    }
    local.time.appendMinutes(to: &bytes)
  }
}
