import CivilTime
import Geodesy
import Geofencing
package import JSONText

/// The state that another engine needs to go on where this one is.
extension Engine {
  /// Whether the histories, `takeover` and the positions of the last minutes hold all of it: no
  /// decision is half made. The fixes of an anchor watch's hold are among those positions.
  /// - Complexity: O(categories).
  package var isQuiet: Bool {
    monitor.isQuiet && watches.allSatisfy { $0.fences.isQuiet && $0.isSettled } && waiting.isEmpty
      && behindSince == nil
  }

  /// The part that no position of the last minutes brings back: the track, which remembers longer,
  /// and what a jump has fired. nil before the first position, and while one contradicts the track.
  package var takeover: JSONValue? {
    guard let track = monitor.trackState else { return nil }
    return .object(
      JSONObject([
        "track": .array(track.compactMap { .double($0) }), "excursion": excursion.map(\.json),
      ]))
  }

  /// Goes on from the `takeover` of another engine. A part that cannot be read is left
  /// out: the positions bring most of it back.
  package mutating func take(over state: JSONValue) {
    _ = monitor.restoreTrack(state["track"]?.array?.compactMap(\.double) ?? [])
    excursion = state["excursion"].flatMap { Excursion(json: $0) }
  }
}

extension Engine.Excursion {
  fileprivate var json: JSONValue {
    var histories = JSONObject()
    for (id, history) in fired { histories[id] = .string(history.text ?? "") }
    return .object(
      JSONObject([
        "began": .int(Int(began.microseconds)), "lat": .double(origin.latitude),
        "lon": .double(origin.longitude), "metres": .double(metres), "fired": .object(histories),
      ]))
  }

  fileprivate init?(json: JSONValue) {
    guard let began = json["began"]?.int, let metres = json["metres"]?.double,
      let latitude = json["lat"]?.double, let longitude = json["lon"]?.double,
      let origin = Coordinate(latitude: latitude, longitude: longitude)
    else { return nil }
    self.init(began: Instant(microseconds: Int64(began)), origin: origin, metres: metres)
    for (id, text) in json["fired"]?.object?.members ?? [] {
      let text = text.string.flatMap { $0.isEmpty ? nil : $0 }
      fired[id] = try? History(text: text)
    }
  }
}
