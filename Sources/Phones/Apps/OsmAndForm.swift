import CivilTime
import Positioning

/// The protocol of OsmAnd's online tracking, and of Traccar Client except for version 9: fields of
/// a query or a form (traccar.org/osmand).
enum OsmAndForm {
  static func read(_ form: FormFields, app: String) throws(UnusableMessage) -> PhoneMessage {
    if let valid = form["valid"], ["false", "0"].contains(valid) { return .nothing }
    // Traccar Client at rest, when it gets no position.
    let hasPosition = ["lat", "lon", "location"].contains { form[$0] != nil }
    if !hasPosition, form["id", "deviceid"] != nil, form["timestamp"] != nil { return .nothing }
    // `location` is latitude, comma, longitude.
    let pair = form["location"]?.split(separator: ",").map { Double(decimal: String($0)) } ?? []
    let isPair = pair.count == 2
    let fields = PositionFields(
      latitude: isPair ? pair[0] : form.number("lat"),
      longitude: isPair ? pair[1] : form.number("lon"),
      time: form.time("timestamp"),
      // OsmAnd writes its radius in metres where its example of a URL says hdop.
      radius: form.number("accuracy", "hdop"), altitude: form.number("altitude"),
      speed: form.number("speed").map { form["unit"] == "mps" ? $0 : $0 * Fix.knot },
      track: form.number("bearing", "heading"))
    return PhoneMessage([try fields.position(app: app, name: form["id", "deviceid"])])
  }
}
