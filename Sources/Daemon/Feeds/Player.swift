import CivilTime
import Feeds
import LinuxRuntime
import Positioning
import Reminders

/// Plays a recorded file at its own pace, at a multiple of it, or without pauses; a stream with a
/// time of its own as it comes.
///
/// The feed is paused while fixes wait, so memory is one chunk for any length. The recording's
/// clock runs between fixes, so the engine's deadlines come on time.
final class Player {
  private let feed: FeedRunner
  private let host: EngineHost
  private let timer: TimerSource
  /// Recording seconds a second; nil is as fast as it goes.
  private let rate: Double?
  private var waiting: [(fix: Fix, sender: UInt64)] = []
  private var leaps = LeapFilter<(fix: Fix, sender: UInt64)>()
  private var next = 0
  private var hasEnded = false
  /// A recorded time and the matching machine time.
  private var anchor: (recorded: Instant, monotonic: Int64)?

  /// The first fix defines when the recording begins.
  var onBegin: (Instant) -> Void = { _ in }
  var onFix: (Fix, _ sender: UInt64) -> Void = { _, _ in }
  var onEnd: () -> Void = {}

  init(feed: FeedRunner, rate: Double?, host: EngineHost, loop: EventLoop) throws {
    self.feed = feed
    self.rate = rate
    self.host = host
    let owner = WeakReference<Player>()
    timer = try loop.addTimer(.monotonic, accuracy: 1_000) { _ in owner.target?.pump() }
    owner.target = self
    feed.onFixes = { [unowned self] fixes, sender in
      for fix in fixes { take(fix, sender) }
      pump()
    }
    feed.onEnd = { [unowned self] in
      hasEnded = true
      leaps.finish(into: &waiting)
      pump()
    }
  }

  private func take(_ fix: Fix, _ sender: UInt64) {
    let dropped = leaps.dropped
    leaps.take(fix.time, (fix, sender), into: &waiting)
    guard leaps.dropped > dropped else { return }
    _ = feed.age.drop(by: .zero - leaps.largest, at: SystemClock.bootTime.microseconds)
  }

  func stop() { timer.close() }

  /// Releases every fix whose time has come and waits for the next one.
  private func pump() {
    while next < waiting.count {
      let (fix, sender) = waiting[next]
      guard let time = fix.time else {
        next += 1
        continue
      }
      if anchor == nil {
        anchor = (time, SystemClock.monotonic.microseconds)
        onBegin(time)
      }
      if let moment = moment(of: time), moment > SystemClock.monotonic.microseconds {
        wait(until: moment)
        return
      }
      next += 1
      onFix(fix, sender)
    }
    waiting.removeAll(keepingCapacity: true)
    next = 0
    if hasEnded {
      hasEnded = false
      timer.disarm()
      onEnd()
    } else {
      feed.feed.isPaused = false
    }
  }

  private func wait(until moment: Int64) {
    feed.feed.isPaused = true
    // A deadline of the engine between two fixes comes at its own time.
    if let deadline = host.nextDeadline, let early = self.moment(of: deadline),
      early < moment
    {
      if early <= SystemClock.monotonic.microseconds {
        host.advance(to: deadline)
        timer.arm(in: 0)
      } else {
        timer.arm(at: early)
      }
    } else {
      timer.arm(at: moment)
    }
  }

  /// The machine's time of a moment of the recording, monotonic microseconds; nil at full speed.
  private func moment(of time: Instant) -> Int64? {
    guard let rate, let anchor else { return nil }
    let offset = (time - anchor.recorded).seconds / rate * 1e6
    guard offset.isFinite, abs(offset) < 1e17 else { return nil }
    return anchor.monotonic + Int64(offset)
  }
}
