import CProcessor
import CivilTime
import Geodesy

/// How much slack is left until it is time to leave, and how long it must last at least: the figures by
/// which `LeaveQueue` and `LeaveCells` let reminders rest.
///
/// Slack shrinks by a second a second, and by at most a slope more for each metre that the device goes,
/// wherever it goes. So there is a clock that runs on by both, and the slack cannot be used up before that
/// clock has gone on by as much.
///
/// The slope is that of the band of the mode's profile in which the place lies: a way of 40 km grows at
/// 80 km/h, one of 4 km at 30. Each band is a *grade* with a clock of its own; the first grade has no
/// slope, for ways that no metre makes longer. A place that comes nearer than its band may stay in its
/// grade: before the way is longer than at the last look the place is back in the band.
///
/// The far clock reckons with the longest ways there can be (`TravelPace.worst`), so that neither a trip
/// that turns out slow nor a routing engine's answer needs a look at what is far; the near clock with the
/// ways as known; and the clock of approach runs by the same metres, less the time.
struct LeaveReckoning: Sendable {
  private struct Grade: Sendable {
    /// Microseconds a metre.
    let farSlope: Double
    let nearSlope: Double
    /// What two ends of the odometer's leash may take away, microseconds.
    let farLeash: Int64
    let nearLeash: Int64

    init(farSlope: Double = 0, nearSlope: Double = 0) {
      self.farSlope = farSlope
      self.nearSlope = nearSlope
      farLeash = Int64(2 * Odometer.slackness * farSlope)
      nearLeash = Int64(2 * Odometer.slackness * nearSlope)
    }
  }

  /// Ways that grow evenly, and are of one grade.
  private struct Stretch: Sendable {
    /// Of the shortest of them, metres.
    var distance: Double
    /// Microseconds from there.
    var time: Double
    /// Microseconds for each metre more.
    var growth: Double
    /// The same of the longest ways there can be (`TravelPace.worst`), unless a routing engine knows of them.
    var worstTime: Double
    var worstGrowth: Double
    var grade: Int

    /// How long a way of this stretch takes.
    func time(_ distance: Double) -> Double { time + (distance - self.distance) * growth }

    func worst(_ distance: Double) -> Double {
      worstTime + (distance - self.distance) * worstGrowth
    }

    /// How far one gets until a time that is no earlier, in metres from the place; without an end where ways grow no longer.
    func distance(at later: Double) -> Double {
      growth > 0 ? distance + (later - time) / growth : .infinity
    }
  }

  /// With so much slack left what rested among many is looked at by itself, microseconds.
  static let nearness: Int64 = 600_000_000
  /// What is left so shortly before its moment is looked at once more, and exactly then, microseconds.
  static let soon: Int64 = 2_000_000
  /// So long what only the exact rule knows the slack of may rest; a routing engine may be asked meanwhile.
  static let longestBlindRest: Int64 = 30_000_000
  /// So long before its slack may be gone what rests by a near clock is looked at with a fix that comes,
  /// microseconds: a feed that gives one a second needs no timers between.
  static let nearPatience: Int64 = 1_200_000
  /// The shortest step by a near clock, microseconds: what has less is looked at with every fix.
  private static let shortestStep: Int64 = 1_000_000
  /// Metres that the short numbers cannot tell from none, and what rounding to whole microseconds adds.
  private static let doubtfulWay = 1.0
  private static let doubtfulTime: Int64 = 1_000
  /// Metres after which one that is gone is looked at again at the earliest.
  private static let shortestWay = 25.0
  /// As long as this a metre takes one who goes on, microseconds: by it is guessed which of several rests ends last.
  private static let hurry = 40_000.0
  /// Bands beyond so many share the last grade, at the slope of the first of them.
  private static let mostBands = 8

  let pace: TravelPace
  /// That without a slope, then one for each band.
  private let grades: [Grade]
  /// Where the grades after the first two begin, metres.
  private let laterGrades: [Double]
  /// By distance, the first one from 0.
  private let stretches: [Stretch]
  /// For each stretch and grade how low the travel time lies at most where this stretch or one before begins,
  /// above a line of the grade's slope through the place; microseconds.
  private let lows: [Double]
  private let steepestSlope: Double
  /// Seconds that a way of no length takes.
  let secondsOfNoWay: Float
  /// What the stretches add to a way of no length, for those who reckon in single precision.
  let rises: [way_rises]
  /// What they go by besides.
  let shelfRule: shelf_rule

