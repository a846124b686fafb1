import CivilTime
import Control
import JSONText
import LinuxRuntime
import TestSupport
import Testing

@testable import Daemon

/// The mutes of members as a table.
@Suite struct MutesTests {
  private let now = Instant(microseconds: 1_781_305_200_000_000)

  @Test func aMuteThatGoesOnKeepsItsStart() {
    var mutes = Mutes()
    _ = mutes.begin(of: 1, at: now, until: now + .hours(1))
    _ = mutes.begin(of: 1, at: now + .minutes(30), until: nil)
    #expect(mutes.intervals[1] == Mutes.Interval(start: now, end: nil))
    mutes.end(of: 1, at: now + .hours(2))
    mutes.end(of: 1, at: now + .hours(3))
    #expect(mutes.intervals[1] == Mutes.Interval(start: now, end: now + .hours(2)))
    _ = mutes.begin(of: 1, at: now + .hours(2), until: nil)
    #expect(mutes.intervals[1]?.start == now + .hours(2))
  }

  @Test func theTableIsReadAsItIsWritten() {
    var mutes = Mutes()
    _ = mutes.begin(of: 1_000, at: now, until: nil)
    _ = mutes.begin(of: 0, at: now, until: now + .hours(1))
    #expect(Mutes(mutes.text) == mutes)
    #expect(Mutes(mutes.text + ";7 x ;8;9 2026-06-12T23:00:00Z tomorrow") == mutes)
    #expect(Mutes("") == Mutes())
  }

  @Test func usersWithoutEndHaveALimit() {
    var mutes = Mutes()
    for user in 0..<UInt32(Mutes.maximumUsers) {
      _ = mutes.begin(of: user, at: now, until: user == 7 ? now + .hours(1) : nil)
    }
    let isFull = !mutes.begin(of: 1_000, at: now, until: nil)
    #expect(isFull && mutes.intervals[1_000] == nil)
    // One whose mute has ended gives way.
    _ = mutes.begin(of: 1_000, at: now + .hours(1), until: nil)
    #expect(mutes.intervals[7] == nil && mutes.intervals.count == Mutes.maximumUsers)
  }
}

/// Whose destinations a mute holds.
@Suite struct MuteTests {
  private final class Time { var now: Int64 = 1_781_305_200_000_000 }

  private let time = Time()
  private let folder: TemporaryFolder
  private let anna = Caller(user: 1_000, daemon: 61_184)
  private let ben = Caller(user: 1_001, daemon: 61_184)
  private let hook = Caller(user: 990, daemon: 61_184)
  private let root = Caller(user: 0, daemon: 61_184)

  init() throws { folder = try TemporaryFolder() }

  private func rig(_ config: String = "") throws -> Rig {
    try Rig(
      config + "[Clock]\nTrust=always\n", folder: folder, systemClock: { [time] in time.now })
  }

  private func call(
    _ rig: Rig, _ caller: Caller, _ method: String, _ parameters: String = "{}"
  ) throws -> JSONObject? {
    let call = VarlinkCall(method: "org.georemind.\(method)", parameters: try object(parameters))
    guard case .reply(let reply) = ControlService(daemon: rig.daemon, caller: caller).answer(call)
    else { return nil }
    return reply
  }

  private func fire(_ rig: Rig, _ caller: Caller, _ title: String) throws {
    time.now += 60_000_000
    let due = Instant(microseconds: time.now - 1_000_000).json
    let reminder = #"{"kind":"date","title":"\#(title)","due":"\#(due)"}"#
    _ = try #require(try call(rig, caller, "Add", #"{"reminder":\#(reminder)}"#))
  }

  /// What a destination of this user reads next.
  private func next(_ rig: Rig, _ caller: Caller, after: Int = 0) throws -> String? {
    let parameters = #"{"after":\#(after),"limit":1,"urgent":false}"#
    return try call(rig, caller, "ReadLedger", parameters)?["rows"]?.array?.first?["title"]?.string
  }

  /// Promise: mute-own.
  @Test func aMemberMutesOnlyTheOwnDestinations() throws {
    let rig = try rig()
    try fire(rig, anna, "Milk")
    try fire(rig, ben, "Bread")
    let quiet = try call(rig, anna, "Mute")?["quiet"]
    #expect(quiet?["now"] == true && quiet?["all"] == false && quiet?["until"] == nil)
    try fire(rig, ben, "Salt")
    try fire(rig, anna, "Rice")
    #expect(try next(rig, anna, after: 2) == nil)
    for other in [ben, hook, root] { #expect(try next(rig, other, after: 2) == "Salt") }
    #expect(try call(rig, anna, "Next")?["quiet"]?["now"] == true)
    #expect(try call(rig, ben, "Next")?["quiet"] == nil)
    #expect(try call(rig, ben, "Status")?["status"]?["quiet"] == nil)
    // It survives a restart, and ends with one summary for the member alone.
    rig.daemon.stop()
    let again = try self.rig()
    #expect(try next(again, anna, after: 2) == nil)
    time.now += 60_000_000
    _ = try call(again, anna, "Mute", #"{"off":true}"#)
    #expect(try next(again, anna, after: 2) == "2 firings while it was quiet")
    #expect(try next(again, hook, after: 2) == "Salt")
  }

  @Test func aMemberAloneMutesAll() throws {
    let rig = try rig()
    try fire(rig, anna, "Milk")
    _ = try call(rig, anna, "Mute", #"{"until":"2h"}"#)
    try fire(rig, anna, "Bread")
    try fire(rig, anna, "Salt")
    for caller in [anna, hook] { #expect(try next(rig, caller, after: 1) == nil) }
    // With another user's reminder it is for the own destinations.
    try fire(rig, ben, "Rice")
    #expect(try next(rig, anna, after: 1) == nil)
    #expect(try next(rig, hook, after: 1) == "2 firings while it was quiet")
  }

  @Test func onlyRootMutesAllAndEndsIt() throws {
    let rig = try rig("[Reminders]\nQuietHours=22:00-07:00\n")
    try fire(rig, anna, "Milk")
    try fire(rig, ben, "Bread")
    // It is night.
    #expect(try next(rig, anna) == nil)
    #expect(try call(rig, ben, "Mute", #"{"off":true}"#) == nil)
    #expect(try next(rig, anna) == nil)
    _ = try call(rig, root, "Mute", #"{"off":true}"#)
    #expect(try next(rig, anna) == "2 firings while it was quiet")
    #expect(try call(rig, root, "Mute")?["quiet"]?["all"] == true)
    #expect(try call(rig, ben, "Mute", #"{"off":true}"#) == nil)
    #expect(try next(rig, anna) == nil)
  }

  @Test func sharedChangesLetEveryMemberMuteAll() throws {
    let rig = try rig("[Control]\nSharedChanges=yes\n")
    try fire(rig, anna, "Milk")
    try fire(rig, ben, "Bread")
    _ = try call(rig, anna, "Mute")
    #expect(try next(rig, ben) == nil)
    _ = try call(rig, ben, "Mute", #"{"off":true}"#)
    #expect(try next(rig, anna) == "Milk")
  }
}
