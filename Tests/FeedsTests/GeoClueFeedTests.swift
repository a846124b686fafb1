import JSONText
import TestSupport
import Testing

@testable import Feeds
@testable import LinuxRuntime

/// The feed against a GeoClue on a bus of its own. Without a dbus-daemon nothing is tested.
@Suite struct GeoClueFeedTests {
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let log = FeedLog()

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
  }

  private func makeFeed(_ address: String, silence: Int64? = 0) throws -> Feed {
    var options = quickOptions(silence: silence)
    options.systemBus = address
    return try Feed(.geoClue, loop: loop, options: options, handlers: log.handlers)
  }

  private static func here(
    seconds: UInt64, latitude: Double = 52.5
  ) -> KeyValuePairs<
    String, BusValue
  > {
    [
      "Latitude": .double(latitude), "Longitude": .double(13.4), "Accuracy": .double(25),
      "Altitude": .double(35), "Speed": .double(2.5), "Heading": .double(90),
      "Description": .string(""), "Timestamp": .structure([.uint64(seconds), .uint64(250_000)]),
    ]
  }

  @Test func asksForTheExactPositionAndPassesItOn() throws {
    guard let bus = try PrivateBus(in: folder) else { return }
    let fake = try FakeGeoClue(address: bus.address, loop: loop)
    let feed = try makeFeed(bus.address)
    feed.start()
    #expect(try loop.runUntil { feed.state == .open })
    #expect(
      fake.calls == [
        "GetClient", "DesktopId = variant(LinuxRuntime.BusValue.string(\"georemind\"))",
        "RequestedAccuracyLevel = variant(LinuxRuntime.BusValue.uint32(8))", "Start",
      ])
    try fake.move(to: Self.here(seconds: 1_780_000_000))
    #expect(try loop.runUntil { log.text.hasSuffix("\n") })
    #expect(
      log.text == """
        {"class":"TPV","device":"geoclue","mode":2,"time":1780000000.25,"lat":52.5,"lon":13.4,\
        "altMSL":35,"eph":25,"speed":2.5,"track":90}

        """)
    // Two in one turn, and both are read.
    try fake.move(to: Self.here(seconds: 1_780_000_001, latitude: 52.6))
    try fake.move(to: Self.here(seconds: 1_780_000_002, latitude: 52.7))
    #expect(try loop.runUntil { log.text.split(separator: "\n").count == 3 })
    #expect(log.text.contains("\"lat\":52.6,") && log.text.contains("\"lat\":52.7,"))
    #expect(log.events == ["open"])
    #expect(!feed.isStuck)
    feed.stop()
    #expect(feed.geoClue == nil)
  }

  /// The steps of an NMEA receiver are no metres, and nothing at or below 0 is an error.
  @Test(
    arguments: [
      (0.0, nil), (-1, nil), (.nan, nil), (.infinity, nil), (1, 38.0), (3, 95), (50, 50),
      (0.5, 0.5),
      (2, 2),
    ] as [(Double, Double?)])
  func theAccuracyIsMetresOrUnknown(_ accuracy: Double, _ error: Double?) throws {
    let location = try #require(
      GeoClueLocation([
        .options([
          "Latitude": .double(-33), "Longitude": .double(-70), "Accuracy": .double(accuracy),
          "Altitude": .double(-Double.greatestFiniteMagnitude), "Speed": .double(-1),
          "Heading": .double(-1), "Timestamp": .structure([.uint64(0), .uint64(0)]),
        ])
      ]))
    #expect(location.error == error)
    let report = try #require(JSONParser.parse(Array(location.report.utf8)).object)
    let members = ["class", "device", "mode", "lat", "lon"] + (error == nil ? [] : ["eph"])
    #expect(report.members.map(\.key) == members, "what is unknown is left out")
  }

  @Test func anAnswerWithoutAPositionIsNoLocation() {
    #expect(GeoClueLocation([]) == nil)
    #expect(GeoClueLocation([.options(["Latitude": .double(1)])]) == nil)
    #expect(
      GeoClueLocation([.options(["Latitude": .string("1"), "Longitude": .double(.nan)])]) == nil)
  }

  @Test func withoutAnAgentItSaysSoAndGoesOnWaiting() throws {
    guard let bus = try PrivateBus(in: folder) else { return }
    let fake = try FakeGeoClue(address: bus.address, loop: loop)
    fake.permits = false
    let feed = try makeFeed(bus.address)
    feed.start()
    #expect(try loop.runUntil { fake.calls.last == "Start" })
    #expect(feed.options.connectTimeout == 10_000_000)
    feed.timeIsUp()
    #expect(log.events.count == 1)
    #expect(log.events.first?.hasPrefix("silent: GeoClue waits for an agent: log in to a") == true)
    #expect(feed.state == .connecting && !feed.isStuck)
    try fake.permit()
    #expect(try loop.runUntil { feed.state == .open })
    try fake.move(to: Self.here(seconds: 1_780_000_000))
    #expect(try loop.runUntil { !log.bytes.isEmpty })
    #expect(log.events.count == 2)
  }

  /// In case that GeoClue has forgotten the client.
  @Test func afterALongWaitForAnAgentItAsksAnew() throws {
    guard let bus = try PrivateBus(in: folder) else { return }
    let fake = try FakeGeoClue(address: bus.address, loop: loop)
    fake.permits = false
    let feed = try makeFeed(bus.address)
    feed.start()
    #expect(try loop.runUntil { fake.calls.last == "Start" })
    feed.timeIsUp()
    feed.timeIsUp()
    #expect(log.events.last?.hasPrefix("lost: GeoClue waits for an agent") == true)
    #expect(try loop.runUntil { fake.calls.filter { $0 == "Start" }.count == 2 })
  }

  @Test func aRefusalIsTheReason() throws {
    guard let bus = try PrivateBus(in: folder) else { return }
    let fake = try FakeGeoClue(address: bus.address, loop: loop)
    fake.refusal = "'georemind' disallowed"
    let feed = try makeFeed(bus.address)
    feed.start()
    #expect(try loop.runUntil { !log.events.isEmpty })
    #expect(
      log.events.first
        == "lost: GeoClue refuses Start: 'georemind' disallowed "
        + "(org.freedesktop.DBus.Error.AccessDenied)")
    fake.refusal = nil
    #expect(try loop.runUntil { feed.state == .open })
  }

  /// The new one first repeats an old location, which is no sign of life.
  @Test func followsGeoClueToItsNextRun() throws {
    guard let bus = try PrivateBus(in: folder) else { return }
    var fake: FakeGeoClue? = try FakeGeoClue(address: bus.address, loop: loop)
    let feed = try makeFeed(bus.address)
    feed.start()
    #expect(try loop.runUntil { feed.state == .open })
    try fake?.move(to: Self.here(seconds: 1_780_000_000))
    #expect(try loop.runUntil { !log.bytes.isEmpty })
    log.bytes = []
    fake = nil
    #expect(try loop.runUntil { log.events.count == 2 })
    #expect(log.events == ["open", "lost: GeoClue ended"])
    let next = try FakeGeoClue(address: bus.address, loop: loop)
    #expect(try loop.runUntil { feed.state == .open })
    try next.move(to: Self.here(seconds: 1_780_000_000))
    try next.move(to: Self.here(seconds: 1_780_000_001, latitude: 52.6))
    #expect(try loop.runUntil { !log.bytes.isEmpty })
    #expect(log.text.contains("\"lat\":52.6,") && !log.text.contains("\"lat\":52.5,"))
  }

  @Test func silenceIsALossAndANewClientIsMade() throws {
    guard let bus = try PrivateBus(in: folder) else { return }
    let fake = try FakeGeoClue(address: bus.address, loop: loop)
    let feed = try makeFeed(bus.address, silence: 5000)
    feed.start()
    #expect(try loop.runUntil { log.events.count >= 3 })
    #expect(log.events.prefix(3) == ["open", "lost: nothing came for 0 s", "open"])
    #expect(fake.calls.filter { $0 == "GetClient" }.count >= 2)
  }

  @Test func aBusThatIsMissingOrEndsIsTheReason() throws {
    let feed = try makeFeed("unix:path=\(folder.path)/absent")
    feed.start()
    while feed.geoClue == nil { try loop.runOnce(timeout: 1_000_000) }
    feed.timeIsUp()
    #expect(log.events.first?.hasSuffix(", or see whether geoclue.service runs") == true)
    feed.stop()

    guard let bus = try PrivateBus(in: folder) else { return }
    let fake = try FakeGeoClue(address: bus.address, loop: loop)
    let other = try makeFeed(bus.address)
    other.start()
    #expect(try loop.runUntil { other.state == .open })
    log.events = []
    withExtendedLifetime(fake) { bus.end() }
    #expect(try loop.runUntil { !log.events.isEmpty })
    #expect(log.events.first == "lost: the system bus closed the connection")
  }

  @Test func nothingFollowsTheColon() throws {
    #expect(try FeedURL(parsing: "GeoClue:").description == "geoclue:")
    for text in ["geoclue:x", "geoclue:/x", "geoclue:?a=b", "geoclue://"] {
      #expect(throws: FeedURLError.self, "\(text)") { try FeedURL(parsing: text) }
    }
  }
}
