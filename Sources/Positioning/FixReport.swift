import CivilTime
import Geodesy
package import JSONText

extension Fix {
  /// The fix as gpsd reports it: a `TPV` object (gpsd_json(5)) with the keys that are known.
  ///
  /// Degrees carry nine decimals, lengths and speeds three, `time` milliseconds. `status` appears
  /// where it says more than "a fix"; a position entered by hand has gpsd's 7. `eph` is metres, 95 %.
  package func tpv(device: String?) -> JSONObject {
    let status = source == .manual ? Source.surveyed : source
    return JSONObject([
      "class": "TPV",
      "device": device.map { .string($0) },
      "time": time.map { .string(Self.text($0)) },
      "mode": .int(Int(mode.rawValue)),
      "status": status.rawValue > 1 ? .int(Int(status.rawValue)) : nil,
      "lat": Self.rounded(position.latitude, 1e9),
      "lon": Self.rounded(position.longitude, 1e9),
      "altHAE": Self.rounded(altitudeHAE, 1e3),
      "altMSL": Self.rounded(altitudeMSL, 1e3),
      "speed": Self.rounded(speed, 1e3),
      "track": Self.rounded(track, 1e3),
      "climb": Self.rounded(climb, 1e3),
      "eph": Self.rounded(eph, 1e3),
    ])
  }

  private static func rounded(_ value: Double?, _ scale: Double) -> JSONValue? {
    .double(value.map { ($0 * scale).rounded() / scale })
  }

  /// ISO 8601 in UTC with milliseconds.
  private static func text(_ time: Instant) -> String {
    let milliseconds = (time.microseconds - (time.microseconds % 1000 + 1000) % 1000) / 1000
    let inDay =
      (milliseconds % CivilDay.millisecondsPerDay + CivilDay.millisecondsPerDay)
      % CivilDay.millisecondsPerDay
    let date = CivilDay.date((milliseconds - inDay) / CivilDay.millisecondsPerDay)
    func padded(_ value: Int64, _ width: Int) -> String {
      let digits = String(value)
      return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
    return padded(date.year, 4) + "-" + padded(date.month, 2) + "-" + padded(date.day, 2) + "T"
      + padded(inDay / 3_600_000, 2) + ":" + padded(inDay / 60_000 % 60, 2) + ":"
      + padded(inDay / 1000 % 60, 2) + "." + padded(inDay % 1000, 3) + "Z"
  }
}
