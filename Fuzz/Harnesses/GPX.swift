// Support: Input Places
import CivilTime
import Geodesy
import Interchange
import Positioning

/// GPX: its waypoints as places, its track points as the fixes of a recording.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGPX(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Input(start, count).rest
  checkPlaces(bytes, as: .gpx)
  var rest = bytes[...]
  _ = try? GPXTrack.read(
    name: "input", zone: .utc,
    next: {
      defer { rest = rest.dropFirst(100) }
      return Array(rest.prefix(100))
    }
  ) { fix in
    require((-90...90).contains(fix.position.latitude), "latitude \(fix.position.latitude)")
    require(fix.speed.map { $0.isFinite && $0 >= 0 } ?? true, "an impossible speed")
    require(fix.eph.map { $0.isFinite && $0 > 0 } ?? true, "an impossible error")
  }
  return 0
}
