import ReferenceModel
import TestSupport

/// Makes lives from a seed: where the device goes, what the user asks for, and what the user does
/// when something rings.
package struct LifeGenerator {
  var random: SeededGenerator
  var life: Life { didSet { lived = nil } }
  /// What the model has fired in `life`, once it was asked.
  private var lived: [Firing]?
  private let store: LifeStore
  private static let day = 86_400

  /// The life of a seed; the same one each time.
  package static func life(seed: UInt64, store: LifeStore = LifeStore()) -> Life {
    var generator = LifeGenerator(seed: seed, store: store)
    generator.meet()
    for tracker in generator.life.trackers { generator.move(tracker) }
    generator.addReminders()
    generator.changeZone()
    generator.restart()
    generator.react()
    generator.interruptLeads()
    generator.endShortly()
    generator.beginShortly()
    generator.changeAfterEnd()
    generator.doNonsense()
    generator.switchOff()
    generator.putOffUntilLeaving()
    return generator.life
  }

  /// The trackers of that life, at little cost.
  package static func trackers(seed: UInt64) -> [String] {
    var generator = LifeGenerator(seed: seed, store: LifeStore())
    generator.meet()
    return generator.life.trackers
  }

  private init(seed: UInt64, store: LifeStore) {
    self.store = store
    random = SeededGenerator(seed: seed)
    let zone = Zone.all.randomElement(using: &random) ?? .utc
    // 2026-02-01, and so many days later; or the day before the clocks change in that year.
    var start = 1_769_904_000 + Int.random(in: 0..<280, using: &random) * Self.day
    if let change = zone.changeMoments.prefix(2).randomElement(using: &random),
      Int.random(in: 0..<10, using: &random) < 4
    {
      start = change - Int.random(in: 6..<40, using: &random) * 3600
    }
    start += Int.random(in: 0..<24, using: &random) * 3600
    start -= start % 3600
    life = Life(seed: seed, zone: zone, start: start, end: start + 2 * Self.day, steps: [])
  }

  mutating func happens(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  mutating func pick<T>(_ values: [T]) -> T {
    values[Int.random(in: 0..<values.count, using: &random)]
  }

  private mutating func motion(_ speeds: [Double]) -> Motion {
    Motion(speed: pick(speeds), course: Int.random(in: 0..<36, using: &random) * 10)
  }

  /// A moment of the life; often a full minute, where boundaries meet.
  mutating func moment(from start: Moment, to end: Moment) -> Moment {
    let moment = Int.random(in: start...max(start, end), using: &random)
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return moment
    case 1: return max(start, moment / 60 * 60)
    default: return max(start, moment / 900 * 900)
    }
  }

  // MARK: - Movement

  /// Half of the lives have a second or a third tracker.
  private mutating func meet() {
    let count = pick([0, 0, 0, 1, 1, 2])
    life.trackers += ["anna", "ben"].prefix(count)
  }

  /// Stays at spots with ways between them: nights, work, errands, and silences of the receiver.
  /// Another tracker is often heard first when the life is on its way.
  private mutating func move(_ tracker: String) {
    var time = life.start
    if tracker != Model.machine { time += pick([0, 0, 600, 4 * 3600, 20 * 3600]) }
    while time < life.end {
      let spot = pick([Spot.home, .home, .bakery, .work, .kiosk, .campus])
      let hours = zone(at: time)
      let isNight = spot == .home && (hours < 6 || hours > 20)
      let stay = isNight ? 6 * 3600 : pick([300, 1200, 3600, 3 * 3600, 7 * 3600])
      let end = moment(from: time + stay / 2, to: time + stay * 3 / 2)
      let interval = pick([300, 900, 3600, 20 * 3600])
      // The first fix may still be a fast one.
      life.insert(.fix(spot.rawValue, of: tracker, motion([0, 1.5, 14])), at: time)
      var next = time + 61 + interval / 10
      while next < end, next < life.end {
        life.insert(.fix(spot.rawValue, of: tracker, motion([0, 0, 0, 1.5])), at: next)
        next += interval
      }
      time = travel(tracker, from: max(end, time + 61))
    }
  }

  private func zone(at time: Moment) -> Int {
    life.zone.local(at: time).secondOfDay / 3600
  }

  /// A way: none (straight from one spot to the next), outside of everything, or past home.
  private mutating func travel(_ tracker: String, from start: Moment) -> Moment {
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return start
    case 1, 2:
      life.insert(.fix(Spot.farWest.rawValue, of: tracker, motion([14])), at: start)
      life.insert(.fix(Spot.west.rawValue, of: tracker, motion([14])), at: start + 40)
      life.insert(.fix(Spot.east.rawValue, of: tracker, motion([1.5, 14])), at: start + 80)
      return moment(from: start + 150, to: start + 1800)
    default:
      life.insert(.fix(pick([Spot.road, .lane]).rawValue, of: tracker, motion([14])), at: start)
      return moment(from: start + 61, to: start + 2400)
    }
  }

  // MARK: - What the user does

  private mutating func addReminders() {
    for number in 0..<Int.random(in: 1...6, using: &random) {
      let early = happens(70)
      let time = moment(from: life.start + 1, to: life.start + (early ? 3 : 30) * 3600)
      let spec = reminder("r\(number)", at: time)
      life.insert(.add(spec), at: time)
      if happens(25) {
        let later = moment(from: time, to: life.end - 1)
        life.insert(.edit(edited(spec, at: later)), at: later)
      }
    }
  }

  /// Restarts at any time, during a stay, and between a firing and what follows it.
  private mutating func restart() {
    var moments: [Moment] = []
    if happens(15) { moments.append(moment(from: life.start + 1, to: life.end - 1)) }
    if happens(30) { moments.append(pick(life.steps).time + pick([1, 30, 200, 900])) }
    if happens(30), let firing = firings.randomElement(using: &random) {
      moments.append(firing.time + pick([1, 60, 240, 1200]))
    }
    for moment in moments where moment < life.end { life.insert(.restart, at: moment) }
  }

  /// The machine is off for a while, often from shortly before a firing.
  private mutating func switchOff() {
    guard happens(25) else { return }
    var time = moment(from: life.start + 1, to: life.end - 1)
    if happens(60), let firing = firings.randomElement(using: &random) {
      time = firing.time - pick([1, 2, 60, 600])
    }
    guard time > life.start else { return }
    life.insert(.off(until: time + pick([1, 2, 3, 61, 300, 3600, 5 * 3600, 26 * 3600])), at: time)
  }

  /// What the model fires so far. The order within a second is not that of the seed.
  private var firings: [Firing] {
    mutating get {
      if let lived { return lived }
      let run = Run(life, comparesStates: false, store: store)
      let firings = run.model.firings.sorted { ($0.time, $0.order) < ($1.time, $1.order) }
      lived = firings
      return firings
    }
  }

  /// At a place, or shortly after it.
  private mutating func putOffUntilLeaving() {
    guard happens(25), let firing = firings.randomElement(using: &random) else { return }
    let time = firing.time + pick([0, 1, 60, 600])
    if time < life.end { life.insert(.snoozeUntilLeave(firing.id), at: time) }
  }

  private mutating func changeZone() {
    guard happens(15) else { return }
    let time = moment(from: life.start + 1, to: life.end - 1)
    life.insert(.zone(pick(Zone.all)), at: time)
  }

  /// Answers some of the firings, and some of the later ones.
  private mutating func react() {
    for _ in 0..<2 {
      let count = Int.random(in: 0...2, using: &random)
      guard count > 0, case let firings = firings, !firings.isEmpty else { continue }
      for _ in 0..<count { answer(pick(firings)) }
    }
  }

  /// Answers a firing: done, a snooze, or a removal.
  private mutating func answer(_ firing: Firing) {
    let time = moment(from: firing.time + pick([0, 1, 60]), to: firing.time + pick([60, 7200]))
    guard time < life.end else { return }
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<4: life.insert(.done(firing.id), at: time)
    case 4..<8:
      let span = pick([300, 3600, 10 * 3600, 26 * 3600])
      life.insert(.snooze(firing.id, until: moment(from: time + 1, to: time + span)), at: time)
    case 8: life.insert(.snoozeToNextVisit(firing.id), at: time)
    default: life.insert(.remove(firing.id), at: time)
    }
  }

  // MARK: - Boundaries that chance misses

  /// Restarts after a lead of several has fired, or puts it off until then.
  private mutating func interruptLeads() {
    let specs = life.specs
    guard specs.values.contains(where: { $0.leads.count > 1 }) else { return }
    let firings = firings.filter { specs[$0.id]?.leads.count ?? 0 > 1 }
    guard let firing = firings.randomElement(using: &random) else { return }
    let pause = firing.time + pick([1, 60, 240])
    guard pause < life.end else { return }
    if happens(50) {
      life.insert(.restart, at: pause)
    } else {
      life.insert(.snooze(firing.id, until: pause), at: firing.time - pick([1, 600, 3600]))
    }
  }

  /// Ends a reminder in the second of one of its firings, or within the minute before.
  private mutating func endShortly() {
    guard happens(25), let firing = firings.randomElement(using: &random),
      let spec = life.specs[firing.id]
    else { return }
    let end = firing.time - pick([0, 1, 20, 59])
    let start = [spec.due, spec.from].compactMap { $0?.moment(in: life.zone) }.max()
    guard start ?? .min <= end else { return }
    life.change(firing.id) { $0.until = .absolute(end) }
  }

  /// Begins a reminder within the minute after one of its firings, which has to wait for it.
  private mutating func beginShortly() {
    guard happens(15), let firing = firings.randomElement(using: &random),
      let spec = life.specs[firing.id]
    else { return }
    let start = firing.time + pick([1, 20, 59])
    guard start <= spec.until?.moment(in: life.zone) ?? .max else { return }
    life.change(firing.id) { $0.from = .absolute(start) }
  }

  /// Changes a reminder that has rung, so that it could ring again if it had not ended just before.
  private mutating func changeAfterEnd() {
    guard happens(15), let firing = firings.randomElement(using: &random),
      var spec = life.specs[firing.id], !spec.isLocation
    else { return }
    let time = firing.time + pick([60, 3600])
    spec.leads = [spec.leads == [300] ? 900 : 300]
    spec.until = .absolute(time - pick([1, 1, 20]))
    if time < life.end { life.insert(.edit(spec), at: time) }
  }
}
