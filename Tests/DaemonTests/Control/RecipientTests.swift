import Glibc
import JSONText
import LinuxRuntime
import TestSupport
import Testing

@testable import Daemon

/// Firings for the destinations of one person.
@Suite(.serialized) struct RecipientTests {
  private static let past = #""kind":"date","title":"T","due":"2020-01-01T08:00:00Z""#

  @Test func aFiringSaysWhomItIsFor() throws {
    let rig = try Rig()
    let client = try rig.client()
    _ = try client.call("OpenConsumer", #"{"name":"hook-1000-anna"}"#)
    _ = try client.call("Add", #"{"reminder":{"id":"a","for":"Anna",\#(Self.past)}}"#)
    _ = try client.call("Add", #"{"reminder":{"id":"b",\#(Self.past)}}"#)
    let rows = try client.call("ReadLedger", #"{"after":0}"#)["rows"]?.array
    #expect(rows?.map { $0["for"]?.string } == ["anna", nil])
    #expect(rig.journal.firings.map { $0["GEOREMIND_FOR"] } == ["anna", nil])
    let why = try client.call("Why", #"{"id":"a"}"#)["why"]
    #expect(why?["gates"]?.array?.contains { $0["gate"] == "for" } == true)
  }

  @Test func somebodyWithoutADestinationIsAnError() throws {
    let rig = try Rig()
    let client = try rig.client()
    let error = try client.error("Add", #"{"reminder":{"for":"anna",\#(Self.past)}}"#)
    #expect("\(error)".contains("georemind phone add anna --push"))
    _ = try client.call("Add", #"{"reminder":{"id":"a",\#(Self.past)}}"#)
    let edit = try client.error("Edit", #"{"id":"a","changes":{"for":"anna"}}"#)
    #expect("\(edit)".contains("no destination"))
    // A user of this name has one.
    let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? ""
    _ = try client.call("OpenConsumer", #"{"name":"mine"}"#)
    _ = try client.call("Edit", #"{"id":"a","changes":{"for":"\#(user)"}}"#)
    let other = try client.error("Edit", #"{"id":"a","changes":{"for":"all"}}"#)
    #expect("\(other)".contains("must be a name"))
  }
}
