import JSONText

/// The apps, by the path that they send to.
enum PhoneApp: Equatable {
  case ownTracks
  /// OsmAnd and Traccar Client, which share a protocol; the name is a part of the device's.
  case osmAnd(name: String)
  case gpsLogger

  init?(path: [String]) {
    switch path {
    case ["pub"]: self = .ownTracks
    case ["osmand"]: self = .osmAnd(name: "osmand")
    case [], ["traccar"]: self = .osmAnd(name: "traccar")
    case ["gpslogger"]: self = .gpsLogger
    default: return nil
    }
  }

  /// The app that wrote the body: messages of OwnTracks are known at every path.
  func ofBody(_ body: [UInt8]) -> PhoneApp {
    guard self != .ownTracks, Self.isObject(body),
      let message = (try? JSONParser.parse(body))?.object
    else { return self }
    return OwnTracks.isMessage(message) ? .ownTracks : self
  }

  private static func isObject(_ body: [UInt8]) -> Bool {
    body.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
  }

  func read(_ request: PhoneRequest, query: [UInt8]) throws(UnusableMessage) -> PhoneMessage {
    switch self {
    case .ownTracks:
      let name = OwnTracks.name(in: request, query: FormFields(query))
      return try OwnTracks.read(request.body, name: name)
    case .osmAnd(let name):
      if Self.isObject(request.body) { return try TraccarJSON.read(request.body, app: name) }
      return try OsmAndForm.read(FormFields(query, request.body), app: name)
    case .gpsLogger: return try GPSLoggerForm.read(FormFields(query, request.body))
    }
  }
}
