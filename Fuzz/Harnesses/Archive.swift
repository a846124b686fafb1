// Support: Input Places
import Interchange

/// Places in KMZ, a ZIP archive with KML in it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzArchive(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkPlaces(Input(start, count).rest, as: .kmz)
  return 0
}
