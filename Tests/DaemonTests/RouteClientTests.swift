import CivilTime
import Control
import Departure
import Geodesy
import JSONText
import LinuxRuntime
import Logging
import Reminders
import Routing
import TestSupport
import Testing

@testable import Daemon

/// The daemon's end of `georemind-route`, over a socket.
@Suite struct RouteClientTests {
  private final class Bench {
    let folder: TemporaryFolder
    let loop: EventLoop
    var answers: [RouteAnswer] = []
    private(set) var client: RouteClient?
    private var listener: UnixListener?
    private(set) var streams: [StreamConnection] = []
    /// Calls that have come, as JSON.
    private(set) var calls: [JSONValue] = []
    /// What each call is answered with; nil is nothing.
    var reply: (JSONValue) -> String? = { _ in nil }

    init(listens: Bool = true) throws {
      folder = try TemporaryFolder()
      loop = try EventLoop()
      if listens { try listen() }
      client = try RouteClient(
        path: "\(folder.path)/route", loop: loop, log: Logger(label: "test"),
        onAnswer: { [unowned self] in answers.append($0) })
    }

    func listen() throws {
      listener = try UnixListener(path: "\(folder.path)/route", mode: 0o600, loop: loop) {
        [unowned self] stream in
        streams.append(stream)
        stream.onMessage = { [unowned self, unowned stream] bytes in
          guard let call = try? JSONParser.parse(Array(bytes)) else { return }
          calls.append(call)
          if let text = reply(call) { stream.send(Array(text.utf8) + [0]) }
        }
      }
    }

    func stopListening() {
      for stream in streams { stream.close() }
      streams = []
      listener?.close()
      listener = nil
    }

    func ask(_ number: Int) {
      client?.ask(
        RouteRequest(
          number: number, transport: .cycling,
          origin: Coordinate(clampingLatitude: 53.5, wrappingLongitude: 10),
          destinations: [Coordinate(clampingLatitude: 53.6, wrappingLongitude: 10)]))
    }

    func run(until condition: () -> Bool) throws {
      let limit = SystemClock.monotonic.microseconds + 30_000_000
      while !condition() {
        try #require(SystemClock.monotonic.microseconds < limit)
        _ = try loop.runOnce(timeout: 100_000)
      }
    }

    func stop() {
      client?.stop()
      stopListening()
    }
  }

  private static let hour = #"{"parameters":{"times":[3600,null]}}"#

  @Test func anAnswerCarriesItsNumber() throws {
    let bench = try Bench()
    defer { bench.stop() }
    bench.reply = { _ in Self.hour }
    bench.ask(7)
    bench.ask(8)
    // Never from within the question.
    #expect(bench.answers.isEmpty)
    try bench.run { bench.answers.count == 2 }
    #expect(bench.answers[0] == RouteAnswer(number: 7, times: .success([.hours(1), nil])))
    #expect(bench.answers[1].number == 8)
    #expect(bench.streams.count == 1)
    let call = try #require(bench.calls.first)
    #expect(call["method"]?.string == "org.georemind.route.Table")
    #expect(call["parameters"]?["transport"]?.string == "cycling")
    #expect(bench.client?.isConnected == true)
  }

  @Test func aRefusalIsItsReason() throws {
    let bench = try Bench()
    defer { bench.stop() }
    bench.reply = { _ in
      #"{"error":"org.georemind.route.EngineTrouble","parameters":{"reason":"it is away"}}"#
    }
    bench.ask(1)
    try bench.run { !bench.answers.isEmpty }
    #expect(
      bench.answers == [RouteAnswer(number: 1, times: .failure(RouteFailure("it is away")))])
  }

  @Test func withoutAListenerEveryQuestionFailsInTheNextTurn() throws {
    let bench = try Bench(listens: false)
    defer { bench.stop() }
    bench.ask(1)
    bench.ask(2)
    #expect(bench.answers.isEmpty)
    try bench.run { bench.answers.count == 2 }
    #expect(bench.answers.map(\.number) == [1, 2])
    // Once it is there, it is asked.
    try bench.listen()
    bench.reply = { _ in Self.hour }
    bench.ask(3)
    try bench.run { bench.answers.count == 3 }
    #expect(bench.answers.last?.times == .success([.hours(1), nil]))
  }

  @Test func aDisconnectedEngineFailsAllOpenQuestions() throws {
    let bench = try Bench()
    defer { bench.stop() }
    bench.ask(1)
    bench.ask(2)
    try bench.run { bench.calls.count == 2 }
    bench.stopListening()
    try bench.run { bench.answers.count == 2 }
    for answer in bench.answers {
      guard case .failure(let failure) = answer.times else {
        Issue.record("an answer from nobody")
        continue
      }
      #expect(failure.description.contains("disconnected"))
    }
    #expect(bench.client?.isConnected == false)
  }

  @Test func aClientThatStopsAnswersWhatIsOpen() throws {
    let bench = try Bench()
    defer { bench.stop() }
    bench.ask(1)
    bench.ask(2)
    try bench.run { bench.calls.count == 2 }
    bench.client?.stop()
    let failure = RouteFailure("the connection to georemind-route was closed")
    #expect(bench.answers == [1, 2].map { RouteAnswer(number: $0, times: .failure(failure)) })
    #expect(bench.client?.isConnected == false)
  }

  @Test(arguments: ["nonsense", "[1]", "{\"parameters\":7}"])
  func nonsenseEndsTheConnection(text: String) throws {
    let bench = try Bench()
    defer { bench.stop() }
    bench.reply = { _ in text }
    bench.ask(1)
    try bench.run { !bench.answers.isEmpty }
    guard case .failure = bench.answers[0].times else {
      Issue.record("times out of nonsense")
      return
    }
    // The next question has a connection of its own.
    bench.reply = { _ in Self.hour }
    bench.ask(2)
    try bench.run { bench.answers.count == 2 }
    #expect(bench.answers[1].times == .success([.hours(1), nil]))
  }
}
