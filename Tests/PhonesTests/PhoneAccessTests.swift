import Bytes
import CivilTime
import JSONText
import Testing

@testable import Phones

/// Phones with a token of their own.
@Suite struct PhoneAccessTests {
  private static let anna = String(repeating: "a", count: 42) + "A"
  private static let ben = String(repeating: "b", count: 42) + "A"
  private static let shared = "Kq3vX9mT2pLs8aYd"

  private func receiver(
    _ phones: [String: String]? = ["anna": anna, "ben": ben], shared: String? = nil,
    isLocal: Bool = false
  ) -> PhoneReceiver {
    let named = phones?.map { (SecretToken.hash($0.value.utf8), $0.key) }
    return PhoneReceiver(
      access: PhoneAccess(
        shared: shared.flatMap { AccessToken($0) },
        phones: named.map { Dictionary(uniqueKeysWithValues: $0) }, isLocal: isLocal))
  }

  private func moment(_ late: Double = 1, steady: Int64 = 0) -> ClockReadings {
    ClockReadings(steady: steady, real: Instant(seconds: Recorded.seconds + late))
  }

  private func send(
    _ request: PhoneRequest, by token: String, asPassword: Bool = false
  ) -> PhoneRequest {
    var request = request
    if asPassword {
      request.authorization = "Basic " + Base64.encoded(Array("jane:\(token)".utf8))
    } else {
      request.target = Array("/\(token)".utf8) + request.target
    }
    return request
  }

  private func devices(_ outcome: PhoneReceiver.Outcome) -> [String] {
    outcome.reports.split(separator: "\n").compactMap {
      (try? JSONParser.parse(Array($0.utf8)))?["device"]?.string
    }
  }

  /// All of them claim another name.
  @Test(arguments: [Recorded.ownTracks, Recorded.osmAnd, Recorded.gpsLogger])
  func aTokenFeedsItsOwnPhoneWhateverNameTheMessageClaims(request: PhoneRequest) {
    var receiver = receiver()
    for asPassword in [false, true] {
      let outcome = receiver.receive(
        send(request, by: Self.anna, asPassword: asPassword), at: moment(), isFeedOpen: true)
      #expect(outcome.answer.status == 200)
      #expect(devices(outcome) == ["phone:anna"])
    }
  }

  @Test func positionsOfRadioCellsAreAReceiverOfTheirOwn() {
    var receiver = receiver()
    var request = Recorded.gpsLogger
    request.body = Array(
      String(decoding: request.body, as: UTF8.self).replacing("prov=gps", with: "prov=network").utf8
    )
    let outcome = receiver.receive(
      send(request, by: Self.anna), at: moment(), isFeedOpen: true)
    #expect(devices(outcome) == ["phone:anna/network"])
  }

  @Test func wrongAndRevokedTokensAreRefused() {
    var receiver = receiver()
    let wrong = String(repeating: "a", count: 42) + "B"
    func status(_ token: String) -> Int {
      receiver.receive(
        send(Recorded.osmAnd, by: token), at: moment(), isFeedOpen: true
      ).answer.status
    }
    #expect(status(wrong) == 401)
    #expect(status(String(Self.anna.dropLast())) == 401)
    #expect(status(Self.anna) == 200)
    receiver.access.phones = [SecretToken.hash(Self.ben.utf8): "ben"]
    #expect(status(Self.anna) == 401)
    #expect(status(Self.ben) == 200)
  }

