package import CivilTime
package import JSONText

extension TypedTime {
  /// The answer of `ParseTime` and of `when --json`.
  package func json(in zone: TimeZoneRules) -> JSONObject {
    let isFloating = if case .floating = stamp { true } else { false }
    return JSONObject([
      "time": .string(stamp.instant(in: zone).json), "floating": .bool(isFloating),
      "zone": .string(zone.name), "note": note.map { .string($0) },
    ])
  }
}
