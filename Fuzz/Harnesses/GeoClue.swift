// Support: Input Decoding
import CivilTime
import Feeds
import Geodesy
import JSONText
import LinuxRuntime
import Positioning

/// Properties of a location of GeoClue, of any names and types: the report of each is a line that
/// the decoder of gpsd's reports reads, and its fix is possible.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGeoClue(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = Input(start, count)
  var properties: [BusValue] = []
  while !input.rest.isEmpty, properties.count < 20 {
    let name = names[Int(input.choice()) % names.count]
    properties.append(.entry(.string(name), .variant(value(&input))))
  }
  let reply = [BusValue.array(of: "{sv}", properties)]
  guard let location = GeoClueLocation(reply) else { return 0 }
  let line = Array(location.report.utf8)
  require(line.last == 0x0A && line.count < 1_000, "a line of \(line.count) bytes")
  require((try? JSONParser.parse(line.dropLast()))?.object != nil, "no JSON")
  let fixes = decode(line, FixDecoder.Options()).fixes
  require(fixes.count <= 1, "\(fixes.count) fixes of one location")
  for fix in fixes {
    require(abs(fix.position.latitude) <= 90 && abs(fix.position.longitude) <= 180, "\(fix)")
  }
  return 0
}

private let names = [
  "Latitude", "Longitude", "Accuracy", "Altitude", "Speed", "Heading", "Timestamp", "Description",
]

private func number(_ input: inout Input) -> UInt64 {
  (0..<8).reduce(0) { number, _ in number << 8 | UInt64(input.choice()) }
}

private func value(_ input: inout Input) -> BusValue {
  let type = input.choice()
  switch type % 6 {
  case 0, 1: return .double(Double(bitPattern: number(&input)))
  case 2: return .double(Double(Int8(bitPattern: input.choice())))
  case 3: return .structure([.uint64(number(&input)), .uint64(number(&input))])
  case 4: return .string("\(number(&input))")
  default: return .uint64(number(&input))
  }
}
