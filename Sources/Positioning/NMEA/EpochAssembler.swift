import CivilTime
import Geodesy

/// Assembles the sentences of one time stamp into a dated fix.
///
/// An epoch opens with the first sentence of a new time. It closes at a sentence with another time,
/// in a silence, or with the last sentence of the receiver's learnt burst (`CycleEnd`). Each epoch
/// is released once. If times alternate because two receivers share the stream, two epochs stay
/// open; the one with the older update is closed first.
struct EpochAssembler: Sendable {
  var current = Epoch()
  private(set) var isOpen = false
  private var other = Epoch()
  private var isOtherOpen = false
  /// Number of new epochs for which two stay open.
  private var interleaved = 0

  /// Values of untimed sentences received while no epoch was open.
  var pending = Untimed()
  /// Whether the last sentence with a time belongs to an epoch already released.
  private(set) var isStale = false

  private var cycle = CycleEnd()
  /// Sentences without a time since the last epoch was closed.
  private var lead: UInt8 = 0
  /// Whether the last epoch was closed by its learnt end; `current` still holds it.
  private var isEnded = false

  /// Times of day of the last fixes; a late sentence must not reopen its epoch.
  private var recent = InlineArray<8, Int32>(repeating: .min)
  private var recentDays = InlineArray<8, Int32>(repeating: .min)
  private var recentCount = 0
  /// How far an epoch lies behind the last one if a sentence of it may still come, in milliseconds.
  private static let lateness: UInt32 = 60_000

  private var dates = EpochDates()
  private var solution = LastSolution()
  private var lastPosition: Coordinate?
  private var lastGiven: Instant?

  /// The receiver, as in `Fix.device`.
  private let device: UInt64

  init(device: UInt64 = 0) { self.device = device }

  /// Whether an open epoch waits for a sentence with a time.
  var isWaitingForTime: Bool { isOpen && !current.isTimed }

  /// Whether an open epoch has a position, and so is a fix when it closes.
  var hasOpenEpoch: Bool {
    (isOpen && current.hasFix) || (isOtherOpen && other.hasFix)
  }

  /// The last position, be it released or not.
  var previousPosition: Coordinate? { isOpen ? current.position ?? lastPosition : lastPosition }

