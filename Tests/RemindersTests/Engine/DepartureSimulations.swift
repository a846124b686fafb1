import CivilTime
import Departure
import Geodesy
import Positioning
import TestSupport
import Testing

@testable import Reminders

/// The engine's decisions to leave against the rule, evaluated for every reminder after every
/// event.
@Suite struct DepartureSimulations {
  private static func reminder(
    _ number: Int, near here: Coordinate, from now: Instant, _ dice: inout SeededGenerator
  ) -> Reminder {
    let position = here.destination(
      bearing: .random(in: 0..<360, using: &dice), distance: .random(in: 0...9_000, using: &dice))
    let choices: [[TimeSpan]] = [[], [.minutes(5)], [.minutes(20), .zero]]
    let leads = choices.randomElement(using: &dice) ?? []
    let hasTravel = Int.random(in: 0..<5, using: &dice) == 0
    let repeats = Int.random(in: 0..<4, using: &dice) == 0
    var reminder = Reminder(
      id: "r\(number)", kind: .preemptive, title: "R\(number)",
      place: Reminder.Place(
        name: "Place \(number)", position: position, radius: .random(in: 20...600, using: &dice)),
      due: .absolute(now + .seconds(.random(in: 60...7_200, using: &dice))),
      leads: leads.map { CalendarSpan($0) },
      transport: Reminder.Transport.allCases.randomElement(using: &dice) ?? .walking)
    reminder.travel = hasTravel ? .seconds(.random(in: 0...1_800, using: &dice)) : nil
    reminder.repeatRule = repeats ? try? RepeatRule(parsing: "FREQ=HOURLY;COUNT=4") : nil
    return reminder
  }

  /// Reminders that wait although it is time to leave and nothing keeps them silent, or are
  /// notified although enough slack has come back.
  private static func undecided(_ harness: borrowing EngineHarness) -> Int {
    let again = harness.engine.settings.leaveAgainSlack
    let now = harness.now
    var open = 0
    for index in harness.engine.slots.indices {
      guard let slot = harness.engine.slots.slot(index),
        let due = slot.reminder.repeats
          ? harness.engine.standing(slot.reminder.id)?.due : slot.reminder.due?.instant(in: .utc)
      else { continue }
      let travel = harness.engine.way(of: slot, at: now)?.time
      let leads = slot.reminder.leads.isEmpty ? [.zero] : slot.reminder.leads.map(\.length)
      let used = slot.history.leadsUsed.values.first ?? 0
      switch slot.state {
      case .armed:
        let isSilent = harness.isSilent(slot.reminder.id)
        open += due - (travel ?? .zero) - leads[used] <= now && !isSilent ? 1 : 0
      case .fired:
        let moment = due - (travel ?? .zero) - (leads.last ?? .zero)
        open += due > now && travel != nil && moment - now > again ? 1 : 0
      case .snoozed, .done, .expired: break
      }
    }
    return open
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func noEventLeavesADecisionOpen(seed: UInt64) {
    var dice = SeededGenerator(seed: seed)
    var harness = EngineHarness()
    var here = EngineHarness.home
    for number in 0..<60 {
      harness.send(.add(Self.reminder(number, near: here, from: harness.now, &dice), nil))
    }
    var (bearing, speed, open, leaves) = (0.0, 0.0, 0, 0)
    for step in 0..<700 {
      if step % 20 == 0 {
        speed = [0, 1.5, 12, 40].randomElement(using: &dice) ?? 0
        bearing =
          here.initialBearing(to: EngineHarness.home) + .random(in: -120...120, using: &dice)
      }
      let end = harness.now + .seconds([1, 5, 20].randomElement(using: &dice) ?? 1)
      let seconds = (end - harness.now).seconds
      while let deadline = harness.engine.nextDeadline, deadline <= end {
        harness.now = max(harness.now, deadline)
        harness.send(.tick)
        // Another decision of the same moment may have a deadline of its own.
        if harness.engine.nextDeadline.map({ $0 > harness.now }) ?? true {
          open += Self.undecided(harness)
        }
      }
      harness.now = end
      here = here.destination(bearing: bearing, distance: speed * seconds)
      harness.fix(at: here)
      open += Self.undecided(harness)
      let number = Int.random(in: 0..<60, using: &dice)
      switch Int.random(in: 0..<12, using: &dice) {
      case 0: harness.send(.remove(id: "r\(number)"))
      case 1: harness.send(.done(id: "r\(number)"))
      case 2:
        harness.send(.remove(id: "r\(number)"))
        harness.send(.add(Self.reminder(number, near: here, from: harness.now, &dice), nil))
      case 3 where step % 9 == 0:
        harness.now += .seconds(.random(in: -600...600, using: &dice))
        harness.send(.clockSet)
      case 4 where step % 9 == 0:
        harness.engine.settings.travel[.walking].detour = .random(in: 1...2, using: &dice)
        harness.engine.settings.leaveAgainSlack = .minutes(.random(in: 1...20, using: &dice))
        harness.send(.tick)
      default: break
      }
      open += Self.undecided(harness)
      leaves = harness.events.count { $0.hasSuffix("leave") }
    }
    #expect(open == 0)
    #expect(leaves > 20)
  }
}
