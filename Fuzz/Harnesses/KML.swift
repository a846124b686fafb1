// Support: Input Places
import Interchange

/// Places in KML.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzKML(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkPlaces(Input(start, count).rest, as: .kml)
  return 0
}
