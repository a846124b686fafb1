import CivilTime
import Geodesy
import Glibc
import JSONText
import LinuxRuntime
import Positioning
import Reminders
import TestSupport
import Testing

@testable import Daemon

@Suite struct ClockTrustTests {
  private static let now = Instant(seconds: 1_781_280_000)

  /// A system of a few files.
  private func root(_ files: [String: String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for (path, text) in files {
      var made = folder.path
      for part in path.split(separator: "/").dropLast() {
        made += "/\(part)"
        mkdir(made, 0o755)
      }
      let file = try #require(fopen(folder.path + path, "w"))
      fputs(text, file)
      fclose(file)
    }
    return folder
  }

  @Test(
    arguments: [
      // What the system shows, what is asked for, what the kernel says, and the ground.
      (["/sys/class/rtc/rtc0/hctosys": "1\n"], "auto", nil, "clock_chip"),
      (["/sys/class/rtc/rtc0/hctosys": "1\n"], "synchronized", nil, nil),
      (["/sys/class/rtc/rtc0/hctosys": "1\n"], "synchronized", true, "synchronized"),
      (["/sys/class/rtc/rtc0/hctosys": "0\n"], "auto", false, nil),
      (["/sys/class/rtc/rtc0/hctosys": "0\n"], "always", false, "configured"),
      (
        [
          "/sys/class/rtc/rtc0/hctosys": "0\n", "/run/systemd/timesync/synchronized": "",
        ], "auto", nil, "synchronized"
      ),
      (
        ["/sys/class/rtc/rtc0/hctosys": "0\n", "/run/systemd/container": "lxc"], "auto", nil, "host"
      ),
    ] as [([String: String], String, Bool?, String?)])
  func grounds(files: [String: String], demand: String, kernel: Bool?, ground: String?) throws {
    let folder = try root(files)
    var trust = ClockTrust(
      demand: try #require(ClockTrust.Demand(rawValue: demand)), lastSeen: nil, root: folder.path
    ) { kernel }
    let isEnough = trust.evaluate(at: Self.now)
    #expect(isEnough == (ground != nil))
    #expect(trust.ground?.rawValue == ground)
    let again = trust.evaluate(at: Self.now)
    #expect(!again, "it is news once")
  }

  /// A chip with a flat battery wakes up before what was seen already.
  @Test func aClockBehindTheLastSeenTimeIsNotTrusted() throws {
    let folder = try root(["/sys/class/rtc/rtc0/hctosys": "1\n"])
    var trust = ClockTrust(
      demand: .automatic, lastSeen: Self.now + .hours(1), root: folder.path
    ) { nil }
    let early = trust.evaluate(at: Self.now)
    let later = trust.evaluate(at: Self.now + .hours(2))
    #expect(!early && later)
  }

  private func fix(
    _ seconds: Double, mode: Fix.Mode = .threeD, source: Fix.Source = .gnss
  ) -> Fix {
    Fix(
      time: Self.now + .seconds(seconds),
      position: Coordinate(clampingLatitude: 53.5, wrappingLongitude: 10), mode: mode,
      source: source)
  }

  @Test func threeFixesThatAgreeAreEnough() {
    var agreement = FixAgreement()
    let answers = (0..<4).map { second in
      agreement.take(fix(Double(second)), at: Self.now + .seconds(Double(second) + 0.3))
    }
    #expect(answers == [false, false, true, true])
  }

  @Test func fixesThatDisagreeAreNot() {
    /// Fixes, each with what it is off from the clock.
    func isEnough(_ fixes: [(fix: Fix, offset: Double)]) -> Bool {
      var agreement = FixAgreement()
      return fixes.reduce(false) { found, entry in
        let arrival = (entry.fix.time ?? Self.now) + .seconds(entry.offset)
        return agreement.take(entry.fix, at: arrival) || found
      }
    }
    // The clock is a month off; the fixes are 2D, or dead reckoning; the same fix comes again.
    #expect(!isEnough((0..<9).map { (fix(Double($0)), 30 * 86_400) }))
    #expect(!isEnough((0..<9).map { (fix(Double($0), mode: .twoD), 0) }))
    #expect(!isEnough((0..<9).map { (fix(Double($0), source: .deadReckoning), 0) }))
    #expect(!isEnough((0..<9).map { _ in (fix(0), 0) }))
    // One in three is seconds off.
    #expect(!isEnough((0..<9).map { (fix(Double($0)), $0 % 3 == 2 ? 4 : 0) }))
    #expect(isEnough((0..<9).map { (fix(Double($0)), 1) }))
  }
}

@Suite struct TimeKeeperTests {
  private static func tea(due: Instant) throws -> Reminder {
    Reminder(id: "t", kind: .date, title: "Tea", due: .absolute(due))
  }

