// Support: Input Places
import Interchange

/// Places in OpenStreetMap's XML.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOSM(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkPlaces(Input(start, count).rest, as: .osm)
  return 0
}
