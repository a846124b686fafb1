/// The content of a request.
package enum PhoneMessage: Equatable, Sendable {
  case positions([PhonePosition])
  /// Understood, but no position: a battery report, for example.
  case nothing
}

/// Why a message can never be used, however often a phone sends it.
package enum UnusableMessage: String, Error, CaseIterable, Sendable {
  case noJSON = "it is not JSON"
  case noPosition = "it has no position"
  case noTime = "it has no time, or none that can be read"
  case encrypted = "it is encrypted: remove the encryption key in OwnTracks"
  case unknownType = "OwnTracks has no such type of message"
}

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

  func read(_ request: PhoneRequest, query: [UInt8]) throws(UnusableMessage) -> PhoneMessage {
    switch self {
    case .ownTracks: return try OwnTracks.read(request, query: FormFields(query))
    case .osmAnd(let name):
      let first = request.body.first { !" \t\r\n".utf8.contains($0) }
      if first == UInt8(ascii: "{") { return try TraccarJSON.read(request.body, app: name) }
      return try OsmAndForm.read(FormFields(query, request.body), app: name)
    case .gpsLogger: return try GPSLoggerForm.read(FormFields(query, request.body))
    }
  }
}
