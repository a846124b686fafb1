import CivilTime
import Feeds
import Geodesy
import Glibc
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import TestSupport
import Testing

@testable import Daemon

/// Receivers and loggers whose fixes are not what they seem, on real sockets.
@Suite(.serialized) struct LiveFixTests {
  /// Yesterday's track through the place, all at once, after live fixes a kilometre away.
  @Test func aBlockOfOldFixesDoesNotBecomeThePresent() throws {
    let live = try LiveRig()
    for _ in 0..<5 {
      try live.send(live.tpv(east: 1_000))
      live.pass(.seconds(1))
    }
    let before = live.now - .seconds(1)
    let old = (0..<1_000).map {
      live.tpv(east: Double($0) - 500, time: before - .hours(24) + .seconds(Double($0)))
    }
    try live.send(old.joined())
    try live.finish(fixes: 1_005)
    #expect(live.lastFix == before)
    #expect(live.feed().age.dropped == 1_000)
    #expect(live.dropped.count == 1)
    #expect(live.dropped.first?.contains("are 1 day old; they are dropped") == true)
    try live.send(live.tpv(east: 1_000))
    try live.finish(fixes: 1_006)
    #expect(live.lastFix == live.now && live.fired == [])
    let feed = try live.rig.client().call("Status")["status"]?["feeds"]?.array?.first
    #expect(feed?["dropped_fixes"]?.int == 1_000)
    #expect(feed?["dropped_by_s"]?.double.map { $0 > 85_000 && $0 < 86_500 } == true)
  }

  /// A phone's clock that is ahead would make all right positions old ones.
  @Test func lateFeedsAdmitNoFixOfTheFuture() throws {
    let live = try LiveRig(query: "?max-age=5min")
    try live.send(live.tpv(east: 1_000, time: live.now + .seconds(200)))
    try live.send(live.tpv(east: 1_000, time: live.now - .seconds(200)))
    try live.finish(fixes: 2)
    #expect(live.lastFix == live.now - .seconds(200))
    for _ in 0..<5 {
      live.pass(.seconds(1))
      try live.send(live.tpv(east: 0))
    }
    try live.finish(fixes: 7)
    #expect(live.lastFix == live.now && live.fired.count == 1)
  }

