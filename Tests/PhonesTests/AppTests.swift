import CivilTime
import Geodesy
import Glibc
import JSONText
import Positioning
import TestSupport
import Testing

@testable import Phones

/// The messages of the four apps.
@Suite struct AppTests {
  private func read(_ request: PhoneRequest) throws -> PhoneMessage {
    let parts = request.target.split(separator: UInt8(ascii: "?"), maxSplits: 1)
    let path = String(decoding: parts.first ?? [], as: UTF8.self).split(separator: "/")
    let app = try #require(PhoneApp(path: path.map(String.init)))
    return try app.ofBody(request.body)
      .read(request, query: parts.count > 1 ? Array(parts[1]) : [])
  }

  private func position(_ request: PhoneRequest) throws -> PhonePosition {
    let message = try read(request)
    try #require(message.positions.count == 1 && message.leftOut.isEmpty)
    return message.positions[0]
  }

  /// In the circular normal distribution a radius r holds 1 − exp(−r² ÷ 2σ²).
  private let factor = (log(1 - 0.95) / log(1 - 0.68)).squareRoot()

  @Test(arguments: RecordedRequest.all)
  func eachAppGivesThePosition(request: RecordedRequest) throws {
    let position = try position(PhoneRequest(request))
    #expect(position.device == request.receiver)
    #expect(position.time == Instant(seconds: Recorded.seconds))
    #expect(position.time == (try Instant(rfc3339: "2026-06-12T15:45:00Z")))
    #expect(position.position.latitude == Recorded.latitude)
    #expect(position.position.longitude == Recorded.longitude)
    #expect(abs((position.fix.eph ?? 0) / 13 - factor) < 0.0001)
    #expect(position.fix.altitudeMSL == 46)
    #expect(abs((position.fix.speed ?? 0) - request.speed) < 1e-6)
    #expect(position.fix.track == 271)
  }

  @Test func ownTracksIsNamedByItsTopicWithoutHeaders() throws {
    let position = try position(Recorded.ownTracksByTopic)
    #expect(position.device == "owntracks:jane/9F2B")
    #expect(position.fix.speed == nil && position.fix.track == nil)
  }

  @Test(arguments: [
    "", #"{"_type":"lwt","tst":1781279100}"#,
    #"{"_type":"transition","tst":1781279100,"event":"enter","t":"b"}"#,
    #"{"_type":"status","iOS":{}}"#, #"{"_type":"waypoints","waypoints":[]}"#,
    // A ping has the present time and an old position.
    #"{"_type":"location","t":"p","lat":53.5,"lon":9.9,"tst":1781279100}"#,
  ])
  func messagesOfOwnTracksWithoutAFreshPositionAreNothing(body: String) throws {
    #expect(try read(Recorded.post("/pub", body)) == .nothing)
  }

