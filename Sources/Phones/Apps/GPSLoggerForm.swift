import CivilTime

/// GPSLogger for Android, "Log to custom URL": names of fields that its user chooses.
///
/// The names are the ones of its placeholder `%ALL`, and of Home Assistant's documents.
enum GPSLoggerForm {
  static func read(_ form: FormFields) throws(UnusableMessage) -> PhoneMessage {
    let provider = form["prov", "provider"]
    let fields = PositionFields(
      latitude: form.number("lat", "latitude"), longitude: form.number("lon", "longitude"),
      time: form.time("timestamp") ?? form.time("time"),
      radius: form.number("acc", "accuracy"), altitude: form.number("alt", "altitude"),
      speed: form.number("spd", "speed"), track: form.number("dir", "direction"),
      isOfNetwork: provider == "network")
    // Its source, satellites or radio cells, is a receiver of its own: they disagree by kilometres.
    let name = form["id", "device", "aid", "ser"] ?? "phone"
    let source = provider.map { "/\($0)" } ?? ""
    return PhoneMessage([try fields.position(app: "gpslogger", name: name + source)])
  }
}
