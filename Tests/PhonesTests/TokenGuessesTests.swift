import CivilTime
import Testing

@testable import Phones

/// The lock-out after wrong tokens.
@Suite struct TokenGuessesTests {
  private static let token = "Kq3vX9mT2pLs8aYd"
  private static let guess = "/Kq3vX9mT2pLs8aYe/osmand"

  private static func moment(_ steady: Int64) -> ClockReadings {
    ClockReadings(steady: steady, real: Instant(seconds: Recorded.seconds + 1))
  }

  private func status(
    _ receiver: inout PhoneReceiver, _ path: String, from network: ClientNetwork?,
    at steady: Int64
  ) -> PhoneAnswer {
    var request = Recorded.osmAnd
    request.target = Array((path + "?").utf8) + request.target.drop { $0 != 0x3F }.dropFirst()
    request.network = network
    return receiver.receive(request, at: Self.moment(steady), isFeedOpen: true).answer
  }

  @Test(arguments: [
    [192, 168, 1, 7], [0x20, 1, 0xD, 0xB8, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9],
  ])
  func tenWrongTokensInAMinuteLockAnAddressOutForAMinute(address: [UInt8]) throws {
    let own = try #require(ClientNetwork(address: address))
    let other = try #require(ClientNetwork(address: [192, 168, 1, 8]))
    let right = "/\(Self.token)/osmand"
    var receiver = PhoneReceiver(token: AccessToken(Self.token))
    // The first is more than a minute before the last.
    #expect(status(&receiver, Self.guess, from: own, at: 0).status == 401)
    for number in 1...9 {
      let time = 60_000_000 + Int64(number)
      #expect(status(&receiver, Self.guess, from: own, at: time).status == 401)
    }
    #expect(status(&receiver, right, from: own, at: 60_000_010).status == 200)
    #expect(status(&receiver, Self.guess, from: own, at: 61_000_000).status == 401)
    #expect(
      status(&receiver, right, from: own, at: 61_000_000) == PhoneAnswer(429, retryAfter: 60))
    #expect(status(&receiver, right, from: other, at: 61_000_000).status == 200)
    #expect(
      status(&receiver, Self.guess, from: own, at: 120_999_999) == PhoneAnswer(429, retryAfter: 1))
    #expect(status(&receiver, right, from: own, at: 121_000_000).status == 200)
    #expect(
      receiver.logLines(at: 0, isEnd: true) == [
        "Refused 11 requests without a valid token",
        "Refused 2 requests of addresses that had sent too many wrong tokens",
      ])
  }

  /// A proxy on this machine sends for everybody.
  @Test(arguments: [
    [127, 0, 0, 1], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 9],
  ])
  func wrongTokensThroughAProxyLockNobodyOut(address: [UInt8]) throws {
    let proxy = try #require(ClientNetwork(address: address))
    var receiver = PhoneReceiver(token: AccessToken(Self.token))
    for number in 0..<100 {
      #expect(status(&receiver, Self.guess, from: proxy, at: Int64(number)).status == 401)
    }
    #expect(status(&receiver, "/\(Self.token)/osmand", from: proxy, at: 100).status == 200)
  }

  /// A browser or a scanner that knows nothing of tokens is no guesser.
  @Test func aRequestWithoutAnyTokenIsNoGuess() throws {
    let own = try #require(ClientNetwork(address: [10, 0, 0, 1]))
    var receiver = PhoneReceiver(token: AccessToken(Self.token))
    for number in 0..<100 {
      #expect(status(&receiver, "/index.html", from: own, at: Int64(number)).status == 401)
    }
    for number in 0..<10 {
      var request = Recorded.ownTracks
      request.network = own
      request.authorization = "Basic amFuZTpLcTN2WDltVDJwTHM4YVk="
      #expect(
        receiver.refusal(request, at: Self.moment(Int64(number))) == PhoneAnswer(401))
    }
    #expect(status(&receiver, "/index.html", from: own, at: 20).status == 429)
    // A new token begins anew.
    receiver.access.shared = AccessToken("Zq3vX9mT2pLs8aYd")
    #expect(status(&receiver, "/index.html", from: own, at: 20).status == 401)
  }

  @Test func guessesOfManyNetworksTakeNoMoreMemory() {
    var guesses = TokenGuesses()
    for number in 0..<100_000 {
      guesses.note(.ipv6(prefix: UInt64(number / 10)), at: Int64(number))
      #expect(guesses.networkCount <= TokenGuesses.maximumNetworks)
    }
    #expect(guesses.wait(of: .ipv6(prefix: 9_999), at: 100_000) == 60)
    #expect(guesses.wait(of: .ipv6(prefix: 9_000), at: 100_000) == nil)
    for number in 0..<1_000 { guesses.note(.ipv4(1), at: 100_000 + Int64(number)) }
    #expect(guesses.wait(of: .ipv4(1), at: 101_000) == 60)
  }
}