  @Test(arguments: [
    (#"{"_type":"encrypted","data":"Rm9v"}"#, UnusableMessage.encrypted),
    (#"{"_type":"poem"}"#, .unknownType), (#"{"lat":53.5}"#, .unknownType),
    (#"{"_type":7,"lat":53.5,"lon":9.9}"#, .unknownType), ("[]", .noJSON),
    ("lat=53.5", .noJSON), (#"{"_type":"location","lat":NaN,"lon":1,"tst":1}"#, .noJSON),
    (#"{"_type":"location","lat":"NaN","lon":1,"tst":1}"#, .noPosition),
    (#"{"_type":"location","lat":91,"lon":1,"tst":1}"#, .noPosition),
    (#"{"_type":"location","lat":1e999,"lon":1,"tst":1}"#, .noPosition),
    (#"{"_type":"location","lat":0,"lon":0,"tst":1}"#, .noPosition),
    (#"{"_type":"location","lat":53.5,"lon":9.9}"#, .noTime),
    (#"{"_type":"location","lat":53.5,"lon":9.9,"tst":-1}"#, .noTime),
    (#"{"_type":"location","lat":53.5,"lon":9.9,"tst":1e300}"#, .noTime),
    (#"{"_type":"location","lat":53.5,"lon":9.9,"tst":"soon"}"#, .noTime),
  ])
  func whatOwnTracksNeverSendsCanNeverBeUsed(body: String, reason: UnusableMessage) throws {
    #expect(throws: reason) { try read(Recorded.post("/pub", body)) }
  }

  @Test func bytesThatAreNoUTF8AreNoJSON() throws {
    var request = Recorded.post("/pub", #"{"_type":"location","tid":""#)
    request.body += [0xC3, 0x28] + Array(#"","lat":53.5,"lon":9.9,"tst":1781279100}"#.utf8)
    #expect(throws: UnusableMessage.noJSON) { try read(request) }
  }

  @Test func aTimeInMillisecondsIsThatTime() throws {
    let body = #"{"_type":"location","lat":53.5,"lon":9.9,"tst":1781279100000,"tid":"ne"}"#
    #expect(try position(Recorded.post("/pub", body)).time.seconds == Recorded.seconds)
  }

  @Test func anErrorOfZeroOrLessIsUnknownAndAHugeOneIsHuge() throws {
    for (accuracy, error) in [("0", nil), ("-1", nil), ("1e9", 1_000_000.0)] {
      let body =
        #"{"_type":"location","lat":53.5,"lon":9.9,"tst":1781279100,"acc":\#(accuracy)}"#
      #expect(try position(Recorded.post("/pub", body)).fix.eph == error)
    }
  }

  @Test func aNameIsShortAndOneLine() throws {
    let name = "a\u{0}\u{202E}\n" + String(repeating: "ö", count: 100)
    let line = try position(
      PhoneRequest(
        method: "POST", target: Array("/pub".utf8), user: name, device: "d",
        body: Recorded.ownTracks.body)
    ).report
    #expect(line.utf8.count < 400)
    #expect(line.utf8.filter { $0 < 0x20 } == [0x0A])
    #expect(try JSONParser.parse(String(line.dropLast()))["class"]?.string == "TPV")
  }

  // MARK: - Forms

  @Test func speedIsInKnotsUnlessTheURLSaysOtherwise() throws {
    let fields = "lat=53.5&lon=9.9&timestamp=1781279100&speed=10"
    let knots = try position(PhoneRequest(method: "GET", target: Array("/?\(fields)".utf8)))
    #expect(abs((knots.fix.speed ?? 0) - 5.144_444) < 1e-6)
    let metres = try position(
      PhoneRequest(method: "GET", target: Array("/?\(fields)&unit=mps".utf8)))
    #expect(metres.fix.speed == 10)
  }

  @Test func aFormInTheBodyIsReadLikeAQuery() throws {
    let request = Recorded.post(
      "/traccar?id=van", "location=53.5461,9.9661&timestamp=2026-06-12T15%3A45%3A00Z&hdop=13")
    let position = try position(request)
    #expect(position.device == "traccar:van")
    #expect(position.position.longitude == 9.9661)
    #expect(position.time.seconds == Recorded.seconds)
    #expect(position.fix.eph.map { $0 > 20 } == true)
  }

  @Test(arguments: [
    "lat=NaN&lon=9.9&timestamp=1781279100", "lat=inf&lon=9.9&timestamp=1781279100",
    "lat=0x1p3&lon=9.9&timestamp=1781279100", "lat=53.5&timestamp=1781279100",
    "lat=53,5&lon=9,9&timestamp=1781279100", "lat=%00&lon=%zz&timestamp=1781279100",
    "location=53.5&timestamp=1781279100", "",
  ])
  func aFormWithoutAPositionIsNeverUsed(fields: String) throws {
    let request = PhoneRequest(method: "GET", target: Array("/osmand?\(fields)".utf8))
    #expect(throws: UnusableMessage.noPosition) { try read(request) }
  }

  @Test func aPositionThatIsMarkedInvalidIsNothing() throws {
    let target = "/?valid=false&lat=53.5&lon=9.9&timestamp=1781279100"
    #expect(try read(PhoneRequest(method: "GET", target: Array(target.utf8))) == .nothing)
  }

  /// Traccar Client 10 says so at rest, when it gets no position.
  @Test func aHeartbeatWithoutAPositionIsNothing() throws {
    let body = "id=48241179&timestamp=1781279100&batt=81&charge=true"
    #expect(try read(Recorded.post("/", body)) == .nothing)
  }

  // MARK: - Traccar Client 9

  @Test func traccarSendsListsAndMinusOne() throws {
    let coordinates =
      #""coords":{"latitude":53.5,"longitude":9.9,"accuracy":-1,"speed":-1,"heading":-1}"#
    let body = #"""
      {"location":[{"timestamp":"2026-06-12T15:45:00Z",\#(coordinates)},
       {"timestamp":1781279101000,\#(coordinates)}],"device_id":48241179}
      """#
    let positions = try read(Recorded.post("/", body)).positions
    #expect(positions.map(\.time.seconds) == [Recorded.seconds, Recorded.seconds + 1])
    #expect(positions.allSatisfy { $0.device == "traccar:48241179" })
    #expect(
      positions.allSatisfy { $0.fix.eph == nil && $0.fix.speed == nil && $0.fix.track == nil })
  }

  @Test func aBadPositionOfAListCostsItself() throws {
    func location(_ time: String, _ latitude: Double) -> String {
      #"{"timestamp":\#(time),"coords":{"latitude":\#(latitude),"longitude":9.9}}"#
    }
    let list = [
      location("1781279100", 53.5), location("1781279101", 95), location(#""noon""#, 53.5),
      location("1781279103", 53.6), "7", "null",
    ]
    let message = try read(
      Recorded.post("/", #"{"device_id":"t","location":[\#(list.joined(separator: ","))]}"#))
    #expect(message.positions.map(\.position.latitude) == [53.5, 53.6])
    #expect(message.leftOut == [.noPosition, .noTime, .noPosition, .noPosition])
  }

  // MARK: - One door

  /// The forms in which apps and their libraries write one moment.
  @Test(arguments: [
    "2026-06-12T15:45:00Z", "2026-06-12T15:45:00.000+0000", "2026-06-12T17:45:00+0200",
    "2026-06-12 15:45:00", "2026-06-12 15:45:00Z", "1781279100", "1781279100.0", "1781279100000",
  ])
  func eachFormOfATimeIsThatTime(_ text: String) throws {
    let form = text.map { $0 == "+" ? "%2B" : $0 == " " ? "%20" : "\($0)" }.joined()
    let target = "/osmand?lat=53.5&lon=9.9&timestamp=\(form)"
    let osmAnd = try position(PhoneRequest(method: "GET", target: Array(target.utf8)))
    #expect(osmAnd.time.seconds == Recorded.seconds)
    for body in [
      #"{"_type":"location","lat":53.5,"lon":9.9,"tst":"\#(text)"}"#,
      #"{"location":{"timestamp":"\#(text)","coords":{"latitude":53.5,"longitude":9.9}}}"#,
    ] {
      #expect(try position(Recorded.post("/", body)).time.seconds == Recorded.seconds)
    }
  }

  /// What no receiver may say, no phone may say either.
  @Test func valuesWithoutAMeaningAreUnknown() throws {
    let fields = "lat=53.5&lon=9.9&timestamp=1781279100&unit=mps&speed=655.35&bearing=327.67"
    let position = try position(PhoneRequest(method: "GET", target: Array("/?\(fields)".utf8)))
    #expect(position.fix.speed == nil && position.fix.track == nil)
    for place in ["lat=0&lon=0", "lat=-0.133&lon=-0.0"] {
      let target = "/?\(place)&timestamp=1781279100"
      #expect(throws: UnusableMessage.noPosition) {
        try self.position(PhoneRequest(method: "GET", target: Array(target.utf8)))
      }
    }
  }

  // MARK: - Messages of OwnTracks by other ways

  /// A phone enters a region of its own: it says where it is.
  @Test func aTransitionIsAPosition() throws {
    let body = #"""
      {"_type":"transition","wtst":1425042603,"lat":53.5461,"lon":9.9661,"tst":1781279100,"acc":13,
       "tid":"ne","event":"enter","desc":"Work","t":"c"}
      """#
    let position = try position(Recorded.post("/pub?u=jane&d=phone", body))
    #expect(position.device == "owntracks:jane/phone" && position.time.seconds == Recorded.seconds)
    #expect(position.position.latitude == Recorded.latitude)
    #expect(abs((position.fix.eph ?? 0) / 13 - factor) < 0.0001)
  }

  /// Colota has the fields of OwnTracks without its type, or with the names of its regions.
  @Test(arguments: [#""_type":"location","inregions":["Home"],"#, #""inregions":["Home"],"#, ""])
  func messagesWithRegionsOrWithoutATypeAreRead(more: String) throws {
    let body = #"""
      {\#(more)"lat":53.5461,"lon":9.9661,"acc":13,"alt":46,"vel":5.5,"batt":85,"bs":2,
       "tst":1781279100,"bear":271}
      """#
    for path in ["/", "/pub", "/traccar"] {
      let position = try position(Recorded.post(path, body))
      #expect(position.device.hasPrefix("owntracks:"))
      #expect(position.fix.speed == 5.5 && position.fix.track == 271)
    }
  }

  @Test func aMessageOfOwnTracksIsKnownAtAnyPath() throws {
    var request = Recorded.ownTracks
    for path in ["/", "/traccar", "/osmand", "/gpslogger"] {
      request.target = Array(path.utf8)
      #expect(try position(request) == position(Recorded.ownTracks))
    }
    #expect(throws: UnusableMessage.encrypted) {
      try read(Recorded.post("/", #"{"_type":"encrypted","data":"Rm9v"}"#))
    }
  }

  // MARK: - GPSLogger

  @Test func eachSourceOfGPSLoggerIsAReceiverOfItsOwn() throws {
    func device(_ fields: String) throws -> String {
      try position(
        Recorded.post(
          "/gpslogger",
          "latitude=53.5&longitude=9.9&time=2026-06-12T15:45:00.000Z&speed=3&\(fields)")
      ).device
    }
    #expect(try device("device=d&provider=gps") == "gpslogger:d/gps")
    #expect(try device("device=d&prov=network") == "gpslogger:d/network")
    #expect(try device("") == "gpslogger:phone")
  }
}
