// Support: Input Places
import Interchange

/// Places in CSV.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCSV(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  checkPlaces(Input(start, count).rest, as: .csv)
  return 0
}
