import Geodesy
import Interchange
import JSONText
import Reminders

/// What must hold for any file of places: each one is possible, a refusal says where, and what is
/// written of them can be read again.
func checkPlaces(_ bytes: [UInt8], as format: PlaceFormat) {
  var places: [PlaceEntry] = []
  do {
    let report = try PlaceFile.read(ByteSource(bytes: bytes, name: "input"), as: format) { place in
      places.append(place)
    }
    require(report.taken == places.count, "places are not counted")
    require(report.refusals.count == min(100, report.refused), "refusals are not counted")
  } catch {
    require("\(error)".hasPrefix("input"), "an error does not say where: \(error)")
  }
  for place in places { check(place) }
  guard let place = places.first else { return }
  for format in PlaceWriter.Format.allCases {
    var writer = PlaceWriter(format)
    var text = ""
    writer.begin(into: &text)
    writer.write(place, into: &text)
    writer.end(into: &text)
    guard let back = PlaceFormat(rawValue: format.rawValue) else { continue }
    var again: [PlaceEntry] = []
    _ = try? PlaceFile.read(ByteSource(bytes: Array(text.utf8), name: "written"), as: back) {
      again.append($0)
    }
    require(again.count == 1, "\(again.count) places are read of one written as \(format)")
  }
}

private func check(_ place: PlaceEntry) {
  require(
    !place.name.isEmpty && place.name.utf8.count <= 200, "a name of \(place.name.utf8.count) bytes")
  require((place.notes?.utf8.count ?? 0) <= 4000, "long notes")
  require(place.radius.map { Reminder.Place.radii.contains($0) } ?? true, "an impossible radius")
  require((-90...90).contains(place.position.latitude), "latitude \(place.position.latitude)")
  require((-180...180).contains(place.position.longitude), "longitude \(place.position.longitude)")
  if let shape = place.shape {
    require((try? JSONParser.parse(shape.geoJSON.line)) != nil, "a shape that is no JSON")
  }
}
