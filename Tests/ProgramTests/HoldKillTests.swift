import CivilTime
import Glibc
import TestSupport
import Testing

@testable import Storage

/// `kill -9` within the two minutes in which a device at rest must be outside.
@Suite(.serialized) struct HoldKillTests {
  private static let start = Instant(seconds: 1_781_280_000)
  private let folder: TemporaryFolder
  private let config: String
  private let fifo: String

  init() throws {
    folder = try TemporaryFolder()
    let ticks = [650, 990, 1_390].map {
      #"{"id":"tick-\#($0)","kind":"date","title":"Tick \#($0)","due":"\#(Self.time($0))"}"#
    }
    let list = try folder.file(
      "list.json",
      (ticks + [
        #"{"id":"away","kind":"location","title":"Away","on":"depart","every_visit":true,"#
          + #""place":{"name":"Home","lat":0,"lon":10,"radius_m":100}}"#
      ]).joined(separator: "\n"))
    config = try folder.file("conf", "[Reminders]\nFile=\(list)\n")
    fifo = "\(folder.path)/fifo"
    try #require(mkfifo(fifo, 0o600) == 0)
  }

  private static func time(_ second: Int) -> String { (start + .seconds(Double(second))).json }

  /// Plays fixes so many metres east of the place until a date has fired, and kills the daemon.
  private func play(_ fixes: [(second: Int, east: Double)], until tick: Int) throws {
    let writer = open(fifo, O_RDWR | O_CLOEXEC)
    try #require(writer >= 0)
    defer { close(writer) }
    let process = try ChildProcess(
      [
        "--config", config, "--state-directory", folder.path, "--socket", "\(folder.path)/socket",
        "--feed", "file://\(fifo)", "--foreground-journal",
      ], in: folder)
    try #require(try process.waits(for: "started: "))
    for fix in fixes {
      let text =
        #"{"class":"TPV","mode":3,"time":"\#(Self.time(fix.second))","lat":0,"#
        + #""lon":\#(10 + fix.east / 111_195),"eph":5}"# + "\n"
      try #require(write(writer, text, text.utf8.count) == text.utf8.count)
    }
    try #require(try process.waits(for: "Tick \(tick)"))
    kill(process.id, SIGKILL)
    _ = try process.wait()
  }

  private func departures() throws -> Int {
    let store = try Store(path: "\(folder.path)/georemind.db", now: Self.start)
    defer { store.close() }
    return try store.ledger.firings(reminder: "away").values.count
  }

  @Test func aKillNeitherLosesNorDoublesTheDeparture() throws {
    try play((0...600).map { ($0, 60) } + (601...655).map { ($0, 145) }, until: 650)
    #expect(try departures() == 0)
    try play((700...1_000).map { ($0, 145) }, until: 990)
    #expect(try departures() == 1)
    try play((1_100...1_400).map { ($0, 145) }, until: 1_390)
    #expect(try departures() == 1)
  }
}
