import CivilTime
import LinuxRuntime
import Reminders
import Storage
import Testing

@testable import Daemon

/// What the watchdog of systemd is fed on.
@Suite struct SelfCheckTests {
  private var check = SelfCheck()

  @Test mutating func aSoundDaemonHasNoFault() throws {
    let rig = try Rig("[Feed]\nFeed=tcp://127.0.0.1:1\n")
    try rig.daemon.add(dated("a", in: .hours(1)))
    for _ in 0..<3 { #expect(check.fault(of: rig.daemon) == nil) }
    // Lost and waiting is not stuck.
    try rig.run { rig.daemon.feeds[0].isLost }
    #expect(check.fault(of: rig.daemon) == nil)
  }

  /// As the loop's timer might fail: the deadline passes and nobody comes.
  @Test mutating func aTimerThatDoesNotRunOutIsOneWhenSeenTwice() throws {
    let rig = try Rig()
    let now = Instant(microseconds: SystemClock.now())
    rig.daemon.host.handle(.add(try dated("a", in: .minutes(-5)), nil), at: now - .hours(1))
    #expect(check.fault(of: rig.daemon) == nil)
    #expect(check.fault(of: rig.daemon)?.contains("did not run out") == true)
    rig.daemon.host.advance(to: now)
    #expect(check.fault(of: rig.daemon) == nil)
  }

  @Test mutating func aStoreThatIsClosedUnderTheDaemonIsOne() throws {
    let rig = try Rig()
    rig.daemon.store.close()
    #expect(check.fault(of: rig.daemon)?.contains("store") == true)
  }
}
