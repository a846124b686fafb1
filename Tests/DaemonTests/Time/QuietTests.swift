import CivilTime
import Control
import JSONText
import LinuxRuntime
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// Quiet hours and mutes: the times alone.
@Suite struct QuietSpanTests {
  private let zone = TimeZoneRules(name: "UTC", fixedOffset: 0, abbreviation: "UTC")
  private let hours = try? HourRange(parsing: "22:00-07:00")

  private func at(_ text: String) throws -> Instant { try Instant(rfc3339: "2026-06-\(text):00Z") }

  private func until(_ quiet: Quiet, _ now: String) throws -> Instant? {
    quiet.span(at: try at(now), zone: zone)?.until
  }

  @Test func hoursRunOverMidnight() throws {
    let quiet = Quiet(hours: hours, choice: nil)
    #expect(try until(quiet, "12T21:59") == nil)
    #expect(try until(quiet, "12T22:00") == at("13T07:00"))
    #expect(try until(quiet, "13T06:59") == at("13T07:00"))
    #expect(try until(quiet, "13T07:00") == nil)
  }

  @Test func aMuteThatEndsAtNightGoesOnWithTheHours() throws {
    var quiet = Quiet(hours: hours, choice: .muted(until: try at("12T20:00")))
    #expect(try until(quiet, "12T18:00") == at("12T20:00"))
    #expect(try until(quiet, "12T20:00") == nil)
    quiet.choice = .muted(until: try at("12T23:00"))
    #expect(try until(quiet, "12T18:00") == at("13T07:00"))
    quiet.choice = .muted(until: nil)
    #expect(quiet.span(at: try at("13T12:00"), zone: zone) == .init(until: nil, isMuted: true))
  }

  @Test func endingANightLeavesTheNextOne() throws {
    var quiet = Quiet(hours: hours, choice: .muted(until: nil))
    quiet.end(at: try at("12T23:00"), zone: zone)
    #expect(try until(quiet, "13T03:00") == nil)
    #expect(try until(quiet, "13T22:00") == at("14T07:00"))
    quiet.end(at: try at("13T12:00"), zone: zone)
    #expect(quiet.choice == nil)
  }

