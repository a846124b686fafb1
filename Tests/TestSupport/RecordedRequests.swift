/// Requests as apps on phones send them, with a position at the Landungsbrücken in Hamburg on
/// 2026-06-12T15:45:00Z, which is 1 781 279 100 s after 1970.
///
/// After the documents and sources of the apps: owntracks.org/booklet/tech, traccar.org/osmand,
/// `ProtocolFormatter.kt`, `preferences.dart` and `HttpUploader.kt` of Traccar Client 8, 9 and 10,
/// `LiveMonitoringHelper.java` of OsmAnd, `CustomUrlManager.java` of GPSLogger.
package struct RecordedRequest: Sendable, CustomStringConvertible {
  package let name: String
  package var method = "POST"
  package var target: String
  package var user: String?
  package var device: String?
  package var body = ""
  /// The receiver that the daemon sees.
  package let receiver: String
  /// Metres per second.
  package var speed = 5.0

  package var description: String { name }

  /// HTTP/1.1, a whole request.
  package var http: String {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: boat.local:8088\r\n"
    if let user { text += "X-Limit-U: \(user)\r\n" }
    if let device { text += "X-Limit-D: \(device)\r\n" }
    if method == "POST" { text += "Content-Length: \(body.utf8.count)\r\n" }
    return text + "\r\n" + body
  }

  package static let seconds = 1_781_279_100.0
  package static let latitude = 53.5461
  package static let longitude = 9.9661
  package static let all = [
    ownTracks, traccarQuery, traccarJSON, traccarForm, osmAnd, gpsLogger,
  ]

  /// OwnTracks for Android, HTTP mode.
  package static let ownTracks = RecordedRequest(
    name: "OwnTracks", target: "/pub", user: "jane", device: "phone",
    body: """
      {"_type":"location","_id":"a3c1f0d2","acc":13,"alt":46,"batt":81,"bs":1,"BSSID":\
      "aa:bb:cc:dd:ee:ff","SSID":"boat","conn":"w","created_at":1781279102,"lat":53.5461,\
      "lon":9.9661,"m":1,"t":"u","tid":"ne","topic":"owntracks/jane/phone","tst":1781279100,\
      "vac":2,"vel":18,"cog":271}
      """, receiver: "owntracks:jane/phone")

  /// Traccar Client before 9: a POST with all in the query.
  package static let traccarQuery = RecordedRequest(
    name: "Traccar Client 8",
    target: "/?id=48241179&timestamp=1781279100&lat=53.5461&lon=9.9661&speed=9.719222462"
      + "&bearing=271.0&altitude=46.0&accuracy=13.0&batt=81.0", receiver: "traccar:48241179")

  /// Traccar Client 9.
  package static let traccarJSON = RecordedRequest(
    name: "Traccar Client 9", target: "/",
    body: """
      {"location":{"timestamp":"2026-06-12T15:45:00.000Z","coords":{"latitude":53.5461,\
      "longitude":9.9661,"accuracy":13,"speed":5,"heading":271,"altitude":46},"is_moving":true,\
      "odometer":2841.6,"event":"motionchange","battery":{"level":0.81,"is_charging":false},\
      "activity":{"type":"in_vehicle"},"extras":{},"_":"&id=48241179&lat=53.5461&lon=9.9661&\
      timestamp=2026-06-12T15:45:00.000Z&"},"device_id":"48241179"}
      """, receiver: "traccar:48241179")

  /// Traccar Client 10: a form in the body, with hundredths of a knot.
  package static let traccarForm = RecordedRequest(
    name: "Traccar Client 10", target: "/",
    body: "id=48241179&lat=53.5461&lon=9.9661&timestamp=1781279100&accuracy=13.0&altitude=46.0"
      + "&speed=9.72&bearing=271.0&batt=81&charge=false", receiver: "traccar:48241179",
    speed: 9.72 * 1852 / 3600)

  /// OsmAnd with the URL of docs/how-to/phones.md; it sends floats, and milliseconds.
  package static let osmAnd = RecordedRequest(
    name: "OsmAnd", method: "GET",
    target: "/osmand?unit=mps&id=nexus&lat=53.5461&lon=9.9661&timestamp=1781279100000"
      + "&accuracy=13.0&altitude=46.0&speed=5.0&bearing=271.0", receiver: "osmand:nexus")

  /// GPSLogger with %ALL as its body.
  package static let gpsLogger = RecordedRequest(
    name: "GPSLogger", target: "/gpslogger",
    body: "lat=53.5461&lon=9.9661&sat=12&desc=&alt=46.0&acc=13.0&dir=271.0&prov=gps"
      + "&spd_kph=18.0&spd=5.0&timestamp=1781279100&timeoffset=2026-06-12T17%3A45%3A00"
      + ".000%2B02%3A00&time=2026-06-12T15%3A45%3A00.000Z&starttimestamp=1781270000&date=2026-06-12"
      + "&batt=81.0&ischarging=false&aid=f00ba4f00ba4&ser=unknown&act="
      + "&filename=20260612&profile=Default+Profile&hdop=0.9&vdop=1.1&pdop=1.4&dist=2841&",
    receiver: "gpslogger:f00ba4f00ba4/gps")
}
