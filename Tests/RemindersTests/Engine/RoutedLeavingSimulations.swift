import CivilTime
import Departure
import Geodesy
import Glibc
import Positioning
import TestSupport
import Testing

@testable import Reminders

/// The decision to leave by the word of a routing engine that contradicts itself, answers late or
/// not at all: after each event no reminder waits whose moment, as things stand then, has come.
@Suite struct RoutedLeavingSimulations {
  private struct Pending {
    var time: Instant
    var answer: RouteAnswer
  }

  private static let reach = 12_000.0

  private static func reminders(
    _ count: Int, from now: Instant, _ dice: inout SeededGenerator
  ) -> [Reminder] {
    (0..<count).map { number in
      let position = EngineHarness.home.destination(
        bearing: Double.random(in: 0..<360, using: &dice),
        distance: Double.random(in: 0...Self.reach, using: &dice))
      let radius = Double.random(in: 20...300, using: &dice)
      let place = Reminder.Place(name: "Place \(number)", position: position, radius: radius)
      let due = now + .seconds(Double.random(in: 600...9_000, using: &dice))
      return Reminder(
        id: "r\(number)", kind: .preemptive, title: "R\(number)", place: place, due: .absolute(due),
        transport: Reminder.Transport.allCases[Int.random(in: 0..<3, using: &dice)])
    }
  }

  /// Events after which something waited whose moment had come, and by how much the worst was late.
  private static func lateEvents(
    seed: UInt64, count: Int, fixes: Int
  ) -> (events: Int, worst: Double) {
    var dice = SeededGenerator(seed: seed)
    var settings = EngineSettings()
    settings.asksRoutes = true
    var harness = EngineHarness(settings: settings)
    var here = EngineHarness.home
    harness.fix(at: here)
    for reminder in Self.reminders(count, from: harness.now, &dice) {
      harness.send(.add(reminder, nil))
    }
    var pending: [Pending] = []
    var asked = 0
    var late = (events: 0, worst: 0.0)
    func check() {
      // What is yet to be looked at now is not late.
      if let deadline = harness.engine.nextDeadline, deadline <= harness.now { return }
      for index in harness.engine.slots.indices {
        guard let slot = harness.engine.slots.slot(index), slot.state == .armed,
          !harness.isSilent(slot.reminder.id),
          let due = harness.engine.standing(slot.reminder.id)?.due
        else { continue }
        let leads = slot.reminder.leads.isEmpty ? [.zero] : slot.reminder.leads.map(\.length)
        let travel = harness.engine.way(of: slot, at: harness.now)?.time ?? .zero
        let moment = due - travel - leads[slot.history.leadsUsed.values.first ?? 0]
        let seconds = (harness.now - moment).seconds
        guard seconds >= 0 else { continue }
        late.events += 1
        late.worst = max(late.worst, seconds)
      }
    }
    func collect() {
      for request in harness.requests[asked...] where Int.random(in: 0..<8, using: &dice) > 0 {
        let profile = settings.travel[request.transport]
        let times = request.destinations.map { destination -> TimeSpan? in
          let usual = profile.seconds(request.origin.distance(to: destination))
          return .seconds(usual * Double.random(in: 0.6...4, using: &dice))
        }
        pending.append(
          Pending(
            time: harness.now + .seconds(Double.random(in: 0...4, using: &dice)),
            answer: RouteAnswer(number: request.number, times: .success(times))))
      }
      asked = harness.requests.count
      pending.sort { $0.time < $1.time }
    }
    /// Deadlines and answers in their order.
    func pass(until end: Instant) {
      while true {
        collect()
        let deadline = harness.engine.nextDeadline ?? end + .hours(1)
        if let first = pending.first, first.time <= end, first.time <= deadline {
          pending.removeFirst()
          harness.now = max(harness.now, first.time)
          harness.send(.routed(first.answer))
        } else if deadline <= end {
          harness.now = max(harness.now, deadline)
          harness.send(.tick)
        } else {
          break
        }
        check()
      }
      harness.now = end
    }
    var bearing = 0.0
    var speed = 0.0
    var untilTurn = 0.0
    for _ in 0..<fixes {
      let paces: [Double] = [1, 1, 5, 20]
      let pace: Double = paces.randomElement(using: &dice) ?? 1
      if untilTurn <= 0 {
        untilTurn = Double.random(in: 10...300, using: &dice)
        speed = Bool.random(using: &dice) ? Double.random(in: 0...35, using: &dice) : 0
        bearing = Double.random(in: 0..<360, using: &dice)
        if here.distance(to: EngineHarness.home) > Self.reach {
          bearing = here.initialBearing(to: EngineHarness.home)
        }
      }
      untilTurn -= pace
      pass(until: harness.now + .seconds(pace))
      here = here.destination(bearing: bearing, distance: speed * pace)
      harness.fix(at: here)
      check()
    }
    return late
  }

  /// The first seeds have shown an answer that counted again where the device came back, one that
  /// lapsed between two checks, and a place that was left by a way much slower than estimated.
  @Test(arguments: [6, 8, 13, 22] as [UInt64])
  func nothingWaitsLongerThanItsMoment(seed: UInt64) {
    let late = Self.lateEvents(seed: seed, count: 300, fixes: 160)
    #expect(late.events == 0, "late by \(late.worst) s at worst")
  }

  @Test(.enabled(if: getenv("GEOREMIND_LONG_TESTS") != nil))
  func norInManyMore() {
    for seed in 0..<UInt64(100) {
      let late = Self.lateEvents(seed: seed, count: 300, fixes: 1_500)
      #expect(late.events == 0, "seed \(seed): late by \(late.worst) s at worst")
    }
  }
}
