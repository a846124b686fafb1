import CivilTime
import Geodesy
import Glibc
import JSONText
import TestSupport
import Testing

@testable import Phones

/// The messages of the four apps.
@Suite struct AppTests {
  private func read(_ request: PhoneRequest) throws -> PhoneMessage {
    let parts = request.target.split(separator: UInt8(ascii: "?"), maxSplits: 1)
    let path = String(decoding: parts.first ?? [], as: UTF8.self).split(separator: "/")
    let app = try #require(PhoneApp(path: path.map(String.init)))
    return try app.read(request, query: parts.count > 1 ? Array(parts[1]) : [])
  }

  private func position(_ request: PhoneRequest) throws -> PhonePosition {
    guard case .positions(let positions) = try read(request) else {
      throw UnusableMessage.noPosition
    }
    try #require(positions.count == 1)
    return positions[0]
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
    #expect(abs((position.error ?? 0) / 13 - factor) < 0.0001)
    #expect(position.altitude == 46)
    #expect(abs((position.speed ?? 0) - request.speed) < 1e-6)
    #expect(position.track == 271)
  }

  @Test func ownTracksIsNamedByItsTopicWithoutHeaders() throws {
    let position = try position(Recorded.ownTracksByTopic)
    #expect(position.device == "owntracks:jane/9F2B")
    #expect(position.speed == nil && position.track == nil)
  }

  @Test(arguments: [
    "", #"{"_type":"lwt","tst":1781279100}"#,
    #"{"_type":"transition","lat":53.5,"lon":9.9,"tst":1781279100,"event":"enter"}"#,
    #"{"_type":"status","iOS":{}}"#, #"{"_type":"waypoints","waypoints":[]}"#,
    // A ping has the present time and an old position.
    #"{"_type":"location","t":"p","lat":53.5,"lon":9.9,"tst":1781279100}"#,
  ])
  func messagesOfOwnTracksWithoutAFreshPositionAreNothing(body: String) throws {
    #expect(try read(Recorded.post("/pub", body)) == .nothing)
  }

  @Test(arguments: [
    (#"{"_type":"encrypted","data":"Rm9v"}"#, UnusableMessage.encrypted),
    (#"{"_type":"poem"}"#, .unknownType), (#"{"lat":53.5}"#, .unknownType), ("[]", .noJSON),
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
      #expect(try position(Recorded.post("/pub", body)).error == error)
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
    #expect(abs((knots.speed ?? 0) - 5.144_444) < 1e-6)
    let metres = try position(
      PhoneRequest(method: "GET", target: Array("/?\(fields)&unit=mps".utf8)))
    #expect(metres.speed == 10)
  }

  @Test func aFormInTheBodyIsReadLikeAQuery() throws {
    let request = Recorded.post(
      "/traccar?id=van", "location=53.5461,9.9661&timestamp=2026-06-12T15%3A45%3A00Z&hdop=13")
    let position = try position(request)
    #expect(position.device == "traccar:van")
    #expect(position.position.longitude == 9.9661)
    #expect(position.time.seconds == Recorded.seconds)
    #expect(position.error.map { $0 > 20 } == true)
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
    guard case .positions(let positions) = try read(Recorded.post("/", body)) else {
      throw UnusableMessage.noPosition
    }
    #expect(positions.map(\.time.seconds) == [Recorded.seconds, Recorded.seconds + 1])
    #expect(positions.allSatisfy { $0.device == "traccar:48241179" })
    #expect(
      positions.allSatisfy { $0.error == nil && $0.speed == nil && $0.track == nil })
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
