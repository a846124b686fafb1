import Control
import JSONText
import Testing

@Suite struct VarlinkConnectionTests {
  private typealias Connection = VarlinkConnection<String>

  private func connection(
    messageLimit: Int = 1_000, outputLimit: Int = 10_000
  ) throws
    -> Connection
  {
    Connection(
      service: try toyService(), peer: "someone", messageLimit: messageLimit,
      outputLimit: outputLimit)
  }

  private func answer(_ call: VarlinkCall, _ peer: String) -> VarlinkAnswer {
    switch call.methodName {
    case "Echo":
      call.parameters["text"] == "fail"
        ? .error(VarlinkServiceError.permissionDenied.varlink) : .reply(call.parameters)
    default: .stream(first: [JSONObject(["count": 0])])
    }
  }

  private func echo(_ text: String) -> [UInt8] {
    wire(#"{"method":"org.example.Echo","parameters":{"text":"\#(text)"}}"#)
  }

  private let watch = wire(#"{"method":"org.example.Watch","more":true}"#)

  private func echoed(_ text: String) -> String { #"{"parameters":{"text":"\#(text)"}}"# }

  @Test func pipelinedCallsAreAnsweredInOrder() throws {
    var connection = try connection()
    let actions = connection.receive(echo("a") + echo("fail") + echo("c"), handler: answer)
    #expect(
      told(actions) == [
        echoed("a"), #"{"error":"org.varlink.service.PermissionDenied","parameters":{}}"#,
        echoed("c"),
      ])
  }

  @Test func thePeerIsKnownToTheHandler() throws {
    var connection = try connection()
    var seen: [String] = []
    _ = connection.receive(echo("a")) { call, peer in
      seen.append("\(peer) \(call.method) \(call.more)")
      return .reply(JSONObject())
    }
    #expect(seen == ["someone org.example.Echo false"])
  }

  @Test(arguments: [
    (#"{"method":"org.other.Do"}"#, #"InterfaceNotFound","parameters":{"interface":"org.other"}"#),
    (#"{"method":"Do"}"#, #"InterfaceNotFound","parameters":{"interface":""}"#),
    (
      #"{"method":"org.example.No"}"#,
      #"MethodNotFound","parameters":{"method":"org.example.No"}"#
    ),
    (#"{"method":"org.example.Echo"}"#, #"InvalidParameter","parameters":{"parameter":"text"}"#),
    (
      #"{"method":"org.example.Later","parameters":{"x":1}}"#,
      #"InvalidParameter","parameters":{"parameter":"x"}"#
    ),
    (#"{"method":"org.example.Watch"}"#, #"ExpectedMore","parameters":{}"#),
    (
      #"{"method":"org.example.Later","upgrade":true}"#,
      #"MethodNotImplemented","parameters":{"method":"org.example.Later"}"#
    ),
    (
      #"{"method":"org.varlink.service.GetInterfaceDescription","parameters":{"interface":"a.b"}}"#,
      #"InterfaceNotFound","parameters":{"interface":"a.b"}"#
    ),
  ])
  func anUnknownMethodOrInterfaceIsRefused(call: String, error: String) throws {
    var connection = try connection()
    let actions = connection.receive(wire(call) + echo("on")) { call, peer in
      #expect(call.methodName == "Echo", "the handler must not see a refused call")
      return answer(call, peer)
    }
    #expect(told(actions) == [#"{"error":"org.varlink.service.\#(error)}"#, echoed("on")])
  }

  @Test func theServiceDescribesItself() throws {
    var connection = try connection()
    let actions = connection.receive(
      wire(#"{"method":"org.varlink.service.GetInfo"}"#)
        + wire(
          #"{"method":"org.varlink.service.GetInterfaceDescription","#
            + #""parameters":{"interface":"org.example"}}"#), handler: answer)
    let replies = told(actions)
    #expect(
      replies.first
        == #"{"parameters":{"vendor":"v","product":"p","version":"1","url":"https://example.org","#
        + #""interfaces":["org.varlink.service","org.example"]}}"#)
    let description = try JSONParser.parse(replies[1])["parameters"]?["description"]?.string
    #expect(try VarlinkInterface(parsing: #require(description)).methods.count == 3)
  }

  @Test func onewayCallsAreNeverAnswered() throws {
    var connection = try connection()
    let calls =
      wire(#"{"method":"org.example.Echo","parameters":{"text":"x"},"oneway":true}"#)
      + wire(#"{"method":"org.example.None","oneway":true}"#)
      + wire(#"{"method":"org.example.Later","oneway":true}"#)
      + wire(#"{"method":"org.example.Watch","more":true,"oneway":true}"#)
    var seen = 0
    let actions = connection.receive(calls + echo("on")) { call, peer in
      seen += 1
      return answer(call, peer)
    }
    #expect(told(actions) == [echoed("on")])
    #expect(seen == 4)
    #expect(connection.openCall == nil)
  }

  @Test func aStreamGoesOnUntilThePeerDisconnects() throws {
    var connection = try connection()
    #expect(connection.push(JSONObject()).isEmpty)
    let first = connection.receive(watch + echo("behind"), handler: answer)
    #expect(told(first) == [#"{"parameters":{"count":0},"continues":true}"#])
    #expect(connection.isStreaming && !connection.wantsInput)
    #expect(
      told(connection.push(JSONObject(["count": 1])))
        == [#"{"parameters":{"count":1},"continues":true}"#])
    #expect(connection.sent(connection.unsentBytes, handler: answer).isEmpty)
  }

  /// Only `streaming:` tells which methods answer many times; a handler may know of others.
  @Test func anUnrequestedStreamIsAnError() throws {
    var connection = try connection()
    let actions = connection.receive(echo("a")) { _, _ in .stream(first: [JSONObject()]) }
    #expect(told(actions) == [#"{"error":"org.varlink.service.ExpectedMore","parameters":{}}"#])
    #expect(connection.openCall == nil)
  }

  @Test(arguments: ["", "x", "[]", "{}", #"{"method":"a.B","parameters":1}"#])
  func nonsenseEndsTheConnection(text: String) throws {
    var connection = try connection()
    let actions = told(connection.receive(echo("a") + wire(text) + echo("b"), handler: answer))
    #expect(actions.count == 2 && actions[0] == echoed("a"))
    #expect(actions.last?.hasPrefix("closed: the peer does not speak Varlink") == true)
    #expect(connection.isClosed && !connection.wantsInput)
    #expect(connection.receive(echo("c"), handler: answer).isEmpty)
    #expect(connection.sent(1, handler: answer).isEmpty)
  }

  @Test func aMessageTooLongEndsTheConnection() throws {
    var connection = try connection(messageLimit: 100)
    #expect(connection.receive([UInt8](repeating: 0x20, count: 100), handler: answer).isEmpty)
    #expect(connection.wantsInput)
    let actions = told(connection.receive([0x20], handler: answer))
    #expect(actions.first?.contains("longer than 100 bytes") == true)
  }

  @Test func aClientThatDoesNotReadWaits() throws {
    var connection = try connection(messageLimit: 200, outputLimit: 50)
    let reply = echoed("a").utf8.count + 1
    let actions = connection.receive(
      echo("a") + echo("a") + echo("a") + echo("a"), handler: answer)
    // The second reply reaches the limit, the others wait for the socket.
    #expect(told(actions) == [echoed("a"), echoed("a")])
    #expect(connection.unsentBytes == 2 * reply)
    let isHeldOff = !connection.wantsInput
    #expect(isHeldOff)
    // What is sent all the same is held, up to a limit.
    #expect(connection.receive(echo("a"), handler: answer).isEmpty)
    #expect(connection.receive(echo("a"), handler: answer).isEmpty)
    #expect(connection.sent(2 * reply - 50, handler: answer).isEmpty)
    #expect(connection.sent(1, handler: answer).count == 1)
    var total = 3
    for _ in 0..<10 {
      total += connection.sent(connection.unsentBytes, handler: answer).count
    }
    #expect(total == 6)
    #expect(connection.unsentBytes == 0)
    #expect(connection.sent(.max, handler: answer).isEmpty)
    #expect(connection.sent(.min, handler: answer).isEmpty)
  }

  @Test func aClientThatFloodsAnOpenCallIsDisconnected() throws {
    var connection = try connection(messageLimit: 100)
    _ = connection.receive(watch, handler: answer)
    var actions: [Connection.Action] = []
    var received = 0
    while actions.isEmpty, received < 10_000 {
      received += watch.count
      actions = connection.receive(watch, handler: answer)
    }
    #expect(told(actions) == ["closed: it sends more calls than it waits for"])
    #expect(received <= 200 + watch.count)
  }

  @Test func aWatcherThatDoesNotReadIsDisconnected() throws {
    var connection = try connection(outputLimit: 200)
    _ = connection.receive(watch, handler: answer)
    var last: [String] = []
    for count in 1...20 where !connection.isClosed {
      last = told(connection.push(JSONObject(["count": .int(count)])))
      #expect(connection.unsentBytes < 300)
    }
    #expect(last == ["closed: it does not read the stream it asked for"])
  }
}