  @Test func aChoiceIsReadAsItIsWritten() throws {
    let choices: [Quiet.Choice] = [
      .muted(until: nil), .muted(until: try at("12T20:00")), .awake(until: try at("12T20:00")),
    ]
    for choice in choices { #expect(Quiet.Choice(choice.text) == choice) }
    for text in ["", "x", "awake", "muted x"] { #expect(Quiet.Choice(text) == nil) }
  }
}

/// Held firings on their way to a destination.
@Suite struct QuietDeliveryTests {
  /// 2026-06-12T23:00:00Z, in the clock of the daemon.
  private final class Time { var now: Int64 = 1_781_305_200_000_000 }

  private let time = Time()
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func rig(_ config: String = "[Reminders]\nQuietHours=22:00-07:00\n") throws -> Rig {
    try Rig(
      config + "[Clock]\nTrust=always\n", folder: folder, systemClock: { [time] in time.now })
  }

  private func fire(
    _ client: Client, _ title: String, priority: Int = 0, for name: String? = nil
  ) throws {
    let recipient = name.map { #""for":"\#($0)","# } ?? ""
    time.now += 60_000_000
    let due = Instant(microseconds: time.now - 1_000_000).json
    _ = try client.call(
      "Add",
      #"{"reminder":{\#(recipient)"kind":"date","title":"\#(title)","due":"\#(due)","#
        + #""priority":\#(priority)}}"#)
  }

  private func rows(_ client: Client, after: Int = 0, urgent: Bool = false) throws -> [JSONValue] {
    try client.call("ReadLedger", ["after": .int(after), "limit": 1, "urgent": .bool(urgent)])[
      "rows"]?.array ?? []
  }

  @Test func whatFiresAtNightComesAsOneSummaryInTheMorning() throws {
    let rig = try rig()
    let client = try rig.client()
    _ = try client.call("OpenConsumer", #"{"name":"d"}"#)
    let watcher = try rig.client()
    try watcher.send("WatchFirings", ["destination": true], more: true)
    for title in ["Milk", "Bread", "Milk"] { try fire(client, title) }
    try fire(client, "Anchor", priority: 1)
    for seq in 1...4 { #expect(try watcher.reply().get()["firing"]?["seq"]?.int == seq) }
    // The ledger and the journal have all, the destination the alarm alone.
    #expect(rig.journal.firings.count == 4)
    #expect(try rows(client) == [])
    #expect(try rows(client, urgent: true).first?["title"] == "Anchor")
    let status = try client.call("Status")["status"]?["quiet"]
    #expect(status?["until"] == "2026-06-13T07:00:00Z" && status?["held"]?.int == 3)
    #expect(try client.call("Next")["quiet"]?["by"] == "hours")
    // It survives a restart.
    rig.daemon.stop()
    let next = try self.rig()
    let late = try next.client()
    #expect(try rows(late) == [])
    let helper = try next.client()
    try helper.send("WatchFirings", ["destination": true], more: true)
    time.now = 1_781_334_001_000_000
    next.daemon.quietChanged()
    #expect(try helper.reply().get()["firing"] == [:])
    let summary = try #require(try rows(late).first)
    #expect(summary["event"] == "summary" && summary["seq"]?.int == 3)
    #expect(summary["title"] == "3 firings while it was quiet")
    #expect(summary["why"] == "Milk (2 times); Bread; from 23:01 to 23:03")
    #expect(try rows(late, after: 3) == [])
    #expect(try late.call("Status")["status"]?["quiet"]?["now"] == false)
    // By day, each comes by itself.
    try fire(late, "Lunch")
    #expect(try rows(late, after: 3).first?["title"] == "Lunch")
  }

  @Test func aMuteHoldsUntilItEndsOrIsEnded() throws {
    let rig = try rig("")
    let client = try rig.client()
    #expect(try client.call("Status")["status"]?["quiet"] == nil)
    _ = try client.call("OpenConsumer", #"{"name":"d"}"#)
    let quiet = try client.call("Mute", #"{"until":"2h"}"#)["quiet"]
    #expect(quiet?["until"] == "2026-06-13T01:00:00Z" && quiet?["by"] == "mute")
    try fire(client, "Milk")
    #expect(try rows(client) == [])
    #expect(try client.call("Mute", #"{"off":true}"#)["quiet"] == nil)
    // One alone is no summary.
    #expect(try rows(client).first?["title"] == "Milk")
    _ = try client.call("Mute")
    #expect(try rows(client) == [])
    rig.daemon.stop()
    let next = try self.rig("")
    #expect(try next.client().call("Status")["status"]?["quiet"]?["by"] == "mute")
    for text in ["yesterday", "never"] {
      let error = try next.client().error("Mute", #"{"until":"\#(text)"}"#)
      #expect(error.name == "org.georemind.InvalidReminder")
    }
  }

  /// What fired before waits as well, and is itself afterwards.
  @Test func onlyHeldFiringsAreSummedUp() throws {
    let rig = try rig("")
    let client = try rig.client()
    _ = try client.call("OpenConsumer", #"{"name":"d"}"#)
    try fire(client, "Early")
    _ = try client.call("Mute")
    try fire(client, "Milk")
    try fire(client, "Alarm", priority: 2)
    try fire(client, "Bread")
    #expect(try rows(client) == [])
    _ = try client.call("Mute", #"{"off":true}"#)
    try fire(client, "Late")
    #expect(try rows(client).first?["title"] == "Early")
    #expect(try rows(client, after: 1).first?["seq"]?.int == 4)
    #expect(try rows(client, after: 4).first?["title"] == "Late")
  }

  @Test func aSummaryIsForOnePerson() throws {
    let rig = try rig()
    let client = try rig.client()
    _ = try client.call("OpenConsumer", #"{"name":"hook-anna"}"#)
    for name in [nil, nil, "anna", "anna", nil] { try fire(client, "T", for: name) }
    time.now = 1_781_334_001_000_000
    rig.daemon.quietChanged()
    let (first, second) = (try rows(client).first, try rows(client, after: 2).first)
    #expect(first?["event"] == "summary" && first?["seq"]?.int == 2 && first?["for"] == nil)
    #expect(second?["event"] == "summary" && second?["seq"]?.int == 4 && second?["for"] == "anna")
    #expect(try rows(client, after: 4).first?["seq"]?.int == 5)
  }
}
