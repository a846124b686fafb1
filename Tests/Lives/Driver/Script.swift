import Geodesy
import ReferenceModel

/// A life as a script for the whole daemon: one JSON object a line, first what the user and the
/// receiver do, then the firings that the model expects.
///
/// The daemon decides a place up to `slowestDecision` after the fix that shows it, so a script
/// keeps to what that does not change: no passes, and few conditions at places. A reminder whose
/// firings in a model with late fixes differ by more is `uncertain`: its firings are not expected.
package struct Script {
  private let life: Life
  private let steps: [Life.Step]
  private let prompt: Model
  private let others: [Model]

  /// The longest time from the first fix to the decision, in seconds.
  private static let slowestDecision = 130

  package init(_ life: Life) {
    self.life = life
    steps = Run(life.withoutFineTiming).taken
    let steps = steps
    prompt = Self.model(life, steps) { _ in false }
    // Of any two ways each is late without the other in one of the models; a tracker has some 40.
    let bits = (0..<7).flatMap { bit in [0, 1].map { value in (bit, value) } }
    others =
      (Self.delays(steps) + [Self.slowestDecision]).map { delay in
        Self.model(life, steps, by: delay) { _ in true }
      }
      + bits.map { bit, value in Self.model(life, steps) { $0 >> bit & 1 == value } }
  }

  /// How long after a fix a command came, before the slowest decision: the decision may lie between
  /// two commands.
  private static func delays(_ steps: [Life.Step]) -> [Int] {
    var (fixes, delays): ([Moment], Set<Int>) = ([], [])
    for step in steps {
      if case .fix = step.action {
        fixes.append(step.time)
      } else {
        let passed = fixes.reversed().lazy.map { step.time - $0 + 1 }
        delays.formUnion(passed.prefix { $0 < slowestDecision })
      }
    }
    return delays.sorted()
  }

  /// The way of a tracker: the fix that has yet to show it, and the spot of the last one.
  private struct Way {
    var pending: (time: Moment, spot: Spot, motion: Motion)?
    var last: Spot?
  }

  /// - Parameter isLate: whether the way to a spot, by its number, shows `delay` seconds after its
  ///   first fix; a way of the same tracker that follows sooner replaces it.
  private static func model(
    _ life: Life, _ steps: [Life.Step], by delay: Int = slowestDecision, isLate: (Int) -> Bool
  ) -> Model {
    var model = Model(
      zone: life.zone, start: life.start, end: life.end, trackers: life.trackers)
    var ways: [String: Way] = [:]
    var number = 0
    func advance(to moment: Moment) {
      let shown = ways.compactMap { name, way in way.pending.map { (name: name, fix: $0) } }
        .filter { $0.fix.time <= moment }.sorted { ($0.fix.time, $0.name) < ($1.fix.time, $1.name) }
      for (name, fix) in shown {
        model.advance(to: fix.time)
        model.fix(of: name, inside: fix.spot.regions, fix.motion)
        ways[name]?.pending = nil
      }
      model.advance(to: moment)
    }
    for step in steps {
      advance(to: step.time)
      if case .fix(let name, let tracker, let motion) = step.action,
        let spot = Spot(rawValue: name)
      {
        var way = ways[tracker] ?? Way()
        if spot != way.last || way.pending == nil {
          if spot != way.last { number += 1 }
          let waits = model.hasFix(of: tracker) && spot != way.last && isLate(number)
          way.pending = (step.time + (waits ? delay : 0), spot, motion)
          way.last = spot
          ways[tracker] = way
        }
        advance(to: step.time)
      } else {
        step.action.act(on: &model)
      }
    }
    advance(to: life.end)
    return model
  }

  /// Whether a reminder fires in all models alike, if not in the same second.
  private func isCertain(_ id: String) -> Bool {
    let ours = prompt.firings.filter { $0.id == id }
    return others.allSatisfy { model in
      let theirs = model.firings.filter { $0.id == id }
      return ours.count == theirs.count
        && zip(ours, theirs).allSatisfy {
          $0.event == $1.event && (0...Self.slowestDecision + 20).contains($1.time - $0.time)
        }
    }
  }

  package var text: String {
    var lines = [
      #"{"life":\#(life.seed),"zone":"\#(life.zone.name)","start":\#(life.start),"#
        + #""end":\#(life.end),"trackers":["#
        + life.trackers.map { #""\#($0)""# }.joined(separator: ",") + "]}"
    ]
    for spot in Area.foodPlaces {
      let at = spot.position
      lines.append(
        #"{"at":\#(life.start),"do":"place","name":"\#(spot.rawValue)","category":"food","#
          + #""lat":\#(at.latitude),"lon":\#(at.longitude),"radius_m":\#(Area.foodRadius)}"#)
    }
    lines += steps.map { #"{"at":\#($0.time),\#($0.action.members)}"# }
    let ids = Set(steps.compactMap { if case .add(let spec) = $0.action { spec.id } else { nil } })
    for id in ids.sorted() where !isCertain(id) { lines.append(#"{"uncertain":"\#(id)"}"#) }
    let firings = prompt.firings.sorted { ($0.time, $0.order) < ($1.time, $1.order) }
    for firing in firings where isCertain(firing.id) {
      lines.append(
        #"{"fires":"\#(firing.id)","at":\#(firing.time),"event":"\#(firing.event.rawValue)"}"#)
    }
    return lines.joined(separator: "\n")
  }
}

extension Life {
  /// Without passes, and at places without conditions that a moment decides.
  fileprivate var withoutFineTiming: Life {
    var life = self
    let passes: Set<String> = [Spot.farWest.rawValue, Spot.west.rawValue, Spot.east.rawValue]
    life.steps = steps.compactMap { step in
      switch step.action {
      case .fix(let spot, _, _) where passes.contains(spot): return nil
      case .pop, .snoozeBy, .snoozeUntilLeave, .off: return nil
      case .add(let spec): return Step(time: step.time, action: .add(spec.withoutFineTiming))
      case .edit(let spec): return Step(time: step.time, action: .edit(spec.withoutFineTiming))
      default: return step
      }
    }
    return life
  }
}

extension ReminderSpec {
  fileprivate var withoutFineTiming: ReminderSpec {
    var spec = self
    // The call that sets them comes later within its second.
    if from != nil, from == until { spec.until = nil }
    guard kind != .date else { return spec }
    // `from` may lie between a fix and what the daemon decides by it.
    let fine: [Condition] = [.maximumSpeed, .minimumSpeed, .heading, .cooldown, .nag, .from]
    for condition in fine { condition.remove(from: &spec) }
    return spec
  }
}

extension Life.Action {
  fileprivate func act(on model: inout Model) {
    switch self {
    case .fix, .restart, .off: break
    case .add(let spec): model.add(spec, isTyped: true)
    case .edit(let spec): model.edit(spec)
    case .remove(let id): model.remove(id)
    case .done(let id): model.done(id)
    case .pop(let id): model.pop(id)
    case .snooze(let id, let until): model.snooze(id, until: until)
    case .snoozeBy(let id, let span): model.snooze(id, by: span)
    case .snoozeToNextVisit(let id): model.snoozeToNextVisit(id)
    case .snoozeUntilLeave(let id): model.snoozeUntilLeave(id)
    case .zone(let zone): model.change(to: zone)
    }
  }

  fileprivate var members: String {
    switch self {
    case .fix(let name, let tracker, let motion):
      let at = (Spot(rawValue: name) ?? .road).position
      return
        #""do":"fix","of":"\#(tracker)","lat":\#(at.latitude),"lon":\#(at.longitude),"speed":\#(motion.speed),"#
        + #""course":\#(motion.course)"#
    case .add(let spec): return #""do":"add","reminder":\#(spec.json)"#
    case .edit(let spec): return #""do":"edit","reminder":\#(spec.json)"#
    case .remove(let id): return #""do":"remove","id":"\#(id)""#
    case .done(let id): return #""do":"done","id":"\#(id)""#
    case .pop(let id): return #""do":"pop","id":"\#(id)""#
    case .snooze(let id, let until):
      return #""do":"snooze","id":"\#(id)","until":"\#(Zone.utc.local(at: until).text)Z""#
    case .snoozeBy(let id, let span): return #""do":"snooze","id":"\#(id)","until":"\#(span)s""#
    case .snoozeToNextVisit(let id): return #""do":"snooze","id":"\#(id)","until":"next-visit""#
    case .snoozeUntilLeave(let id):
      return #""do":"snooze","id":"\#(id)","until":"until-leave""#
    case .zone(let zone): return #""do":"zone","name":"\#(zone.name)""#
    case .restart, .off: return #""do":"restart""#
    }
  }
}