  @Test func aFeedWhoseFirstWordsAreOldBeginsWithItsPresent() throws {
    let live = try LiveRig()
    for second in 0..<20 {
      try live.send(
        live.tpv(east: 0, time: live.now - .hours(165 * 24) + .seconds(Double(second))))
    }
    try live.finish(fixes: 20)
    #expect(live.lastFix == nil)
    let url = live.feed().url
    #expect(
      live.dropped == [
        "Fixes on \(url) are 165 days old; they are dropped; if this is a replay, add ?time=own; "
          + "if they come late, add ?max-age="
      ])
    try live.send(live.tpv(east: 1_000))
    try live.finish(fixes: 21)
    #expect(live.lastFix == live.now && live.fired == [])
  }

  /// It silences no good fix, and is none.
  @Test func aFixAnHourAheadIsDropped() throws {
    let live = try LiveRig()
    try live.send(live.tpv(east: 0, time: live.now + .hours(1)))
    for step in 1...5 {
      live.pass(.seconds(1))
      try live.send(live.tpv(east: 1_000))
      try live.finish(fixes: step + 1)
      #expect(live.lastFix == live.now)
    }
    #expect(live.dropped.count == 1)
    #expect(live.dropped.first?.contains("are 1 hour ahead of the clock") == true)
    #expect(live.rig.journal.entries(.clockStepped).isEmpty)
  }

  /// Promise: untrusted-clock-drops-no-fix.
  @Test(arguments: [TimeSpan.hours(-24), .minutes(-2), .hours(24)])
  func aClockThatIsNotTrustedDropsNoFix(off: TimeSpan) throws {
    for isTrusted in [false, true] {
      let live = try LiveRig(isTrusted: isTrusted)
      try live.send(live.tpv(east: 1_000, time: live.now + off))
      try live.finish(fixes: 1)
      #expect(live.lastFix == (isTrusted ? nil : live.now + off))
      #expect(live.dropped.count == (isTrusted ? 1 : 0))
    }
  }

  /// A year is no week rollover, which is corrected before its age counts.
  @Test func aReceiverWithAWrongYearIsDroppedAndARolloverCorrected() throws {
    let live = try LiveRig()
    try live.send(FeedScript.rmc(at: live.now - .hours(365 * 24)))
    try live.finish(fixes: 1)
    #expect(live.lastFix == nil && live.dropped.count == 1)
    live.pass(.seconds(2))
    try live.send(FeedScript.rmc(at: live.now - .hours(7_168 * 24)))
    try live.finish(fixes: 2)
    #expect(live.lastFix == live.now)
    #expect(live.rig.journal.entries(.weekRollover).count == 1)
  }

  @Test(arguments: ["", "?max-age=6min"])
  func aFeedFiveMinutesLateCountsIfItMay(query: String) throws {
    let live = try LiveRig(query: query)
    for step in 1...5 {
      live.pass(.seconds(1))
      try live.send(live.tpv(east: 1_000, time: live.now - .minutes(5)))
      try live.finish(fixes: step)
    }
    #expect(live.lastFix == (query.isEmpty ? nil : live.now - .minutes(5)))
    #expect(live.dropped.count == (query.isEmpty ? 1 : 0))
  }

  @Test func theConfigurationSetsTheLimit() throws {
    let live = try LiveRig(config: "[Position]\nMaxFixAge=6min\n")
    try live.send(live.tpv(east: 1_000, time: live.now - .minutes(5)))
    try live.finish(fixes: 1)
    #expect(live.lastFix == live.now - .minutes(5))
  }

  /// A phone reports its satellites and its networks in turns. It lies still at home.
  @Test func alternatingAccuracyNeitherArrivesNorLeaves() throws {
    var random = SeededGenerator(seed: 34)
    let live = try LiveRig()
    try live.send(live.tpv(east: 20))
    for second in 1...900 {
      live.pass(.seconds(1))
      // The satellites drop out for ten seconds of each minute.
      if second % 60 >= 10 { try live.send(live.tpv(east: 20)) }
      if second % 5 == 0 {
        let east = Double.random(in: -2_000...2_000, using: &random)
        let north = Double.random(in: -2_000...2_000, using: &random)
        let network = live.tpv(
          east: east, north: north, time: live.now - .seconds(0.5), eph: 2_000,
          device: "network")
        try live.send(network)
      }
    }
    #expect(live.fired == [])
    let followed = live.rig.daemon.host.own.selection.followed?.device
    live.pass(.seconds(1))
    try live.send(live.tpv(east: 20))
    try live.rig.run { live.lastFix == live.now }
    #expect(live.rig.daemon.host.own.selection.followed?.device == followed)
  }

  /// Two receivers 50 m apart, the first with drop-outs: one is inside the edge, one outside.
  @Test func twoReceiversWithDropOutsMakeNoTransition() throws {
    let live = try LiveRig(feeds: 2)
    var followed: [Int] = []
    for second in 0..<1_200 {
      live.pass(.seconds(1))
      // Silent for seven to fifty seconds.
      let isSilent = second % 100 >= 93 || (second >= 650 && second < 690)
      if !isSilent { try live.send(live.tpv(east: 95)) }
      try live.send(live.tpv(east: 145), on: 1)
      if let feed = live.rig.daemon.host.own.selection.followed?.feed, feed != followed.last {
        followed.append(feed)
      }
    }
    #expect(live.fired == [])
    #expect(followed.count > 10)
    #expect(followed.filter { $0 == live.feed(0).number }.count >= followed.count / 2)
  }

  @Test func statusVWithQualityOneIsNoFix() throws {
    let live = try LiveRig()
    for _ in 0..<5 {
      live.pass(.seconds(1))
      let clock = live.now.rfc3339().split { "TZ:".contains($0) }.dropFirst().joined().prefix(6)
      try live.send(
        FeedScript.rmc(at: live.now, status: "V")
          + FeedScript.sentence(
            "GPGGA,\(clock).00,5333.05535,N,00959.61359,E,1,08,0.9,5.0,M,46.9,M,,"))
    }
    try live.rig.run { live.feed().statistics.sentences == 10 }
    live.pass(.seconds(1))
    try live.send(FeedScript.rmc(at: live.now))
    try live.finish(fixes: 1)
    #expect(live.lastFix == live.now)
  }

  /// A plotter leaves the time of its positions empty: they are of the time at which they come.
  @Test func aPositionWithoutATimeIsOfItsArrival() throws {
    let live = try LiveRig()
    for step in 1...3 {
      live.pass(.seconds(1))
      try live.send(
        FeedScript.sentence("GPRMC,,A,5333.0553,N,0959.614,E,0.0,,01014294967283,5.5,W"))
      try live.finish(fixes: step)
      #expect(live.lastFix == live.now)
    }
    let feed = try live.rig.client().call("Status")["status"]?["feeds"]?.array?.first
    #expect(feed?["positions_without_time"]?.int == 3)
    #expect(feed?["decoder_error"]?.string?.contains("3 positions have no time") == true)
  }

  /// A multiplexer joins three: each talker is a receiver, and the status says what it does.
  @Test func theStatusNamesEachTalkerAndWhyItIsNotUsed() throws {
    let live = try LiveRig()
    for step in 1...3 {
      live.pass(.seconds(1))
      let rmc = FeedScript.rmc(at: live.now).dropFirst(6).dropLast(5)
      let denial = FeedScript.rmc(at: live.now, status: "V", place: ",,,").dropFirst(6).dropLast(5)
      try live.send(
        FeedScript.sentence("GPRMC" + rmc) + FeedScript.sentence("AIRMC" + rmc)
          + FeedScript.sentence("IIRMC" + denial))
      try live.finish(fixes: 2 * step)
    }
    #expect(live.lastFix == live.now)
    let feed = try live.rig.client().call("Status")["status"]?["feeds"]?.array?.first
    #expect(feed?["talkers_without_position"] == ["II"])
    let receivers = feed?["receivers"]?.array ?? []
    #expect(receivers.map { $0["talker"]?.string } == [nil, "AI"])
    #expect(receivers.map { $0["followed"]?.bool } == [true, false])
    #expect(receivers.map { $0["reason"]?.string } == [nil, "another receiver is followed"])
  }

  @Test(arguments: [("", 0), ("?checksum=optional", 2)])
  func sentencesWithoutAChecksumCountWhereTheFeedSaysSo(query: String, fixes: Int) throws {
    let live = try LiveRig(query: query)
    for step in 1...2 {
      live.pass(.seconds(1))
      try live.send(FeedScript.rmc(at: live.now).dropLast(5) + "\r\n")
      try live.finish(fixes: min(fixes, step))
    }
    #expect(live.feed().statistics.missingChecksums == 2)
    #expect(live.feed().statistics.fixes == fixes)
  }

  /// The same old track is a recording where the feed says so, whatever the clock.
  @Test func aStreamWithItsOwnTimeIsARecording() throws {
    let listener = try Listener()
    let rig = try Rig(
      "[Feed]\nFeed=tcp://127.0.0.1:\(listener.port)?time=own\n[Reminders]\n"
        + "File=\(packageRoot)/examples/reminders.json\n")
    try rig.run { rig.daemon.feeds.first?.feed.state == .open }
    let drive = String(decoding: try fileBytes("\(packageRoot)/examples/drive.nmea"), as: UTF8.self)
    let lines = drive.split(separator: "\r\n", omittingEmptySubsequences: false)
    for start in stride(from: 0, to: lines.count, by: 500) {
      try listener.send(
        lines[start..<min(start + 500, lines.count)].map { "\($0)\r\n" }.joined())
      try rig.settle()
    }
    listener.endConnection()
    try rig.run { !rig.journal.entries(.feedLost).isEmpty }
    #expect(
      rig.journal.fired == [
        "office depart", "milk arrive", "parking dwell", "ferry leave", "mum due",
        "tunnel arrive", "bridge arrive", "plants arrive",
      ])
    #expect(rig.journal.entries(.fixesDropped).isEmpty)
  }

  @Test func anOlderBlockInARecordingIsReportedAndSkipped() throws {
    let folder = try TemporaryFolder()
    let start = LiveRig.start
    func part(_ range: Range<Int>) -> String {
      range.map { FeedScript.rmc(at: start + .seconds(Double($0))) }.joined()
    }
    let log = try folder.file("log.nmea", part(500..<600) + part(0..<300) + part(600..<700))
    let rig = try Rig("[Feed]\nFeed=file://\(log)\n")
    try rig.run { !rig.journal.entries(.feedEnded).isEmpty }
    #expect(rig.daemon.host.engine.lastFix?.time == start + .seconds(699))
    #expect(rig.daemon.feeds.first?.age.dropped == 300)
    #expect(
      rig.journal.entries(.fixesDropped).map(\.message) == [
        "Fixes on file://\(log) are 10 minutes older than the ones before; they are skipped"
      ])
  }
}
