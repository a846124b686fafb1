import Control
import JSONText
import TestSupport
import Testing

@Suite struct VarlinkFuzzTests {
  private typealias Connection = VarlinkConnection<Int>

  private static let calls = [
    #"{"method":"org.georemind.Add","parameters":{"reminder":{"title":"x"}}}"#,
    #"{"method":"org.georemind.AddPlace","parameters":{"name":"a","latitude":1,"longitude":2}}"#,
    #"{"method":"org.georemind.WatchFirings","more":true}"#,
    #"{"method":"org.varlink.service.GetInfo"}"#,
    #"{"method":"org.georemind.List","parameters":{"kind":"date","all":null},"oneway":true}"#,
  ]

  /// Whatever the bytes, the service's end answers, stays within its bounds and sends whole
  /// messages only.
  @Test(arguments: 0..<4) func theServiceNeverTraps(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let service = try VarlinkService(
      vendor: "", product: "", version: "", url: "", interfaces: [GeoremindInterface.text],
      streaming: GeoremindInterface.streamingMethods)
    let alphabet = Array("{}[]:,\"\\eE0-.amno ".utf8) + [0, 0, 0xFF]
    for _ in 0..<200 {
      var connection = Connection(service: service, peer: 0, messageLimit: 300, outputLimit: 600)
      var stream = Self.calls.shuffled(using: &generator).flatMap { wire($0) }
      if Int.random(in: 0..<4, using: &generator) > 0 {
        stream = generator.mutate(stream, alphabet: alphabet)
      }
      var actions: [Connection.Action] = []
      while !stream.isEmpty {
        let count = Int.random(in: 1...min(90, stream.count), using: &generator)
        actions += connection.receive(stream.prefix(count)) { call, _ in
          call.more ? .stream(first: [JSONObject()]) : .reply(JSONObject())
        }
        stream.removeFirst(count)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: actions += connection.push(JSONObject(["n": 1]))
        case 1: actions += connection.sent(connection.unsentBytes) { _, _ in .reply(JSONObject()) }
        default: break
        }
      }
      for (index, action) in actions.enumerated() {
        switch action {
        case .send(let bytes):
          #expect(bytes.last == 0 && bytes.dropLast().allSatisfy { $0 != 0 })
          #expect((try? VarlinkReply(message: bytes.dropLast())) != nil)
        case .close: #expect(index == actions.count - 1 && connection.isClosed)
        }
      }
    }
  }

  @Test(arguments: 0..<2) func theClientNeverTraps(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed) &+ 50)
    let replies =
      wire(#"{"parameters":{"a":[1,2]},"continues":true}"#) + wire("{}")
      + wire(#"{"error":"org.georemind.NotFound","parameters":{"id":"x"}}"#)
    let alphabet = Array("{}[]:,\"\\eE0-.a".utf8) + [0, 0xFF]
    for _ in 0..<600 {
      var session = VarlinkClientSession(replyLimit: 200)
      for more in [true, true, false] { _ = try session.call("a.B", more: more) }
      let taken = try? session.receive(generator.mutate(replies, alphabet: alphabet))
      for reply in taken ?? [] {
        if case .failure(let error) = reply.result { #expect(!error.description.isEmpty) }
      }
    }
  }

  /// Both ends together: whatever is called, however the bytes are cut, each call has its reply.
  @Test(arguments: 0..<4) func theEndsUnderstandEachOther(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed) &+ 200)
    var connection = Connection(
      service: try toyService(), peer: 0, messageLimit: 4_000, outputLimit: 300)
    var session = VarlinkClientSession()
    var expected: [String] = []
    var toService: [UInt8] = []
    var toClient: [UInt8] = []
    var received: [String] = []

    func answer(_ call: VarlinkCall, _ peer: Int) -> VarlinkAnswer { .reply(call.parameters) }
    func take(_ actions: [Connection.Action]) {
      for action in actions {
        if case .send(let bytes) = action { toClient += bytes } else { Issue.record("closed") }
      }
    }

    for number in 0..<150 {
      let isKnown = Bool.random(using: &generator)
      let text = "\(number) \(String(repeating: "\u{0}é\"", count: number % 5))"
      toService += try session.call(
        isKnown ? "org.example.Echo" : "org.example.Nope", JSONObject(["text": .string(text)])
      ).bytes
      expected.append(isKnown ? text : "MethodNotFound")
    }
    while received.count < expected.count {
      if connection.wantsInput {
        let count = Int.random(in: 0...min(120, toService.count), using: &generator)
        take(connection.receive(toService.prefix(count), handler: answer))
        toService.removeFirst(count)
      }
      let count = Int.random(in: 0...min(90, toClient.count), using: &generator)
      for reply in try session.receive(toClient.prefix(count)) {
        switch reply.result {
        case .success(let parameters): received.append(parameters["text"]?.string ?? "")
        case .failure(let error):
          received.append(VarlinkCall(method: error.name).methodName)
        }
      }
      toClient.removeFirst(count)
      take(connection.sent(count, handler: answer))
      try #require(count > 0 || !toClient.isEmpty || !toService.isEmpty)
    }
    #expect(received == expected)
    #expect(session.pendingCalls == 0 && connection.unsentBytes == 0)
  }
}
