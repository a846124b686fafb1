import Bytes
import CivilTime
import Testing

@testable import Phones

/// The answers, by which a phone keeps a message or forgets it.
@Suite struct PhoneReceiverTests {
  private static let token = "Kq3vX9mT2pLs8aYd"

  /// - Parameter late: seconds after the recorded position.
  private func moment(_ late: Double = 1, steady: Int64 = 0) -> ClockReadings {
    ClockReadings(steady: steady, real: Instant(seconds: Recorded.seconds + late))
  }

  private func status(
    _ request: PhoneRequest, token: String? = nil, isFeedOpen: Bool = true
  ) -> Int {
    var receiver = PhoneReceiver(token: token.flatMap { AccessToken($0) })
    return receiver.receive(request, at: moment(), isFeedOpen: isFeedOpen).answer.status
  }

  @Test func aPositionIsTakenWhileTheDaemonReads() {
    var receiver = PhoneReceiver(token: nil)
    let away = receiver.receive(Recorded.ownTracks, at: moment(), isFeedOpen: false)
    #expect(away == .init(answer: PhoneAnswer(503)))
    let taken = receiver.receive(Recorded.ownTracks, at: moment(), isFeedOpen: true)
    #expect(taken.answer == PhoneAnswer(200, "[]"))
    #expect(
      taken.reports
        == #"{"class":"TPV","device":"owntracks:jane/phone","mode":2,"#
        + #""time":"2026-06-12T15:45:00.000Z","lat":53.5461,"lon":9.9661,"alt":46,"speed":5,"#
        + #""track":271,"eph":21.0795}"# + "\n")
    #expect(receiver.logDue == nil)
  }

