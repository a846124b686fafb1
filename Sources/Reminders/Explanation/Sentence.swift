import Bytes
import CivilTime
import Geodesy

/// A sentence in the making.
///
/// It is put together from a dozen pieces: bytes take a fraction of what a `String` takes that
/// grows by each.
struct Sentence: ~Copyable {
  private var bytes = ByteWriter(capacity: 192)

  var text: String { bytes.text }

  mutating func add(_ words: String) { bytes.add(words) }

  mutating func add(_ number: Int) { bytes.add(decimal: number) }

  /// As systemd prints it.
  mutating func add(_ span: TimeSpan) { span.write(to: &bytes) }

  /// A span without the units that nobody asks for: seconds above an hour, and parts of a second.
  mutating func add(coarse span: TimeSpan) {
    let unit = span.seconds >= 3600 ? 60.0 : 1.0
    add(TimeSpan(seconds: (span.seconds / unit).rounded() * unit))
  }

  mutating func add(metres: Double) { Length.write(metres: metres, to: &bytes) }

  /// The time of day to the minute, with the date where that is another day than the other
  /// moment's.
  mutating func add(_ instant: Instant, in zone: TimeZoneRules, at now: Instant) {
    let local = zone.localDateTime(at: instant)
    if local.date != zone.localDateTime(at: now).date {
      local.date.write(to: &bytes)
      add(" ")
    }
    local.time.writeMinutes(to: &bytes)
  }
}
