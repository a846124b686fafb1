import CivilTime
import Geodesy

/// Puts the sentences of one time stamp together and dates them.
///
/// An epoch is open from the first sentence with a new time until a sentence with another time comes,
/// the feed falls silent, or the sentence has come that ends all bursts of the receiver (`CycleEnd`);
/// it is given out once. Where times go back and forth, because two receivers share the stream, two
/// epochs are kept open, and the one untouched for longer gives way.
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

  /// The last dated time of the stream, milliseconds since 1970; what dates the epochs without a date.
  private var lastTime: Int64?
  /// Whether `lastTime` rests on the date of a receiver with a fix.
  private var isDateFromFix = false
  /// The last fix before the stream gave any date, and the reference time that dated it.
  private var lastUndated: (time: Int64, reference: Instant)?

  private var lastDimension: UInt8 = 0
  private var lastHDOP = Double.nan
  private var lastMode = Fix.Mode.twoD
  /// How long ago, by the epochs' times, GSA and the mode were said last, in milliseconds; a clock
  /// that is set back makes nothing older.
  private var ageOfGSA = Self.never
  private var ageOfMode = Self.never
  private var lastClosed: Int32 = 0
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
  @inline(__always)
  mutating func enter(
    _ timeOfDay: Int32, day: Int32?, isFromFix: Bool, _ context: inout FixContext,
    into fixes: inout [Fix]
  ) -> Bool {
    // Only a date that comes with a fix tells epochs of one time of day apart.
    let certainDay = isFromFix ? day : nil
    if !(isOpen && current.isAt(timeOfDay, certainDay)) {
      guard change(to: timeOfDay, day: certainDay, &context, into: &fixes) else {
        // Its epoch was given out, but the date holds for those to come.
        if let day { takeDate(day, timeOfDay, isFromFix: isFromFix) }
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
      let step = Self.difference(timeOfDay, current.timeOfDay)
      // Back by seconds is another receiver; back by more is a clock that was set.
      if step < 0, step > -Self.lag {
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
    if isOpen, isOtherOpen, Self.difference(current.timeOfDay, other.timeOfDay) < 0 {
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
    ageOfGSA = Self.never
    ageOfMode = Self.never
  }

  // MARK: What sentences say

  @inline(__always)
  mutating func update(_ change: (inout Epoch) -> Void) { change(&current) }

  /// Takes speed and track of a sentence without a time; NaN where it says that there are none.
  ///
  /// In some bursts it comes before the first time. After a silence that shows; within a recording it
  /// looks like the end of the burst before. But an epoch that has its own from in front of it has no
  /// need of one behind, and leaves it to the next; two behind it are its own.
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

  @inline(__always)
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

  /// More than the next burst should begin with are from the last one, which was not at its end. They
  /// count for the next epoch, like those that come after a silence.
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
    let step = Int64(max(0, Self.difference(epoch.timeOfDay, lastClosed)))
    lastClosed = epoch.timeOfDay
    ageOfGSA = min(ageOfGSA + step, Self.never)
    ageOfMode = min(ageOfMode + step, Self.never)
    if epoch.untimed.dimension > 1 || !epoch.untimed.hdop.isNaN {
      if epoch.untimed.dimension > 1 { lastDimension = epoch.untimed.dimension }
      lastHDOP = epoch.untimed.hdop
      ageOfGSA = 0
    }
    let hasPosition = epoch.rank != .none && !isNullIsland(epoch)
    let time = date(epoch, hasPosition: hasPosition)
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
    if let time = time ?? timeWithoutDate(epoch.timeOfDay, context) {
      fix.time = Instant(microseconds: context.corrected(time) &* 1000)
    } else {
      fix.timeOfDay = epoch.timeOfDay
    }
    describe(epoch, &fix)
    context.give(fix, after: &lastGiven, into: &fixes)
  }

  private mutating func describe(_ epoch: Epoch, _ fix: inout Fix) {
    let untimed = epoch.untimed
    // Some receivers send GSA only now and then: what it said holds for a few seconds.
    let isGSARecent = ageOfGSA <= Self.memory
    // A GSA without a fix beside a position is the next burst's, which begins with it, or late.
    let dimension = untimed.dimension > 1 ? untimed.dimension : isGSARecent ? lastDimension : 0
    let saysHeight = !epoch.altitude.isNaN || untimed.altitudeIsFromFix
    if dimension > 1 || saysHeight || epoch.hasGGA {
      fix.mode = dimension == 3 || (dimension != 2 && saysHeight) ? .threeD : .twoD
      lastMode = fix.mode
      ageOfMode = 0
    } else if ageOfMode <= Self.memory {
      // Bursts that take turns, GGA only in every second one: the solution stays what it was.
      fix.mode = lastMode
    }

    if !epoch.altitude.isNaN {
      fix.altitudeMSL = epoch.altitude
      if !epoch.separation.isNaN { fix.altitudeHAE = epoch.altitude + epoch.separation }
    } else if !untimed.altitude.isNaN {
      fix.altitudeMSL = untimed.altitude
    }
    let speed = epoch.motionIsFromRMC && !epoch.speed.isNaN ? epoch.speed : untimed.speed
    let track = epoch.motionIsFromRMC && !epoch.track.isNaN ? epoch.track : untimed.track
    if !speed.isNaN { fix.speed = speed }
    if !track.isNaN { fix.track = track == 360 ? 0 : track }
    let hdop = untimed.hdop.isNaN && isGSARecent ? lastHDOP : untimed.hdop
    fix.eph = epoch.horizontalError(source: fix.source, hdopOfGSA: hdop)
  }

  /// For how many milliseconds holds what not every burst repeats.
  private static let memory: Int64 = 10_000
  private static let never = Int64.max / 2

  /// Zero north, zero east is where receivers without a fix put themselves. It counts only for one
  /// that was just near it.
  private func isNullIsland(_ epoch: Epoch) -> Bool {
    guard epoch.latitude == 0, epoch.longitude == 0 else { return false }
    guard let lastPosition else { return true }
    return lastPosition.latitude.magnitude > 0.1 || lastPosition.longitude.magnitude > 0.1
  }

  /// Milliseconds since 1970, or nil where the stream gave no date yet.
  private mutating func date(_ epoch: Epoch, hasPosition: Bool) -> Int64? {
    var time: Int64?
    if let day = epoch.day {
      time = takeDate(day, epoch.timeOfDay, isFromFix: epoch.dayIsFromFix || hasPosition)
    } else if let last = lastTime {
      // The clock of a receiver may be set back: its next date tells, and no day is begun for it.
      let full = Self.carried(epoch.timeOfDay, from: last, back: 43_200_000)
      lastTime = full
      time = full
    }
    return time
  }

  /// The moment of a date and a time of day; from it the epochs go on that have no date.
  ///
  /// A clock without a fix may still count from its last shutdown: it does not overrule a date that
  /// came with a fix, and is forgotten as soon as one comes.
  @discardableResult
  private mutating func takeDate(_ day: Int32, _ timeOfDay: Int32, isFromFix: Bool) -> Int64 {
    let time = Int64(day) * CivilDay.millisecondsPerDay + Int64(timeOfDay)
    if isFromFix || !isDateFromFix {
      lastTime = time
      isDateFromFix = isFromFix
    }
    return time
  }

  /// Where the stream gave no date yet: the time nearest to the reference. A recording has one that
  /// stands still; there an epoch goes on from the one before.
  private mutating func timeWithoutDate(_ timeOfDay: Int32, _ context: FixContext) -> Int64? {
    guard let reference = context.options.referenceTime,
      let nearest = context.nearestToReference(timeOfDay)
    else { return nil }
    var time = nearest
    if let last = lastUndated, last.reference == reference {
      time = Self.carried(timeOfDay, from: last.time, back: Self.lag)
    }
    lastUndated = (time, reference)
    return time
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

  /// How far two receivers that share a stream may lie apart, in milliseconds.
  private static let lag: Int32 = 10_000

  /// The moment with this time of day that follows another one: on its day, or on the day after where
  /// the time of day is earlier by more than `back` milliseconds. Late by a lag across midnight is the
  /// day before. However long a gap forward in the day is, it is no way back.
  private static func carried(_ timeOfDay: Int32, from moment: Int64, back: Int32) -> Int64 {
    let length = CivilDay.millisecondsPerDay
    let inDay = (moment % length + length) % length
    let step = Int64(timeOfDay) - inDay
    if step >= length - Int64(lag) { return moment &+ step &- length }
    return step < -Int64(back) ? moment &+ step &+ length : moment &+ step
  }

  /// The moment with this time of day that is nearest to another moment.
  static func nearest(_ timeOfDay: Int32, to moment: Int64) -> Int64 {
    let length = CivilDay.millisecondsPerDay
    let inDay = (moment % length + length) % length
    return moment + Int64(difference(timeOfDay, Int32(truncatingIfNeeded: inDay)))
  }

  /// From `b` to `a` the short way round the clock, in milliseconds.
  @inline(__always)
  static func difference(_ a: Int32, _ b: Int32) -> Int32 {
    let length: Int32 = 86_400_000
    let step = a &- b
    return step > length / 2 ? step &- length : step < -length / 2 ? step &+ length : step
  }
}

extension Epoch {
  /// Times closer than this are one epoch, as in gpsd; in milliseconds.
  static let tolerance: Int32 = 10

  @inline(__always)
  func isAt(_ timeOfDay: Int32, _ day: Int32?) -> Bool {
    let step = timeOfDay &- self.timeOfDay
    guard step < Self.tolerance, step > -Self.tolerance else { return false }
    guard let day, dayIsFromFix else { return true }
    return self.day == day
  }
}