  /// Starts without a trusted clock; the clock is synchronised, and dates that are due by then
  /// fire late.
  @Test func datesWaitForTheClock() throws {
    let system = try TemporaryFolder()
    final class Kernel { var isSynchronized = false }
    let kernel = Kernel()
    let rig = try Rig(
      beforeStart: {
        $0.clockTrust = ClockTrust(demand: .automatic, lastSeen: nil, root: system.path) {
          kernel.isSynchronized
        }
        // Even where this machine has no clock chip.
        $0.clockTrust.demand = .synchronized
      })
    #expect(rig.journal.entries(.clockNotTrusted).count == 1)
    let now = try #require(rig.daemon.clock.now)
    try rig.daemon.add(Self.tea(due: now - .hours(1)))
    try rig.settle()
    #expect(rig.journal.entries(.lateFiring).isEmpty)
    #expect(rig.daemon.statusJSON["clock_trusted"]?.bool == false)
    #expect(rig.daemon.statusJSON["dates_waiting_for_clock"]?.int == 1)
    kernel.isSynchronized = true
    rig.daemon.time?.check()
    #expect(rig.journal.entries(.clockTrusted).count == 1)
    #expect(rig.journal.entries(.lateFiring).count == 1)
    #expect(rig.journal.entries(.missed).count == 1)
    #expect(rig.daemon.statusJSON["clock_trust"]?.string == "synchronized")
    rig.daemon.time?.check()
    #expect(rig.journal.entries(.clockTrusted).count == 1)
  }

  /// The link is put elsewhere while the daemon runs.
  @Test func aNewZoneIsNoticed() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/localtime"
    symlink("/usr/share/zoneinfo/UTC", path)
    let rig = try Rig(change: { $0.timeZoneName = path })
    let due = LocalDateTime(microseconds: 4_000_000_000_000_000)
    try rig.daemon.add(Reminder(id: "t", kind: .date, title: "Tea", due: .floating(due)))
    #expect(rig.daemon.host.engine.standing("t")?.due?.seconds == 4_000_000_000)
    symlink("/usr/share/zoneinfo/Asia/Tokyo", "\(path).new")
    rename("\(path).new", path)
    try rig.run { !rig.journal.entries(.zoneChanged).isEmpty }
    #expect(rig.daemon.host.engine.zone.name == "Asia/Tokyo")
    #expect(rig.daemon.host.engine.standing("t")?.due?.seconds == 3_999_967_600.0)
    // What is no zone is not taken over.
    try folder.file("localtime.new", "nonsense")
    rename("\(path).new", path)
    try rig.run {
      rig.journal.entries.contains { ($0[.message] ?? "").contains("time zone stays") }
    }
    #expect(rig.daemon.host.engine.zone.name == "Asia/Tokyo")
  }
}

@Suite struct PathWatchTests {
  @Test func everyReplacementOfTheFileIsReported() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    var changes = 0
    let path = "\(folder.path)/localtime"
    let watch = PathWatch(path, for: .replacement, loop: loop) { changes += 1 }
    defer { watch.close() }
    func happens(_ body: () -> Void) throws {
      let before = changes
      body()
      for _ in 0..<8 { try loop.runOnce(timeout: 0) }
      #expect(changes > before)
    }
    try happens { symlink("/usr/share/zoneinfo/UTC", path) }
    try happens { unlink(path) }
    try happens {
      symlink("/usr/share/zoneinfo/Asia/Tokyo", "\(path).new")
      rename("\(path).new", path)
    }
    unlink(path)
    try happens {
      if let file = fopen(path, "w") {
        fputs("TZif", file)
        fclose(file)
      }
    }
    let before = changes
    if let file = fopen("\(folder.path)/other", "w") { fclose(file) }
    for _ in 0..<8 { try loop.runOnce(timeout: 0) }
    #expect(changes == before)
  }
}
