import CSystemd
import Glibc
import LinuxRuntime
import TestSupport
import Testing

@Suite struct EventLoopTests {
  @Test func exitEndsRunWithItsCode() throws {
    let loop = try EventLoop()
    var log: [String] = []
    let first = try loop.addDeferred {
      log.append("first")
      loop.exit(7)
    }
    #expect(try loop.run() == 7)
    #expect(log == ["first"])
    #expect(throws: SystemError.self) { try loop.runOnce(timeout: 0) }
    withExtendedLifetime(first) {}
  }

  @Test func reportsReadableDescriptors() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    var seen: [IOEvents] = []
    let source = try loop.addIO(pipe.reader, .readable) { seen.append($0) }
    #expect(try !loop.runOnce(timeout: 0))
    pipe.write("x")
    #expect(try loop.runOnce(timeout: 0))
    #expect(seen == [.readable])
    pipe.closeWriter()
    #expect(try loop.runOnce(timeout: 0))
    #expect(seen.last?.contains(.hangUp) == true)
    source.isEnabled = false
    #expect(try !loop.runOnce(timeout: 0))
    #expect(!source.isEnabled)
  }

  @Test func interestCanChange() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    var count = 0
    let source = try loop.addIO(pipe.writer, []) {
      #expect($0 == .writable); count += 1
    }
    #expect(try !loop.runOnce(timeout: 0))
    source.setInterest(.writable)
    #expect(try loop.runOnce(timeout: 0))
    #expect(count == 1)
  }

  @Test func refusesARegularFile() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("log", "bytes")
    let loop = try EventLoop()
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    #expect {
      _ = try loop.addIO(descriptor, .readable) { _ in }
    } throws: {
      ($0 as? SystemError)?.code == EPERM
    }
  }

  @Test(arguments: [SystemClock.realTime, .monotonic, .bootTime])
  func timersFireAtTheirTimeAndAreArmedAgain(clock: SystemClock) throws {
    let loop = try EventLoop()
    var fired: [Int64] = []
    let timer = try loop.addTimer(clock) { fired.append($0.due) }
    #expect(try !loop.runOnce(timeout: 0), "a new timer is off")
    let due = clock.microseconds + 2000
    timer.arm(at: due)
    #expect(try loop.runUntil { !fired.isEmpty })
    #expect(fired == [due])
    #expect(clock.microseconds >= due)
    #expect(try !loop.runOnce(timeout: 0), "fires once")
    timer.arm(in: 0)
    #expect(try loop.runUntil { fired.count == 2 })
    timer.arm(at: -5)
    #expect(try loop.runUntil { fired.count == 3 }, "a time before the epoch is past")
    timer.arm(at: .max)
    timer.disarm()
    #expect(try !loop.runOnce(timeout: 0))
  }

  @Test func theTimeOfATurnIsOneReading() throws {
    let loop = try EventLoop()
    let before = SystemClock.now()
    var readings: [Int64] = []
    let source = try loop.addDeferred {
      readings = [loop.now(.realTime), loop.now(.realTime)]
    }
    try loop.runOnce(timeout: 0)
    #expect(readings.count == 2 && readings[0] == readings[1])
    #expect(readings[0] >= before)
    source.close()
  }

  @Test func signalsComeThroughTheLoop() throws {
    let loop = try EventLoop()
    var arrivals: [SignalArrival] = []
    let source = try loop.addSignal(SIGUSR1) { arrivals.append($0) }
    // To this thread alone: other tests run on others.
    pthread_kill(pthread_self(), SIGUSR1)
    #expect(try loop.runUntil { !arrivals.isEmpty })
    #expect(arrivals.map(\.signal) == [SIGUSR1])
    #expect(arrivals.map(\.sender) == [getpid()])
    source.close()
  }

  @Test func readySourcesRunInTheOrderOfPriority() throws {
    let loop = try EventLoop()
    var log = ""
    let sources = [
      try loop.addDeferred(priority: .idle) { log += "c" },
      try loop.addDeferred { log += "b" },
      try loop.addDeferred(priority: .important) { log += "a" },
    ]
    for _ in sources { try loop.runOnce(timeout: 0) }
    #expect(log == "abc")
  }

  @Test func idleWorkYieldsToDescriptors() throws {
    let loop = try EventLoop()
    let pipe = try Pipe()
    var turns = 0
    let idle = try loop.addDeferred(repeating: true, priority: .idle) { turns += 1 }
    var readable = false
    let source = try loop.addIO(pipe.reader, .readable) { _ in readable = true }
    try loop.runOnce(timeout: 0)
    #expect(turns == 1)
    pipe.write("x")
    try loop.runOnce(timeout: 0)
    #expect(readable && turns == 1)
    idle.close()
    source.close()
  }

  @Test func aSourceMayGoAwayInItsOwnHandler() throws {
    let loop = try EventLoop()
    var source: TurnSource?
    var count = 0
    source = try loop.addDeferred(repeating: true) {
      source = nil
      count += 1
    }
    #expect(source != nil)
    try loop.runOnce(timeout: 0)
    #expect(try !loop.runOnce(timeout: 0))
    #expect(count == 1)
  }

  @Test func aClosedSourceReleasesItsHandlerAndStaysQuiet() throws {
    final class Owner {}
    let loop = try EventLoop()
    var owner: Owner? = Owner()
    weak let watched = owner
    let source = try loop.addDeferred(repeating: true) { [owner] in _ = owner }
    owner = nil
    #expect(watched != nil)
    source.close()
    source.close()
    #expect(watched == nil)
    source.isEnabled = true
    #expect(try !loop.runOnce(timeout: 0))
  }

  @Test func namesWhatChangesInAFolder() throws {
    let folder = try TemporaryFolder()
    let loop = try EventLoop()
    var names: [String] = []
    let watch = try loop.addFileWatch(folder.path, mask: UInt32(IN_CLOSE_WRITE)) {
      names.append($0.name)
    }
    try folder.file("reminders.ics", "BEGIN:VCALENDAR")
    #expect(try loop.runUntil { !names.isEmpty })
    #expect(names == ["reminders.ics"])
    watch.close()
    #expect(throws: SystemError.self) {
      try loop.addFileWatch(folder.path + "/none", mask: UInt32(IN_CLOSE_WRITE)) { _ in }
    }
  }
}

@Suite(.serialized) struct ClockStepTests {
  @Test func staysQuietWhileTheClockRuns() throws {
    let loop = try EventLoop()
    var steps = 0
    let source = try ClockStepSource(loop: loop) { steps += 1 }
    #expect(try !loop.runOnce(timeout: 2000))
    #expect(steps == 0)
    source.close()
    source.close()
  }

  /// Sets the clock to the time it has, which the kernel counts as a step. It also ends an NTP
  /// discipline in progress, hence only on request.
  @Test(
    .enabled(
      if: getenv("GEOREMIND_TEST_CLOCK") != nil,
      "GEOREMIND_TEST_CLOCK=1 and CAP_SYS_TIME allow setting the clock"))
  func reportsEachStep() throws {
    let loop = try EventLoop()
    var steps = 0
    let source = try ClockStepSource(loop: loop) { steps += 1 }
    for round in 1...2 {
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      #expect(clock_settime(CLOCK_REALTIME, &now) == 0)
      #expect(try loop.runUntil { steps == round })
    }
    #expect(try !loop.runOnce(timeout: 0))
    source.close()
  }
}