  init(pace: TravelPace) {
    self.pace = pace
    grades =
      [Grade()]
      + pace.profile.bandStarts.prefix(Self.mostBands).map { start in
        Grade(
          farSlope: pace.worstGrowth(beyond: start) * 1e6,
          nearSlope: pace.profile.growth(beyond: start) * pace.steepest * 1e6)
      }
    laterGrades = Array(pace.profile.bandStarts.prefix(Self.mostBands).dropFirst())
    let starts = Set([0] + pace.bends + pace.profile.bandStarts).filter(\.isFinite).sorted()
    let grades = grades
    stretches = starts.indices.map { number in
      let start = starts[number]
      let way = number + 1 < starts.count ? starts[number + 1] - start : 1_000
      let time = pace.seconds(start)
      let worst = pace.worst(start)
      return Stretch(
        distance: start, time: time * 1e6, growth: (pace.seconds(start + way) - time) / way * 1e6,
        worstTime: worst * 1e6, worstGrowth: (pace.worst(start + way) - worst) / way * 1e6,
        grade: min(pace.profile.band(start) + 1, grades.count - 1))
    }
    var lows: [Double] = []
    for stretch in stretches {
      for grade in grades {
        let low = stretch.time - grade.nearSlope * stretch.distance
        let before = lows.count - grades.count
        lows.append(before < 0 ? low : min(low, lows[before]))
      }
    }
    self.lows = lows
    steepestSlope = grades.reduce(0) { max($0, $1.farSlope, $1.nearSlope) }
    let stretches = stretches
    rises = way_rises.all(
      stretches.indices.map { number in
        let stretch = stretches[number]
        let end = number + 1 < stretches.count ? stretches[number + 1].distance : 1e9
        return (stretch.distance, end - stretch.distance, stretch.growth / 1e6)
      })
    secondsOfNoWay = Float((stretches.first?.time ?? 0) / 1e6)
    shelfRule = LeaveShelf.rule(secondsOfNoWay: secondsOfNoWay)
  }

  /// By how much a near clock must go on before something with so much slack in its grade may have no more
  /// than `nearPatience` of it; microseconds, and below `shortestStep` where that is not to be told from none.
  func step(_ slack: Int64, _ grade: Int) -> Int64 {
    slack - grades[grade].nearLeash - (grade == 0 ? 0 : Self.nearPatience)
  }

  /// Seconds by which a way of a grade grows with each metre at most.
  func slope(_ grade: Int) -> Double { grades[grade].nearSlope / 1e6 }

  /// What two ends of the odometer's leash may take away in a grade, microseconds.
  func leash(_ grade: Int) -> Int64 { grades[grade].nearLeash }

  /// The grade of ways so long; 1 or more.
  func grade(_ distance: Double) -> Int {
    var grade = 1
    for start in laterGrades { grade += distance >= start ? 1 : 0 }
    return grade
  }

  /// The least distance of a grade and of the next one, metres.
  func reach(of grade: Int) -> Range<Double> {
    let starts = pace.profile.bandStarts
    return starts[grade - 1]..<(grade < grades.count - 1 ? starts[grade] : .infinity)
  }

  var gradeCount: Int { grades.count }

  // MARK: - Clocks

  func farClock(_ grade: Int, _ view: LeaveView) -> Int64 {
    view.now + Self.gain(grades[grade].farSlope, view)
  }

  func nearClock(_ grade: Int, _ view: LeaveView) -> Int64 {
    view.now + Self.gain(grades[grade].nearSlope, view)
  }

  /// What has been gained by coming nearer, at most, less the time that has passed, microseconds; of the grade without a
  /// slope the way alone, in thousandths of metres.
  func approach(_ grade: Int, _ view: LeaveView) -> Int64 {
    grade == 0
      ? Self.gain(1_000, view) : Self.gain(grades[grade].nearSlope, view) - view.now
  }

  /// No clock of a waiting reminder runs faster than this one.
  func fastestClock(_ view: LeaveView) -> Int64 {
    view.now + Self.gain(steepestSlope, view)
  }

  /// What metres have made of a clock. They have an end: a receiver that leaps about the globe for weeks
  /// must not make a sum overflow.
  private static func gain(_ slope: Double, _ view: LeaveView) -> Int64 {
    Int64(min(slope * view.metres, 4e18))
  }

  // MARK: - Ways

