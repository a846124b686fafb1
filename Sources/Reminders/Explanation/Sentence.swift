import Bytes
import CivilTime
import Geodesy

/// Builder of a sentence from about a dozen pieces; bytes cost a fraction of growing a `String`.
struct Sentence: ~Copyable {
  private var bytes = ByteWriter(capacity: 192)
  private let units: LengthUnits

  init(_ units: LengthUnits) { self.units = units }

  var text: String { bytes.text }

  mutating func add(_ words: String) { bytes.add(words) }

  mutating func add(_ number: Int) { bytes.add(decimal: number) }

  /// Adds a span in systemd's format.
  mutating func add(_ span: TimeSpan) { span.write(to: &bytes) }

  /// Adds a span in two units at most, without seconds from an hour on, and without fractions of a
  /// second.
  mutating func add(coarse span: TimeSpan) {
    let unit = span.seconds >= 3600 ? 60.0 : 1.0
    add(TimeSpan(seconds: (span.seconds / unit).rounded() * unit).brief)
  }

  mutating func add(metres: Double) { Length.write(metres: metres, in: units, to: &bytes) }

  /// Adds the time of day to the minute, with the date unless `now` is on the same day.
  mutating func add(_ instant: Instant, in zone: TimeZoneRules, at now: Instant) {
    let local = zone.localDateTime(at: instant)
    if local.date != zone.localDateTime(at: now).date {
      local.date.write(to: &bytes)
      add(" ")
    }
    local.time.writeMinutes(to: &bytes)
  }
}
