import TestSupport

@testable import Phones

/// The recorded requests, as the receiver gets them.
enum Recorded {
  static let seconds = RecordedRequest.seconds
  static let latitude = RecordedRequest.latitude
  static let longitude = RecordedRequest.longitude

  static let ownTracks = PhoneRequest(.ownTracks)
  static let osmAnd = PhoneRequest(.osmAnd)
  static let gpsLogger = PhoneRequest(.gpsLogger)

  /// OwnTracks for iOS behind a proxy that drops its headers.
  static let ownTracksByTopic = post(
    "/pub",
    """
    {"tst":1781279100,"acc":65,"_type":"location","alt":7,"lon":9.9661,"vac":10,"p":101.2,\
    "lat":53.5461,"topic":"owntracks/jane/9F2B","conn":"m","batt":55,"tid":"JJ"}
    """)

  static func post(_ target: String, _ body: String) -> PhoneRequest {
    PhoneRequest(
      method: "POST", target: Array(target.utf8), announcedLength: body.utf8.count,
      body: Array(body.utf8))
  }
}

extension PhoneRequest {
  init(_ recorded: RecordedRequest) {
    self.init(
      method: recorded.method, target: Array(recorded.target.utf8), user: recorded.user,
      device: recorded.device,
      announcedLength: recorded.method == "POST" ? recorded.body.utf8.count : nil,
      body: Array(recorded.body.utf8))
  }
}

extension PhoneReceiver {
  /// With the shared token alone; nil lets everybody send.
  init(token: AccessToken?) { self.init(access: PhoneAccess(shared: token)) }
}