  /// Without a branch that nobody can foretell.
  @inline(__always)
  private func stretch(_ distance: Double) -> Stretch {
    var number = -1
    for stretch in stretches { number += distance >= stretch.distance ? 1 : 0 }
    return stretches[max(0, number)]
  }

  /// Slack that cannot be told from none, microseconds.
  func doubt(_ grade: Int) -> Int64 {
    Self.doubtfulTime + Int64(Self.doubtfulWay * grades[max(1, grade)].nearSlope)
  }

  /// How long slack lasts, by the far clock or the near one of a grade.
  struct Rest {
    var grade: Int
    var isFar: Bool
    /// Microseconds until it may be as little as `nearness`; 0 or less where it may be now.
    var length: Int64
  }

  /// How long everything rests that is no farther than `distance`, and whose moment is `left` away or
  /// more: by the far clock as long as that lasts, then by the near one. A routing engine may know of
  /// a way longer than that, so where there is one to be asked the near one says nothing.
  /// - Parameters:
  ///   - distance: metres; nil before the first position.
  ///   - least: no rest by the far clock is shorter, microseconds.
  func rest(distance: Double?, left: Int64, least: Int64 = 0) -> Rest {
    guard let distance else { return Rest(grade: 0, isFar: true, length: left - Self.nearness) }
    let stretch = stretch(distance)
    let grade = stretch.grade
    let longest = pace.isRouted ? pace.worst(distance) * 1e6 : stretch.worst(distance)
    let worst = left - Int64(longest) - Self.nearness
    let far = Rest(grade: grade, isFar: true, length: worst - grades[grade].farLeash)
    guard far.length <= least, !pace.isRouted else { return far }
    let usual = left - Int64(stretch.time(distance)) - Self.nearness
    return Rest(grade: grade, isFar: false, length: usual - grades[grade].nearLeash)
  }

  /// The slack that everything has at least that rests so, by the near clock; microseconds.
  func slack(_ rest: Rest) -> Int64 {
    rest.length + grades[rest.grade].nearLeash + Self.nearness
  }

  // MARK: - Looks

  struct Look {
    /// Microseconds until it is time to leave.
    var slack: Int64
    /// By how much the near clock must go on before it is to be looked at again.
    var step: Int64
    /// So little slack is left that it may be gone by metres which no odometer counts: the step is only
    /// that of the time.
    var isImminent = false
    /// Whose clock.
    var grade: Int
    /// Metres to the middle of the place.
    var distance: Double
    /// In the place for certain; so near its edge that the short numbers do not tell it counts as outside, …
    var isInside = false
    /// … but here as inside: microseconds of slack at most.
    var most: Int64
    /// The slack that there would be just outside the place, microseconds; the same where it is outside.
    var outside: Int64
    /// With so little slack by the short numbers only the exact rule tells whether it is time, microseconds.
    var doubt: Int64
  }

  func look(at entry: LeaveEntry, _ view: LeaveView) -> Look {
    let left = entry.moment - view.now
    guard let here = view.here else {
      let slack = left - (entry.isFixed ? Int64(Double(entry.fixed) * 1e6) : 0)
      return Look(
        slack: slack, step: max(slack, 1), grade: 0, distance: 0, most: slack, outside: slack,
        doubt: doubt(0))
    }
    let distance = here.distance(x: Double(entry.x), y: Double(entry.y), z: Double(entry.z))
    let stretch = stretch(distance)
    let outside =
      left - Int64(entry.isFixed ? Double(entry.fixed) * 1e6 : stretch.time(distance))
    // Inside there is no way, until metres bring it back.
    let beyond = distance - Double(entry.radius)
    let isInside = beyond < -Self.doubtfulWay
    let grade = entry.isFixed && !isInside ? 0 : stretch.grade
    var look = Look(
      slack: isInside ? left : outside, step: 0, grade: grade, distance: distance,
      isInside: isInside, most: beyond <= Self.doubtfulWay ? left : outside, outside: outside,
      doubt: doubt(grade))
    setStep(&look, outside)
    return look
  }

  /// Microseconds until it is time to leave from exactly so far away, by the rule itself; nil where it is.
  /// - Parameters:
  ///   - distance: metres, 0 inside the place.
  ///   - answer: what a routing engine has said that counts.
  func left(
    until entry: LeaveEntry, from distance: Double, _ answer: RouteBook.Answer?, _ view: LeaveView
  ) -> Int64? {
    let estimate = entry.isFixed ? Double(entry.fixed) : pace.seconds(distance)
    let seconds = answer.map { pace.routed($0, distance: distance) } ?? estimate
    let way = distance > 0 ? TimeSpan(seconds: seconds) : .zero
    let left = entry.moment - view.now - way.microseconds
    return left > 0 ? left : nil
  }

