import CivilTime
import Geodesy

/// Puts the sentences of one time stamp together and dates them.
///
/// An epoch is open from the first sentence with a new time until a sentence with another time
/// comes, the feed falls silent, or the sentence has come that ends all bursts of the receiver
/// (`CycleEnd`); it is given out once. Where times go back and forth, because two receivers share
/// the stream, two epochs are kept open, and the one untouched for longer gives way.
struct EpochAssembler: Sendable {
  private(set) var current = Epoch()
  private(set) var isOpen = false
  /// The second open epoch of an interleaved stream.
  private var other = Epoch()
  private var isOtherOpen = false
  /// New epochs for which two are still kept open.
  private var interleaved = 0

  /// What untimed sentences said while no epoch was open.
  private var pending = Untimed()
  /// The last sentence with a time belongs to an epoch that was given out already.
  private var isStale = false

  private var cycle = CycleEnd()
  /// Sentences without a time since the last epoch was closed.
  private var lead: UInt8 = 0
  /// The last epoch was closed by its learnt end, and `current` still holds it.
  private var isEnded = false

  /// Times of day of the last fixes, so that a straggler of an epoch does not open it again.
  private var recent = InlineArray<8, Int32>(repeating: .min)
  private var recentDays = InlineArray<8, Int32>(repeating: .min)
  private var recentCount = 0

  private var dates = EpochDates()
  private var solution = LastSolution()
  private var lastPosition: (latitude: Double, longitude: Double)?
  private var lastGiven: Instant?

  /// Whether an open epoch has a position, and so is a fix when it closes.
  var hasOpenEpoch: Bool {
    (isOpen && current.rank != .none) || (isOtherOpen && other.rank != .none)
  }

  /// Makes the epoch of a sentence's time the current one; false where that epoch was given out
  /// before and the sentence comes too late.
  ///
  /// - Parameters:
  ///   - timeOfDay: milliseconds of the UTC day.
  ///   - day: the date that the sentence itself gives, days since 1970.
  ///   - isFromFix: whether the sentence claims a fix, and so vouches for its date.
  mutating func enter(
    _ timeOfDay: Int32, day: Int32?, isFromFix: Bool, _ context: inout FixContext,
    into fixes: inout [Fix]
  ) -> Bool {
    // Only a date that comes with a fix tells epochs of one time of day apart.
    let certainDay = isFromFix ? day : nil
    if !(isOpen && current.isAt(timeOfDay, certainDay)) {
      guard change(to: timeOfDay, day: certainDay, &context, into: &fixes) else {
        // Its epoch was given out, but the date holds for those to come.
        if let day { dates.take(day, timeOfDay, isFromFix: isFromFix) }
        return false
      }
    }
    isStale = false
    if let day, current.day == nil || (isFromFix && !current.dayIsFromFix) {
      current.day = day
      current.dayIsFromFix = isFromFix
    }
    return true
  }

  @inline(never)
  private mutating func change(
    to timeOfDay: Int32, day: Int32?, _ context: inout FixContext, into fixes: inout [Fix]
  ) -> Bool {
    if isOtherOpen, other.isAt(timeOfDay, day) {
      swap(&current, &other)
      swap(&isOpen, &isOtherOpen)
      return true
    }
    if isEnded {
      isEnded = false
      if current.isAt(timeOfDay, day) { cycle.unlearn() }
    }
    if isGivenOut(timeOfDay, day) {
      isStale = true
      context.statistics.lateSentences &+= 1
      return false
    }
    if isOpen {
      let step = CivilDay.difference(timeOfDay, current.timeOfDay)
      // Back by seconds is another receiver; back by more is a clock that was set.
      if step < 0, step > -EpochDates.lag {
        interleaved = 8
      } else if interleaved > 0 {
        interleaved -= 1
      }
      if isOtherOpen {
        close(other, &context, into: &fixes)
      } else if interleaved == 0 {
        learn(current, context)
      }
      isOtherOpen = interleaved > 0
      if isOtherOpen {
        other = current
      } else {
        close(current, &context, into: &fixes)
      }
    }
    current = Epoch(timeOfDay: timeOfDay)
    current.untimed = pending
    current.hasMotionAhead = pending.saysMotion
    current.shape.lead = lead
    pending = Untimed()
    lead = 0
    isOpen = true
    return true
  }

  /// Gives out what is open, the earlier epoch first.
  mutating func closeAll(_ context: inout FixContext, into fixes: inout [Fix]) {
    if isOpen, isOtherOpen, CivilDay.difference(current.timeOfDay, other.timeOfDay) < 0 {
      swap(&current, &other)
    }
    if isOtherOpen {
      close(other, &context, into: &fixes)
    } else if isOpen, interleaved == 0 {
      learn(current, context)
    }
    if isOpen { close(current, &context, into: &fixes) }
    isOpen = false
    isOtherOpen = false
    isStale = false
    isEnded = false
  }

