import LinuxRuntime
import Storage

/// How far the wall clock is ahead of the time since boot, which runs on in suspend.
///
/// Only setting the clock changes it, but for the slow adjustment of NTP (adjtimex(2), at most
/// 0.05 %). So it distinguishes a clock that was set from a sleep of the machine, and a start
/// after the clock was set from one after an outage.
struct ClockOffset: Equatable {
  /// The boot that the offset is of: another boot has another one.
  let boot: String
  let microseconds: Int64

  /// A smaller change is none that anything depends on.
  private static let tolerance: Int64 = 600_000_000

  init(boot: String, microseconds: Int64) {
    self.boot = boot
    self.microseconds = microseconds
  }

  /// The offset of this moment.
  static var current: ClockOffset {
    ClockOffset(
      boot: MachineID.boot ?? "",
      microseconds: SystemClock.now() - SystemClock.bootTime.microseconds)
  }

  /// Reads `text`; nil for anything else.
  init?(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 1)
    guard words.count == 2, let microseconds = Int64(words[0]) else { return nil }
    self.init(boot: String(words[1]), microseconds: microseconds)
  }

  /// As the last run wrote it; nil if none did, or the store cannot be read.
  init?(of store: Store) {
    guard let text = try? store.state.clockOffset() else { return nil }
    self.init(text)
  }

  var text: String { "\(microseconds) \(boot)" }

  /// Whether it has changed by more than the moment between two readings explains.
  func differs(from other: ClockOffset) -> Bool {
    (microseconds &- other.microseconds).magnitude > 50_000
  }

  /// Whether somebody has set the clock since then; false where a boot lies between, after which
  /// nothing is known.
  func wasSet(since earlier: ClockOffset) -> Bool {
    boot == earlier.boot && (microseconds &- earlier.microseconds).magnitude > Self.tolerance
  }
}