  /// Sets how far the near clock goes on before no more than `nearPatience` of so much slack may be left, or
  /// the edge of the place be as near. Where that may be metres that the odometer does not count, the time
  /// alone sets the step, as it does in the grade that no metre matters to.
  func setStep(_ look: inout Look, _ slack: Int64) {
    let sure = step(slack, look.grade)
    look.isImminent = sure < Self.shortestStep
    look.step = look.isImminent ? max(1, look.slack - look.doubt) : sure
  }

  /// Has one looked at no later than a time is over, in microseconds, or so many metres are gone; where it may rest
  /// for longer by another look, no later than that says.
  func shorten(_ look: inout Look, before time: Int64, _ metres: Double, orAsIn other: Look) {
    let slope = grades[look.grade]
    let way = Int64(metres * slope.nearSlope) - slope.nearLeash
    let sure = max(other.isImminent ? 0 : other.step, min(time - Self.nearPatience, way))
    if sure >= Self.shortestStep {
      look.step = min(look.step, sure)
    } else {
      // It may be over by metres that no odometer counts.
      let left = look.isImminent ? look.step : look.slack - look.doubt
      look.isImminent = true
      look.step = max(1, min(time, left))
    }
  }

  /// By how much the near clock must go on before the longest way that a routing engine may know of
  /// leaves no more than `nearness`; 0 or less where it may be so now.
  func stepBeforeWorst(_ entry: LeaveEntry, _ look: Look, _ view: LeaveView) -> Int64 {
    let rest = rest(distance: view.here == nil ? nil : look.distance, left: entry.moment - view.now)
    let slopes = grades[rest.grade]
    guard slopes.farSlope > slopes.nearSlope else { return rest.length }
    // While the near clock goes on by this, the far one does by the whole at most.
    return Int64(Double(rest.length) * (slopes.nearSlope / slopes.farSlope))
  }

  // MARK: - Coming back

  /// By how much the clock of approach must go on at least before there can be as much slack as `again`.
  ///
  /// There is as much where the way takes no longer than what is left then. With d metres to go and left
  /// L now, after m metres and a time t that is where T(d − m) ≤ L − t for the travel time T. The clock
  /// shows s·m − t; the least that it can show there is s·d − L plus the lowest that T lies above a line of
  /// slope s through the place, and T bends only at a few distances. However short t is, m is no less than what is missing
  /// until T is L, or the place is reached. Of all these the one counts that lasts longest while the device goes on.
  func restBeforeReturn(
    _ entry: LeaveEntry, _ look: Look, again: TimeSpan, _ view: LeaveView
  ) -> (grade: Int, length: Int64) {
    let left = Double(entry.moment - view.now - again.microseconds)
    guard view.here != nil else { return (1, max(1, again.microseconds - look.slack)) }
    let radius = Double(entry.radius)
    if entry.isFixed, left >= Double(entry.fixed) * 1e6 { return (1, shortestRest(1)) }
    // So near there is as much slack without any time passing; in the place there is no way at all.
    var last = entry.isFixed ? -1 : stretches.count - 1
    while last >= 0, left < stretches[last].time { last -= 1 }
    let near = last < 0 ? 0 : stretches[last].distance(at: left)
    let metres = look.distance - max(near, radius)
    var best = (grade: 0, metres: metres, length: 1_000 * metres)
    for grade in 1..<grades.count {
      let slope = grades[grade].nearSlope
      var lowest = -slope * radius
      if near > radius {
        lowest = min(lowest, left - slope * near, lows[last * grades.count + grade])
      }
      let length = slope * look.distance - left + lowest
      let metres =
        slope > Self.hurry ? length / (slope - Self.hurry) : length > 0 ? .infinity : length
      if metres > best.metres { best = (grade, metres, length) }
    }
    let shortest = shortestRest(best.grade)
    let leash = best.grade == 0 ? 1_000 * 2 * Odometer.slackness : Double(leash(best.grade))
    return (best.grade, max(shortest, Int64(max(0, min(best.length - leash, 4e18)))))
  }

  private func shortestRest(_ grade: Int) -> Int64 {
    Int64(Self.shortestWay * (grade == 0 ? 1_000 : grades[grade].nearSlope))
  }
}
