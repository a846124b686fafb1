// Support: Input
import Departure
import Routing

/// Answers of routing engines: as many times as places, each possible, or a sentence of one line.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzRoutes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  let choice = input.choice()
  let places = Int(choice >> 1)
  let engine = choice & 1 == 0 ? RoutingEngine.osrm : .valhalla
  do throws(RouteFailure) {
    let times = try engine.times(in: input.rest, count: places)
    require(times.count == places, "\(times.count) times for \(places) places")
    for time in times.compactMap(\.self) {
      require((0...604_800).contains(time), "\(time) seconds")
    }
  } catch {
    let text = "\(error)"
    require(!text.isEmpty && text.utf8.count < 2_000, "a sentence of \(text.utf8.count) bytes")
    require(text.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "several lines: \(text)")
  }
  return 0
}