  @Test func whatCanNeverBeUsedIsTakenAndCounted() {
    var receiver = PhoneReceiver(token: nil)
    for _ in 0..<3 {
      let outcome = receiver.receive(
        Recorded.post("/pub", "no"), at: moment(), isFeedOpen: false)
      #expect(outcome == .init(answer: PhoneAnswer(200, "[]")))
    }
    #expect(receiver.logDue == 5_000_000)
    #expect(receiver.logLines(at: 4_999_999) == [])
    #expect(
      receiver.logLines(at: 5_000_000) == [
        "Left out 3 of the messages, which can never be used: it is no JSON object (3)"
      ])
    _ = receiver.receive(
      Recorded.post("/pub", "no"), at: moment(steady: 6_000_000), isFeedOpen: true)
    #expect(receiver.logDue == 605_000_000)
    #expect(receiver.logLines(at: 7_000_000, isEnd: true).count == 1)
    #expect(receiver.logDue == nil)
  }

  /// A phone that was offline for hours: 997 positions are old, and the last three count.
  @Test func aQueueOfAThousandIsEmptiedAndOldPositionsMoveNothing() {
    var receiver = PhoneReceiver(token: nil)
    var sent: [String] = []
    for number in 0..<1_000 {
      let time = Int(Recorded.seconds) - (999 - number) * 120
      let request = Recorded.post(
        "/pub", #"{"_type":"location","lat":53.5,"lon":9.9,"tid":"ne","tst":\#(time)}"#)
      let isFresh = number >= 997
      // The old ones need no daemon.
      let outcome = receiver.receive(
        request, at: moment(steady: Int64(number) * 1_000), isFeedOpen: isFresh)
      #expect(outcome.answer.status == 200, "\(number)")
      if !outcome.reports.isEmpty { sent.append(outcome.reports) }
    }
    #expect(sent.count == 3)
    #expect(
      receiver.logLines(at: 10_000_000) == [
        "Dropped 997 positions that were old when they came; the last of owntracks:ne"
      ])
  }

  /// The answer and the log say what was left out; the rest is taken.
  @Test func aBadPositionOfAListCostsItself() {
    var receiver = PhoneReceiver(token: nil)
    func location(_ time: Double, _ latitude: Double) -> String {
      #"{"timestamp":\#(time),"coords":{"latitude":\#(latitude),"longitude":9.9}}"#
    }
    let list = [
      location(Recorded.seconds, 53.5), location(Recorded.seconds, 95), location(-1, 53.5),
      location(Recorded.seconds, 0), location(Recorded.seconds, 96),
      location(Recorded.seconds - 1_000, 53.5),
    ].joined(separator: ",")
    let outcome = receiver.receive(
      Recorded.post("/traccar", #"{"device_id":"t","location":[\#(list)]}"#), at: moment(),
      isFeedOpen: true)
    #expect(outcome.answer.status == 200)
    #expect(
      outcome.answer.body
        == "left out 4 of 6: it has no position (2), it has no time, or none that can be read (1), "
        + "it was old when it came (1)\n")
    #expect(outcome.reports.split(separator: "\n").count == 2)
    #expect(
      receiver.logLines(at: 0, isEnd: true) == [
        "Left out 3 of the messages, which can never be used: it has no position (2), "
          + "it has no time, or none that can be read (1)",
        "Dropped 1 positions that were old when they came; the last of traccar:t",
      ])
  }

  /// A phone whose receiver miscounts the weeks writes dates of twenty years ago.
  @Test func aWeekRolloverIsCorrectedBeforeTheAgeCounts() {
    for periods in [-2, -1, 0, 1] {
      var receiver = PhoneReceiver(token: nil)
      let time = Int(Recorded.seconds) + periods * 7168 * 86_400
      let outcome = receiver.receive(
        Recorded.post("/pub", #"{"_type":"location","lat":53.5,"lon":9.9,"tst":\#(time)}"#),
        at: moment(), isFeedOpen: true)
      #expect(outcome.reports.contains("2026-06-12T15:45:00.000Z"), "\(periods)")
    }
  }

  @Test func fiveMinutesAreTheLimitAndTheFutureIsTheDaemonsToJudge() {
    for (late, isSent) in [(300.0, true), (300.001, false), (-86_400, true)] {
      var receiver = PhoneReceiver(token: nil)
      let outcome = receiver.receive(Recorded.osmAnd, at: moment(late), isFeedOpen: true)
      #expect(outcome.answer.status == 200)
      #expect(outcome.reports.isEmpty != isSent, "\(late)")
    }
  }

  @Test func aPhoneMaySendTwentyASecondAndAQueueAtOnce() {
    var receiver = PhoneReceiver(token: nil)
    func status(at steady: Int64, _ request: PhoneRequest = Recorded.osmAnd) -> Int {
      receiver.receive(request, at: moment(steady: steady), isFeedOpen: true).answer.status
    }
    #expect((0..<300).allSatisfy { _ in status(at: 0) == 200 })
    #expect(status(at: 0) == 429)
    #expect(status(at: 0, Recorded.gpsLogger) == 200)
    // What moves nothing is no burden.
    #expect(status(at: 0, Recorded.post("/pub", "no")) == 200)
    #expect((0..<20).allSatisfy { _ in status(at: 1_000_000) == 200 })
    #expect(status(at: 1_000_000) == 429)
    #expect(receiver.logLines(at: 9_000_000).last?.hasPrefix("Put off 2 messages") == true)
  }

  /// A list of Traccar Client is as much work as that many messages.
  @Test func eachPositionOfAListCounts() {
    var receiver = PhoneReceiver(token: nil)
    func status(_ count: Int, at steady: Int64) -> Int {
      receiver.receive(Self.list(of: count, "t"), at: moment(steady: steady), isFeedOpen: true)
        .answer.status
    }
    #expect((0..<3).allSatisfy { _ in status(100, at: 0) == 200 })
    #expect(status(1, at: 0) == 429)
    #expect(status(100, at: 4_999_999) == 429)
    #expect(status(100, at: 5_000_000) == 200)
    // A list that no level admits would come again without end.
    #expect(status(500, at: 60_000_000) == 200)
    #expect(status(1, at: 69_000_000) == 429)
    #expect(status(1, at: 71_000_000) == 200)
  }

  @Test func aNameForEachMessageIsNoWayAroundTheLimit() {
    var receiver = PhoneReceiver(token: nil)
    let taken = (0..<4_000).count { number in
      let request = Self.list(of: 1, "\(number)")
      return receiver.receive(request, at: moment(), isFeedOpen: true).answer.status == 200
    }
    #expect(taken == 3_000)
  }

  /// Fresh positions in one message.
  private static func list(of count: Int, _ device: String) -> PhoneRequest {
    let location =
      #"{"timestamp":\#(Int(Recorded.seconds)),"coords":{"latitude":53.5,"longitude":9.9}}"#
    let locations = Array(repeating: location, count: count).joined(separator: ",")
    return Recorded.post(
      "/traccar", #"{"device_id":"\#(device)","location":[\#(locations)]}"#)
  }

  @Test func manyPhonesTakeNoMoreMemoryAndNoTokensOfOthers() {
    var limiter = RateLimiter()
    func admitted(_ phone: Int, at now: Int64) -> Bool {
      limiter.admits("\(phone)", at: now)
    }
    #expect((0..<10_000).allSatisfy { admitted($0, at: Int64($0) * 5_000) })
    #expect((0..<400).count { _ in admitted(9_999, at: 49_995_000) } == 299)
    #expect(admitted(10_000, at: 49_995_000))
  }

  // MARK: - Rights and limits

  @Test func theTokenIsThePasswordOrTheFirstSegment() throws {
    func authorized(_ pair: String) -> PhoneRequest {
      var request = Recorded.ownTracks
      request.authorization = "Basic \(pair)"
      return request
    }
    // `printf 'jane:Kq3vX9mT2pLs8aYd' | base64`, and without the last letter.
    #expect(status(authorized("amFuZTpLcTN2WDltVDJwTHM4YVlk"), token: Self.token) == 200)
    #expect(status(authorized("amFuZTpLcTN2WDltVDJwTHM4YVk="), token: Self.token) == 401)
    #expect(status(authorized("!!"), token: Self.token) == 401)
    #expect(status(Recorded.ownTracks, token: Self.token) == 401)
    for (path, code) in [
      (Self.token, 200), (Self.token + "x", 401), ("Kq3vX9mT2pLs8aYe", 401), ("", 401),
    ] {
      var request = Recorded.osmAnd
      request.target = Array("/\(path)".utf8) + request.target
      #expect(status(request, token: Self.token) == code, "\(path)")
    }
  }

  @Test(arguments: ["", "short", "with a space in it", "with/a/slash/in/it", "motörhead-motörhead"])
  func aWeakTokenIsNone(text: String) { #expect(AccessToken(text) == nil) }

  @Test func base64IsThatOfRFC4648() {
    for (text, bytes) in [
      ("", ""), ("Zg==", "f"), ("aGk=", "hi"), ("Zm9v", "foo"), ("Zm9vYg==", "foob"),
      ("Zm9vYmE", "fooba"), ("Zm9vYmFy", "foobar"),
    ] {
      #expect(Base64.decoded(text) == Array(bytes.utf8))
    }
    #expect(Base64.decoded("Zm9v*") == nil)
  }

  @Test func otherPathsAndMethodsAndLongBodiesAreRefused() {
    func target(_ path: String) -> PhoneRequest {
      PhoneRequest(method: "GET", target: Array(path.utf8))
    }
    #expect(status(target("/index.html")) == 404)
    #expect(status(target("/pub/x")) == 404)
    #expect(status(target("/%2e%2e/pub")) == 404)
    var request = Recorded.ownTracks
    request.method = "DELETE"
    #expect(status(request) == 405)
    request = Recorded.post("/pub", String(repeating: " ", count: 65_536))
    #expect(status(request) == 200)
    request.body.append(32)
    #expect(status(request) == 413)
    request.announcedLength = 65_537
    var receiver = PhoneReceiver(token: nil)
    #expect(receiver.refusal(request, at: moment()) == .tooLong)
    // Before the body has come.
    request.body = []
    #expect(receiver.refusal(request, at: moment()) == .tooLong)
    request.announcedLength = 65_536
    #expect(receiver.refusal(request, at: moment()) == nil)
  }
}
