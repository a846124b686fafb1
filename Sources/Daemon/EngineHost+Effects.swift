import CivilTime
import Departure
import LinuxRuntime
import Logging
import Reminders
import Storage

/// Taking the effects of the engines, and answering their questions.
extension EngineHost {
  /// The collected effects of an event.
  struct Outcome {
    var changes = Changes()
    var notices: [Notice] = []
    var routes: [RouteRequest] = []

    var isEmpty: Bool { changes.isEmpty && notices.isEmpty && routes.isEmpty }

    /// Removes the effects for these reminders.
    mutating func drop(_ ids: Set<String>) {
      changes.histories.removeAll { ids.contains($0.id) }
      changes.firings.removeAll { ids.contains($0.reminderID) }
      if changes.histories.isEmpty { changes.lastFixes = [:] }
      notices.removeAll {
        switch $0 {
        case .expired(let id, _), .leaveSilent(let id, _, _): ids.contains(id)
        case .positionLost, .positionBack, .missed, .fixTimeSteppedBack: false
        }
      }
    }
  }

  /// Takes the effects of an engine, and answers its questions for places until it has none.
  func takeEffects(of tracker: TrackerEngine) {
    guard !effects.isEmpty else { return }
    let known = outcome.changes.histories.count
    let turn = LoopTurn()
    repeat {
      for effect in effects { take(effect, of: tracker) }
      effects.removeAll(keepingCapacity: true)
    } while answerPlaces(of: tracker, in: turn)
    if outcome.changes.histories.count > known, let fix = keptFix(of: tracker) {
      outcome.changes.lastFixes[tracker.name] = fix
    }
  }

  func takeOutcome() -> Outcome {
    defer { outcome = Outcome() }
    return outcome
  }

  private func take(_ effect: Effect, of tracker: TrackerEngine) {
    switch effect {
    case .persist(let id, let history, let standing):
      outcome.changes.histories.append(Changes.Step(id: id, history, standing))
    case .forget: break  // The command that removes a reminder says so itself.
    case .watch(let category):
      tracker.unfilled.removeAll { $0.category == category }
      tracker.unfilled.append((category, nil))
    case .fire(var firing):
      name(&firing)
      outcome.changes.firings.append(firing)
    case .say(let notice): outcome.notices.append(notice)
    case .route(let request): outcome.routes.append(request.numbered(by: tracker))
    case .keep(let experience):
      // A recording does not show this device's travel times.
      if clock.isLive { outcome.changes.experiences[tracker.name] = experience }
    }
  }

  func announce(_ outcome: Outcome) {
    for notice in outcome.notices { journal.announce(notice) }
    for request in outcome.routes { onRoute(request) }
  }

  /// The last fix in its stored form; nil for a recording, which is not this device's position, and
  /// for a fix that no other one confirms.
  func keptFix(of tracker: TrackerEngine) -> KeptFix? {
    guard clock.isLive, !tracker.engine.isFixInDoubt, let fix = tracker.engine.lastFix,
      let arrival = tracker.engine.lastFixArrival
    else { return nil }
    return KeptFix(fix: fix, arrival: arrival)
  }
}