  /// Makes the epoch of a sentence's time the current one; false if that epoch was already
  /// released.
  ///
  /// - Parameters:
  ///   - timeOfDay: milliseconds of the UTC day.
  ///   - day: the date in the sentence itself, days since 1970.
  ///   - isFromFix: whether the sentence claims a fix, which makes its date reliable.
  mutating func enter(
    _ timeOfDay: Int32, day: Int32?, isFromFix: Bool, _ context: inout FixContext,
    into fixes: inout [Fix]
  ) -> Bool {
    // The date of this epoch is none of the epoch before, which may close now.
    defer { if let day { context.dates.take(day, timeOfDay, isFromFix: isFromFix) } }
    // Only the date of a sentence with a fix separates epochs with one time of day.
    let certainDay = isFromFix ? day : nil
    if isWaitingForTime, !isGivenOut(timeOfDay, certainDay) {
      current.timeOfDay = timeOfDay
      current.isTimed = true
    } else if !(isOpen && current.isAt(timeOfDay, certainDay)) {
      guard change(to: timeOfDay, day: certainDay, &context, into: &fixes) else {
        // The epoch was released, but its date serves later ones.
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

  /// Makes an epoch the current one for a position whose time cannot be read: the open one, unless
  /// it has such a position already. The next sentence with a time gives it to an epoch without.
  mutating func enterUntimed(
    rank: Epoch.Rank, _ context: inout FixContext, into fixes: inout [Fix]
  ) {
    isStale = false
    if isOpen, current.admitsUntimed(rank) { return }
    if isOpen { close(current, &context, into: &fixes) }
    open(Epoch(timeOfDay: nil))
    _ = current.admitsUntimed(rank)
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
      // A step back by seconds is another receiver; a larger one is a clock that was set.
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
    open(Epoch(timeOfDay: timeOfDay))
    return true
  }

  private mutating func open(_ epoch: Epoch) {
    isEnded = false
    current = epoch
    current.untimed = pending
    current.hasMotionAhead = pending.saysMotion
    current.shape.lead = lead
    pending = Untimed()
    lead = 0
    isOpen = true
  }

  /// Releases the open epochs, the earlier one first.
  mutating func closeAll(_ context: inout FixContext, into fixes: inout [Fix]) {
    if isOpen, isOtherOpen, current.isTimed,
      CivilDay.difference(current.timeOfDay, other.timeOfDay) < 0
    {
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

  /// Drops an unfinished burst and the learnt cycle before a new connection; dates stay.
  mutating func forgetBurst() {
    pending = Untimed()
    lead = 0
    cycle.forget()
    isStale = false
    solution.expire()
  }

  // MARK: The learnt end

  /// Counts a sentence after its values, and closes the epoch if it ends the burst.
  mutating func count(_ type: SentenceType, _ context: inout FixContext, into fixes: inout [Fix]) {
    guard !isStale else { return }
    guard isOpen else {
      if !type.hasTime { countLead() }
      return
    }
    current.shape.append(type)
    guard current.shape == cycle.learned, current.isTimed, !isOtherOpen, interleaved == 0
    else { return }
    learn(current, context)
    close(current, &context, into: &fixes)
    isOpen = false
    isEnded = true
  }

  /// Counts an untimed sentence between epochs. More of them than a burst starts with show that the
  /// last burst had not ended. They count for the next epoch, as after a silence.
  private mutating func countLead() {
    BurstShape.increase(&lead)
    guard isEnded, let learned = cycle.learned, lead > learned.lead else { return }
    cycle.unlearn()
    isEnded = false
  }

  /// Learns the shape of a burst with a position. Many receivers send fewer sentences without a
  /// fix: that shape would cut the first fix short.
  private mutating func learn(_ epoch: Epoch, _ context: FixContext) {
    guard context.options.learnsCycleEnd, epoch.hasFix, epoch.isTimed else { return }
    cycle.learn(epoch.shape)
  }

  // MARK: Closing

  private mutating func close(
    _ epoch: Epoch, _ context: inout FixContext, into fixes: inout [Fix]
  ) {
    if epoch.isTimed { solution.advance(to: epoch) }
    let time = epoch.isTimed ? dates.time(of: epoch, hasPosition: epoch.hasFix) : nil
    guard epoch.hasFix, let position = epoch.position else { return }
    var fix = Fix(time: nil, position: position, source: epoch.estimate ?? epoch.source)
    fix.device = device
    if epoch.isTimed { date(&fix, epoch.timeOfDay, time, &context) }
    solution.complete(&fix, from: epoch)
    guard let fix = fix.admitted(after: lastPosition) else { return }
    lastPosition = position
    if !epoch.isTimed { context.statistics.unreadableTimes &+= 1 }
    context.give(fix, after: &lastGiven, into: &fixes)
  }

  /// Gives a fix its time, and remembers it: the epoch must not be opened again.
  /// - Parameter time: by the dates of the receiver, milliseconds since 1970.
  private mutating func date(
    _ fix: inout Fix, _ timeOfDay: Int32, _ time: Int64?, _ context: inout FixContext
  ) {
    let slot = recentCount & 7
    recent[slot] = timeOfDay
    recentDays[slot] =
      time.map { Int32(truncatingIfNeeded: $0 / CivilDay.millisecondsPerDay) } ?? .min
    recentCount &+= 1
    if let time = time ?? context.dates.nearest(timeOfDay)
      ?? dates.timeWithoutDate(timeOfDay, context)
    {
      fix.time = context.corrected(Instant(microseconds: time &* 1000))
    } else {
      fix.timeOfDay = timeOfDay
    }
  }

  private func isGivenOut(_ timeOfDay: Int32, _ day: Int32?) -> Bool {
    let newest = recent[(recentCount &- 1) & 7]
    for index in recent.indices {
      // A tracker that sends some fixes a day comes back to the same times.
      let age = CivilDay.difference(newest, recent[index])
      guard age.magnitude <= Self.lateness else { continue }
      let step = timeOfDay &- recent[index]
      guard step < Epoch.tolerance, step > -Epoch.tolerance else { continue }
      let known = recentDays[index]
      if day == nil || known == .min || day == known { return true }
    }
    return false
  }
}

extension Epoch {
  /// Maximum difference of times within one epoch, in milliseconds, as in gpsd.
  static let tolerance: Int32 = 10

  func isAt(_ timeOfDay: Int32, _ day: Int32?) -> Bool {
    let step = timeOfDay &- self.timeOfDay
    guard step < Self.tolerance, step > -Self.tolerance else { return false }
    guard let day, dayIsFromFix else { return true }
    return self.day == day
  }
}
