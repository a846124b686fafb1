import CivilTime
import Geodesy
package import JSONText

extension Fix {
  /// The fix as a gpsd `TPV` object (gpsd_json(5)) with its known keys.
  ///
  /// Degrees have nine decimals, lengths and speeds three, `time` milliseconds. `status` is omitted
  /// for a plain fix and 7 for a manual position. `eph` is metres, 95 %.
  package func tpv(device: String?) -> JSONObject {
    let status: Source =
      switch source {
      case .manual: .surveyed
      case .network: .unknown
      default: source
      }
    return JSONObject([
      "class": "TPV",
      "device": device.map { .string($0) },
      "time": time.map { .string($0.tpv) },
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
}
