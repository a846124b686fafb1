import Control
import JSONText
import Testing

@Suite struct VarlinkMessageTests {
  @Test(arguments: [
    VarlinkCall(method: "a.b.C"),
    VarlinkCall(method: "a.b.C", parameters: object(#"{"x":[1,{"y":null}]}"#), more: true),
    VarlinkCall(method: "a.b.C", oneway: true, upgrade: true),
  ])
  func callsSurviveTheWire(call: VarlinkCall) throws {
    #expect(call.encoded.last == 0)
    #expect(try VarlinkCall(message: Array(call.encoded.dropLast())) == call)
  }

  @Test func callsSayNoMoreThanNeeded() {
    #expect(VarlinkCall(method: "a.b.C").encoded == wire(#"{"method":"a.b.C"}"#))
    let call = VarlinkCall(method: "org.example.x-y.Do")
    #expect(call.interfaceName == "org.example.x-y" && call.methodName == "Do")
    #expect(VarlinkCall(method: "Do").interfaceName.isEmpty)
  }

  @Test(arguments: [
    (#"{"method":"a.B","parameters":null,"more":null,"x":1}"#, "a.B"),
    (#" {"method":"a.B"} "#, "a.B"),
  ])
  func optionalMembersMayBeMissing(text: String, method: String) throws {
    #expect(try VarlinkCall(message: Array(text.utf8)) == VarlinkCall(method: method))
  }

  @Test(arguments: [
    "", "null", "[]", "{", "{}", #"{"method":1}"#, #"{"method":""}"#, #"{"method":null}"#,
    #"{"method":"a.B","parameters":[]}"#, #"{"method":"a.B","more":1}"#,
    #"{"method":"a.B","oneway":"yes"}"#, #"{"method":"a.B","upgrade":{}}"#, #"{"method":"a.B"}x"#,
  ])
  func malformedCalls(text: String) {
    #expect(throws: VarlinkProtocolError.self) { try VarlinkCall(message: Array(text.utf8)) }
  }

  @Test(arguments: [
    VarlinkReply(), VarlinkReply(parameters: object(#"{"a":1}"#), continues: true),
    VarlinkReply(GeoremindError.notFound(id: "x").varlink),
  ])
  func repliesSurviveTheWire(reply: VarlinkReply) throws {
    #expect(try VarlinkReply(message: Array(reply.encoded.dropLast())) == reply)
  }

  @Test(arguments: [
    "1", #"{"error":1}"#, #"{"error":""}"#, #"{"parameters":1}"#, #"{"continues":0}"#,
    #"{"error":"a.B","continues":true}"#,
  ])
  func malformedReplies(text: String) {
    #expect(throws: VarlinkProtocolError.self) { try VarlinkReply(message: Array(text.utf8)) }
  }

  @Test(arguments: [
    VarlinkServiceError.interfaceNotFound(interface: "a.b"), .methodNotFound(method: "a.b.C"),
    .methodNotImplemented(method: "a.b.C"), .invalidParameter(parameter: "x"), .permissionDenied,
    .expectedMore,
  ])
  func sharedErrorsAreAsTheInterfaceSays(error: VarlinkServiceError) throws {
    let interface = try VarlinkInterface(parsing: VarlinkService.interfaceText)
    let member = VarlinkCall(method: error.varlink.name).methodName
    try interface.check(error.varlink.parameters, against: #require(interface.errors[member]))
    #expect(VarlinkServiceError(error.varlink) == error)
    #expect(error.varlink.description == error.description)
  }

  @Test(arguments: [
    GeoremindError.notFound(id: "r1"), .ambiguous(id: "r", candidates: ["r1", "r2"]),
    .invalidReminder(field: "due", reason: "no such day"),
    .inUse(name: "Home", reminders: (1...9).map { "r\($0)" }), .alreadyExists(name: "Home"),
    .storeFailure(reason: "disk full"), .refusedByPolicy(reason: "read-only"),
    .wrongState(id: "r1", state: "done"),
  ])
  func ownErrorsAreAsTheInterfaceSays(error: GeoremindError) throws {
    let interface = try VarlinkInterface(parsing: GeoremindInterface.text)
    let member = VarlinkCall(method: error.varlink.name).methodName
    try interface.check(error.varlink.parameters, against: #require(interface.errors[member]))
    #expect(GeoremindError(error.varlink) == error)
    #expect(error.varlink.description == error.description)
    #expect(!error.description.contains("\n"))
  }

  @Test func foreignErrorsAreReportedUnchanged() {
    let error = VarlinkError(name: "org.other.Bad", parameters: object(#"{"why":"x"}"#))
    #expect(error.description == #"the daemon answered org.other.Bad {"why":"x"}"#)
    #expect(GeoremindError(error) == nil && VarlinkServiceError(error) == nil)
    // An error of ours whose parameters did not come is still that error.
    let bare = VarlinkError(name: "org.georemind.NotFound")
    #expect(GeoremindError(bare) == .notFound(id: "?"))
  }

  @Test func longListsAreCutShort() {
    let error = GeoremindError.inUse(name: "Home", reminders: (1...9).map { "r\($0)" })
    #expect(
      error.description
        == "'Home' is named by r1, r2, r3, r4, r5 and 4 more; change or remove those first")
  }
}