  /// The hash itself is no token. A lock-out counts for wrong tokens of phones, and for the shared
  /// one; a revoked phone locks out no other behind its router.
  @Test func guessesLockOutAllButPhones() throws {
    var receiver = receiver(shared: Self.shared)
    let network = try #require(ClientNetwork(address: [192, 168, 1, 7]))
    for number in 0..<10 {
      var request = send(Recorded.osmAnd, by: SecretToken.hash(Self.anna.utf8))
      request.network = network
      let answer = receiver.refusal(request, at: moment(steady: Int64(number)))
      #expect(answer?.status == 401)
    }
    var right = send(Recorded.osmAnd, by: Self.anna)
    right.network = network
    #expect(receiver.refusal(right, at: moment(steady: 20)) == nil)
    #expect(throws: Never.self) { try receiver.page(right, at: moment(steady: 20)).get() }
    for token in [Self.shared, String(repeating: "x", count: 43)] {
      var other = send(Recorded.osmAnd, by: token)
      other.network = network
      #expect(receiver.refusal(other, at: moment(steady: 20))?.status == 429)
    }
  }

  /// Before the daemon has named the phones, a phone keeps its positions.
  @Test func noPhoneIsRefusedBeforeTheDaemonHasNamedThem() {
    for isLocal in [false, true] {
      var receiver = receiver(nil, isLocal: isLocal)
      let request = send(Recorded.osmAnd, by: Self.anna)
      #expect(receiver.receive(request, at: moment(), isFeedOpen: true).answer == .undecided)
      #expect(!PhoneAnswer.undecided.isOfAuthorized)
      #expect(
        receiver.refusal(Recorded.osmAnd, at: moment())?.status == (isLocal ? 503 : 401))
    }
  }

  @Test func everybodyMaySendToThisMachineUntilThereIsAToken() {
    func status(_ receiver: PhoneReceiver) -> Int {
      var receiver = receiver
      return receiver.receive(Recorded.osmAnd, at: moment(), isFeedOpen: true).answer.status
    }
    #expect(status(receiver([:], isLocal: true)) == 200)
    #expect(status(receiver([:], isLocal: false)) == 401)
    #expect(status(receiver(isLocal: true)) == 401)
    #expect(status(receiver([:], shared: Self.shared, isLocal: true)) == 401)
  }

  @Test func sendersOfTheSharedTokenNameThemselvesAndAreNoPhone() {
    var receiver = receiver(shared: Self.shared)
    let outcome = receiver.receive(
      send(Recorded.ownTracks, by: Self.shared), at: moment(), isFeedOpen: true)
    #expect(devices(outcome) == ["owntracks:jane/phone"])
    let page = receiver.page(send(Recorded.osmAnd, by: Self.shared), at: moment())
    #expect(throws: PhoneAnswer(401)) { try page.get() }
  }

  @Test func eachPhoneHasItsOwnRate() {
    var receiver = receiver(shared: Self.shared)
    func count(_ token: String, _ messages: Int) -> Int {
      (0..<messages).count { number in
        var request = send(Recorded.osmAnd, by: token)
        request.target = Array(
          String(decoding: request.target, as: UTF8.self)
            .replacing("id=nexus", with: "id=\(number)").utf8)
        return receiver.receive(request, at: moment(), isFeedOpen: true).answer.status == 200
      }
    }
    // Names of others take nothing from phones, and a phone has one rate for all its names.
    #expect(count(Self.shared, 4_000) == 3_000)
    #expect(count(Self.anna, 400) == 300)
    #expect(count(Self.ben, 300) == 300)
  }

  // MARK: - The page

  private func progress(_ receiver: inout PhoneReceiver, steady: Int64 = 0) throws -> PhoneProgress
  {
    try receiver.page(send(Recorded.osmAnd, by: Self.anna), at: moment(steady: steady)).get()
      .progress
  }

  @Test func thePageSaysWhatArrivedAndWhatIsWrong() throws {
    var receiver = receiver()
    #expect(try progress(&receiver) == PhoneProgress())
    func send(_ request: PhoneRequest, late: Double = 1, isFeedOpen: Bool = true) -> PhoneProgress?
    {
      let own = self.send(request, by: Self.anna)
      _ = receiver.receive(own, at: moment(late, steady: 7), isFeedOpen: isFeedOpen)
      return try? progress(&receiver)
    }
    #expect(send(Recorded.osmAnd, isFeedOpen: false)?.failure == .away)
    let good = send(Recorded.ownTracks)
    #expect(good?.failure == nil && good?.arrival?.time == 7)
    #expect(good?.arrival?.accuracy.map { (21...21.2).contains($0) } == true)
    #expect(send(Recorded.osmAnd, late: 120)?.failure == .old(120))
    #expect(send(Recorded.osmAnd, late: -7_200)?.failure == .ahead(7_200))
    let old = send(Recorded.osmAnd, late: 86_400)
    #expect(old?.failure == .old(86_400) && old?.arrival?.time == 7)
    #expect(send(Recorded.post("/pub", "no"))?.failure == .unusable(.noJSON))
    // A battery report changes nothing.
    #expect(
      send(Recorded.post("/pub", #"{"_type":"status"}"#))?.failure == .unusable(.noJSON))
    // The page of another phone has none of it.
    let other = self.send(Recorded.osmAnd, by: Self.ben)
    #expect(try receiver.page(other, at: moment()).get() == ("ben", PhoneProgress()))
    // Nor has a phone of this name that was added again.
    receiver.access.phones = [:]
    receiver.access.phones = [SecretToken.hash(Self.anna.utf8): "anna"]
    #expect(try progress(&receiver) == PhoneProgress())
  }

  @Test(arguments: [
    "9e18", "-9e18", "1e300", "9223372036854775807", "-9223372036854775808", "9223372036854", "0",
    "-62135596800", "253402300799",
  ])
  func timesOfAnySizeHaveAnAnswer(time: String) throws {
    var receiver = receiver()
    for body in [
      #"{"_type":"location","lat":53.5,"lon":9.9,"tst":\#(time)}"#,
      #"{"location":{"timestamp":\#(time),"coords":{"latitude":53.5,"longitude":9.9}}}"#,
    ] {
      let request = send(Recorded.post("/pub", body), by: Self.anna)
      let answer = receiver.receive(request, at: moment(), isFeedOpen: true).answer
      #expect(answer.status == 200)
      _ = try progress(&receiver).failure?.says
    }
  }

  @Test(arguments: [
    (PhoneProgress.Failure.old(7_199), "120 min old"), (.old(7_200), "2 h old"),
    (.old(200_000), "2 days old"), (.ahead(90), "2 min ahead"), (.old(1e300), "days old"),
    (.unusable(.encrypted), "encryption key"), (.away, "does not read"), (.tooFast, "20 positions"),
  ])
  func eachFailureSaysWhatIsWrong(failure: PhoneProgress.Failure, words: String) {
    #expect(failure.says.contains(words))
  }

  /// As the app reads it: the query, base64, JSON with documented keys.
  @Test func ownTracksReadsItsLink() throws {
    let link = PhoneSetup.ownTracksLink(
      address: "http://192.168.1.5:8088", name: "anna", token: Self.anna)
    let prefix = "owntracks:///config?inline="
    #expect(link.hasPrefix(prefix))
    let value = String(
      decoding: percentDecoded(Array(link.dropFirst(prefix.count).utf8)), as: UTF8.self)
    let bytes = try #require(Base64.decoded(value))
    #expect(Base64.encoded(bytes) == value && value.utf8.count % 4 == 0)
    let document = try #require(try JSONParser.parse(bytes).object)
    #expect(document["_type"] == "configuration" && document["mode"] == 3)
    #expect(document["url"] == "http://192.168.1.5:8088/pub" && document["auth"] == true)
    #expect(document["username"] == "anna" && document["password"]?.string == Self.anna)
    #expect(document["tid"] == "na")
    #expect(QRCode(link) != nil)
  }

  /// RFC 4648, section 10.
  @Test func base64IsWrittenAsItIsRead() {
    let texts = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg=="]
    for (text, encoded) in texts { #expect(Base64.encoded(Array(text.utf8)) == encoded) }
  }
}
