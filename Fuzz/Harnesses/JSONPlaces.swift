// Support: Input Places
import Interchange

/// Places in JSON: GeoJSON, OwnTracks, Overpass and our own, and what kind of file it is at all.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSONPlaces(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Input(start, count).rest
  _ = try? FileKind.of(ByteSource(bytes: bytes, name: "input"))
  checkPlaces(bytes, as: .geoJSON)
  return 0
}
