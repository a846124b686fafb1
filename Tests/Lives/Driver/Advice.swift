import CivilTime
import JSONText
import ReferenceModel
import Reminders

/// Asks why a reminder of a life has not fired, and does what the answer says until it fires.
package struct Advice {
  private var engine: EngineRun
  private var spec: ReminderSpec
  private var now: Moment
  private let trackers: [String]
  private let end: Moment
  /// The gates that were shut when it was first asked.
  package private(set) var causes: [String] = []
  package private(set) var hasFired = false
  /// What was answered and done, a line each.
  package private(set) var transcript: [String] = []

  /// Answers that are followed, at most.
  private static let maximumAnswers = 40

  /// Follows the advice for each open reminder of a life, after a day of it.
  package static func follow(_ life: Life) -> [Advice] {
    let steps = life.steps.filter { $0.time <= life.start + 86_400 }
    var ids = Set<String>()
    for case .add(let spec) in steps.map(\.action) { ids.insert(spec.id) }
    return ids.sorted().compactMap { id in
      guard var advice = Advice(life, steps, id) else { return nil }
      advice.follow()
      return advice.causes.isEmpty ? nil : advice
    }
  }

  private init?(_ life: Life, _ steps: [Life.Step], _ id: String) {
    engine = EngineRun(
      zone: life.zone, start: life.start, trackers: life.trackers, store: LifeStore())
    trackers = life.trackers
    now = life.start
    end = life.start + 200 * 86_400
    var spec: ReminderSpec?
    for step in steps {
      now = step.time
      engine.advance(to: now)
      switch step.action {
      case .add(let new): if engine.add(new) == nil, new.id == id { spec = new }
      case .edit(let new):
        if engine.why(new.id) != nil, engine.edit(new) == nil, new.id == id { spec = new }
      case .fix(let name, let tracker, let motion):
        if let spot = Spot(rawValue: name) { _ = engine.fix(of: tracker, at: spot, motion) }
      case .remove(let other): engine.remove(other)
      case .done(let other): engine.done(other)
      case .snooze(let other, let until): engine.snooze(other, until: until)
      case .pop, .snoozeBy, .snoozeToNextVisit, .snoozeUntilLeave, .zone, .restart, .off: break
      }
    }
    guard let spec, spec.canMove else { return nil }
    self.spec = spec
  }

  private mutating func follow() {
    wait(to: now + 61)
    let before = engine.firings.count { $0.id == spec.id }
    for _ in 0..<Self.maximumAnswers {
      guard let answer = engine.why(spec.id), now < end else { return }
      let shut = answer.gates.filter { !$0.isOpen }
      if causes.isEmpty { causes = shut.map(\.name) }
      if causes.isEmpty { return }
      transcript.append("\(Zone.utc.local(at: now).text)Z \(answer.summary)")
      act(on: shut)
      hasFired = engine.firings.count { $0.id == spec.id } > before
      if hasFired { return }
    }
  }

  private mutating func wait(to moment: Moment) {
    now = max(now, moment)
    engine.advance(to: now)
  }

  private mutating func go(to spot: Spot?, after seconds: Int = 61) {
    wait(to: now + seconds)
    let names = spec.isAboutSeveral ? trackers : [spec.who]
    guard let spot else { return }
    for name in names { _ = engine.fix(of: name, at: spot, spec.motion) }
  }

  // MARK: - Doing what it says

  /// What the user changes comes first, then the way to the place, then the time, then a departure.
  private mutating func act(on shut: [Explanation.Gate]) {
    let names = Set(shut.map(\.name))
    for remedy in shut.compactMap(\.remedy) { change(remedy) }
    let inside = Spot.allCases.first { $0.regions.contains(spec.region) }
    let member = shut.first { $0.name == "members" }?.remedy
    let somebodyComes = member?.contains("comes") ?? false
    if spec.isDeparture {
      if names.contains("presence") || somebodyComes { go(to: inside) }
    } else if !names.isDisjoint(with: ["if_inside", "cooldown", "travel", "members"])
      || names.contains("silent") && shut.allSatisfy({ $0.figures["opens"] == nil })
    {
      go(to: .road)
    }
    let opens = shut.compactMap { gate in
      gate.figures["opens"]?.string.flatMap { try? Instant(rfc3339: $0) }
    }
    if let last = opens.max() { wait(to: Int(last.seconds.rounded(.up))) }
    if spec.isDeparture {
      let leaves = names.contains("place") && !names.contains("presence")
      if leaves || member != nil { go(to: .road, after: leaves ? 1 : 61) }
    } else if spec.isLocation, !names.isDisjoint(with: Self.aboutPosition) {
      go(to: inside, after: opens.isEmpty ? 61 : 1)
    } else if names.contains("fix") || names.isEmpty {
      go(to: spec.isLocation ? inside : .road, after: 1)
    }
  }

  private static let aboutPosition: Set = [
    "place", "presence", "if_inside", "cooldown", "confirmation", "max_speed", "min_speed",
    "heading", "members",
  ]

  private mutating func change(_ remedy: String) {
    if remedy.contains("is snoozed") { engine.snooze(spec.id, until: now + 60) }
    if remedy.contains("added anew") {
      engine.remove(spec.id)
      _ = engine.add(spec)
    }
    let isOver = remedy.contains("later 'until'")
    let needsDue =
      remedy.contains("later due time")
      || remedy.contains("another due time") && !remedy.contains("is snoozed")
    guard isOver || needsDue else { return }
    spec.until = nil
    if needsDue {
      (spec.repeats, spec.days, spec.from) = (nil, nil, nil)
      spec.due = .absolute(now + 3 * 3600)
    }
    _ = engine.edit(spec)
  }
}

extension ReminderSpec {
  /// A motion that its conditions admit.
  fileprivate var motion: Motion {
    Motion(speed: minimumSpeed ?? min(maximumSpeed ?? 1, 1), course: heading?.first ?? 0)
  }

  /// Nobody makes an absence of a day on which the place was reached.
  fileprivate var canMove: Bool { !isAbsence && motion.speed <= maximumSpeed ?? .infinity }
}
