import Control
import JSONText
import Testing

@Suite struct VarlinkClientSessionTests {
  @Test func repliesFindTheirCalls() throws {
    var session = VarlinkClientSession()
    let first = try session.call("org.example.Echo", JSONObject(["text": "a"]))
    let watch = try session.call("org.example.Watch", more: true)
    #expect(
      String(decoding: first.bytes.dropLast(), as: UTF8.self)
        == #"{"method":"org.example.Echo","parameters":{"text":"a"}}"#)
    #expect(session.pendingCalls == 2)
    let replies = try session.receive(
      wire(#"{"error":"org.georemind.NotFound","parameters":{"id":"x"}}"#)
        + wire(#"{"parameters":{"count":1},"continues":true}"#) + wire(#"{"continues":true}"#))
    #expect(replies.map(\.call) == [first.id, watch.id, watch.id])
    #expect(replies.map(\.continues) == [false, true, true])
    #expect(replies[0].result == .failure(GeoremindError.notFound(id: "x").varlink))
    #expect(replies[1].result == .success(JSONObject(["count": 1])))
    #expect(replies[2].result == .success(JSONObject()))
    #expect(session.pendingCalls == 1)
    #expect(try session.receive(wire("{}")).map(\.continues) == [false])
    #expect(session.pendingCalls == 0)
  }

  @Test(arguments: ["{}", "x", #"{"continues":true}"#])
  func repliesWithoutACallAreRefused(text: String) {
    var session = VarlinkClientSession()
    #expect(throws: VarlinkProtocolError.self) { try session.receive(wire(text)) }
  }

  @Test func severalRepliesMustBeAskedFor() throws {
    var session = VarlinkClientSession()
    _ = try session.call("org.example.Echo")
    #expect(throws: VarlinkProtocolError.self) {
      try session.receive(wire(#"{"continues":true}"#))
    }
  }

  @Test func limitsHold() throws {
    var session = VarlinkClientSession(callLimit: 40, replyLimit: 20)
    #expect(throws: VarlinkProtocolError.tooLong(limit: 40)) {
      try session.call("org.example.Echo", JSONObject(["text": "a long text"]))
    }
    #expect(session.pendingCalls == 0)
    _ = try session.call("a.B")
    #expect(throws: VarlinkProtocolError.tooLong(limit: 20)) {
      try session.receive([UInt8](repeating: 0x20, count: 21))
    }
  }
}