  /// Forgets what belongs to a burst that will not go on, and what the next connection, perhaps to
  /// another receiver, has to show again; dates stay.
  mutating func forgetBurst() {
    pending = Untimed()
    lead = 0
    cycle.forget()
    isStale = false
    solution.expire()
  }

  // MARK: What sentences say

  mutating func update(_ change: (inout Epoch) -> Void) { change(&current) }

  /// Takes speed and track of a sentence without a time; NaN where it says that there are none.
  ///
  /// In some bursts it comes before the first time. After a silence that shows; within a recording
  /// it looks like the end of the burst before. But an epoch that has its own from in front of it
  /// has no need of one behind, and leaves it to the next; two behind it are its own.
  mutating func setMotion(speed: Double, track: Double) {
    guard isOpen, !isStale, current.hasMotionAhead else {
      updateUntimed { $0.setMotion(speed, track) }
      return
    }
    if pending.saysMotion {
      pending.speed = .nan
      pending.track = .nan
      pending.saysMotion = false
      current.hasMotionAhead = false
      current.untimed.setMotion(speed, track)
    } else {
      pending.setMotion(speed, track)
    }
  }

  mutating func updateUntimed(_ change: (inout Untimed) -> Void) {
    if isOpen {
      if !isStale { change(&current.untimed) }
    } else if !isStale {
      change(&pending)
    }
  }

  // MARK: The learnt end

  /// Counts a sentence behind what it said, and closes the epoch if it is the last of its burst.
  mutating func count(_ type: SentenceType, _ context: inout FixContext, into fixes: inout [Fix]) {
    guard !isStale else { return }
    guard isOpen else {
      if !type.hasTime { countLead() }
      return
    }
    current.shape.append(type)
    guard current.shape == cycle.learned, !isOtherOpen, interleaved == 0 else { return }
    learn(current, context)
    close(current, &context, into: &fixes)
    isOpen = false
    isEnded = true
  }

  /// More than the next burst should begin with are from the last one, which was not at its end.
  /// They count for the next epoch, like those that come after a silence.
  private mutating func countLead() {
    BurstShape.increase(&lead)
    guard isEnded, let learned = cycle.learned, lead > learned.lead else { return }
    cycle.unlearn()
    isEnded = false
  }

  /// Without a fix many receivers send fewer sentences: such bursts teach nothing, or the first fix
  /// would be cut short.
  private mutating func learn(_ epoch: Epoch, _ context: FixContext) {
    guard context.options.learnsCycleEnd, epoch.rank != .none else { return }
    cycle.learn(epoch.shape)
  }

  // MARK: Closing

  private mutating func close(
    _ epoch: Epoch, _ context: inout FixContext, into fixes: inout [Fix]
  ) {
    solution.advance(to: epoch)
    let hasPosition = epoch.rank != .none && !isNullIsland(epoch)
    let time = dates.time(of: epoch, hasPosition: hasPosition)
    guard hasPosition,
      let position = Coordinate(latitude: epoch.latitude, longitude: epoch.longitude)
    else { return }
    lastPosition = (epoch.latitude, epoch.longitude)

    let slot = recentCount & 7
    recent[slot] = epoch.timeOfDay
    recentDays[slot] =
      time.map { Int32(truncatingIfNeeded: $0 / CivilDay.millisecondsPerDay) } ?? .min
    recentCount &+= 1

    var fix = Fix(time: nil, position: position, source: epoch.estimate ?? epoch.source)
    if let time = time ?? dates.timeWithoutDate(epoch.timeOfDay, context) {
      fix.time = Instant(microseconds: context.corrected(time) &* 1000)
    } else {
      fix.timeOfDay = epoch.timeOfDay
    }
    solution.complete(&fix, from: epoch)
    context.give(fix, after: &lastGiven, into: &fixes)
  }

  /// Zero north, zero east is where receivers without a fix put themselves. It counts only for one
  /// that was just near it.
  private func isNullIsland(_ epoch: Epoch) -> Bool {
    guard epoch.latitude == 0, epoch.longitude == 0 else { return false }
    guard let lastPosition else { return true }
    return lastPosition.latitude.magnitude > 0.1 || lastPosition.longitude.magnitude > 0.1
  }

  private func isGivenOut(_ timeOfDay: Int32, _ day: Int32?) -> Bool {
    for index in recent.indices {
      let step = timeOfDay &- recent[index]
      guard step < Epoch.tolerance, step > -Epoch.tolerance else { continue }
      let known = recentDays[index]
      if day == nil || known == .min || day == known { return true }
    }
    return false
  }

}

extension Epoch {
  /// Times closer than this are one epoch, as in gpsd; in milliseconds.
  static let tolerance: Int32 = 10

  func isAt(_ timeOfDay: Int32, _ day: Int32?) -> Bool {
    let step = timeOfDay &- self.timeOfDay
    guard step < Self.tolerance, step > -Self.tolerance else { return false }
    guard let day, dayIsFromFix else { return true }
    return self.day == day
  }
}
