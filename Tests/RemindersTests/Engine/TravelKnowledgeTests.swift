import CivilTime
import Departure
import Geodesy
import JSONText
import Testing

@testable import Reminders

/// What is known of a way beyond the straight line: own words, a routing engine, own trips.
@Suite struct TravelKnowledgeTests {
  /// Due an hour after the harness begins, at the harness's home.
  private func ferry(
    _ id: String = "ferry", by mode: String = "walking", due: String = "2026-06-12T17:00:00Z",
    more: String = ""
  ) -> String {
    #"{"id":"\#(id)","title":"Ferry","due":"\#(due)","transport":"\#(mode)",\#(more)"#
      + #""place":{"name":"Pier","lat":53.55,"lon":9.99,"radius_m":100}}"#
  }

  private func routing() -> EngineHarness {
    var settings = EngineSettings()
    settings.asksRoutes = true
    return EngineHarness(settings: settings)
  }

  // MARK: - By hand

  @Test func aFixedTimeTakesThePlaceOfTheEstimate() throws {
    var harness = EngineHarness()
    harness.fix(2_000)
    try harness.add(ferry(more: #""travel_s":600,"#))
    harness.wait(7_200)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T16:50:00Z"])
    #expect(harness.firings.first?.travel == .minutes(10))
    #expect(harness.firings.first?.why.contains("10min of walking, as you said") == true)
  }

  @Test func aFixedTimeNeedsNoPosition() throws {
    var harness = EngineHarness()
    try harness.add(ferry(more: #""travel_s":600,"#))
    harness.wait(7_200)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T16:50:00Z"])
  }

  @Test func aFixedTimeCountsAfterAStartThatLeavesItUnread() throws {
    var harness = EngineHarness()
    harness.fix(2_000)
    try harness.add(ferry(more: #""travel_s":600,"#))
    harness.restartByLoading(after: 60)
    harness.fix(2_000)
    harness.wait(7_200)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T16:50:00Z"])
  }

  @Test func onlyAPreemptiveOneHasATravelTime() {
    #expect(throws: ReminderError.self) {
      let text = #"{"id":"a","title":"T","due":"2026-06-12T17:00:00Z","travel_s":60}"#
      _ = try Reminder(json: try #require(try JSONParser.parse(text).object))
    }
  }

  // MARK: - Routing engine

  @Test func theEngineIsAskedForAllWaysOfAModeAtOnce() throws {
    var harness = routing()
    harness.fix(2_000)
    try harness.add(ferry("a"))
    harness.send(.routed(RouteAnswer(number: 1, times: .success([.minutes(20)]))))
    try harness.add(ferry("b"))
    // Each mode has a request of its own.
    try harness.add(ferry("c", by: "cycling"))
    #expect(harness.requests.map(\.number) == [1, 2, 3])
    harness.send(.routed(RouteAnswer(number: 2, times: .success([.minutes(20)]))))
    harness.send(.routed(RouteAnswer(number: 3, times: .success([.minutes(10)]))))
    // After a while both walks are asked for in one request.
    harness.wait(700)
    let again = try #require(harness.requests.dropFirst(3).first { $0.transport == .walking })
    #expect(again.destinations.count == 2)
  }

  @Test func anAnswerDecides() throws {
    var harness = routing()
    harness.fix(2_000)
    try harness.add(ferry())
    let request = try #require(harness.requests.first)
    #expect(request.destinations.count == 1)
    // A river is in the way.
    harness.send(.routed(RouteAnswer(number: request.number, times: .success([.minutes(50)]))))
    for _ in 0..<200 where harness.firings.isEmpty {
      harness.wait(10)
      for request in harness.requests.dropFirst() {
        harness.send(.routed(RouteAnswer(number: request.number, times: .success([.minutes(50)]))))
      }
    }
    let firing = try #require(harness.firings.first)
    #expect(abs((firing.time - EngineHarness.start).seconds - 600) <= 2)
    #expect(firing.travel == .minutes(50))
    #expect(firing.why.contains("by the routing engine"))
  }

  /// Around a bay: as many times the usual way as an engine is believed.
  @Test(arguments: [2.5, 5, 10])
  func aLongDetourIsAskedForInTime(detour: Double) throws {
    var harness = routing()
    harness.fix(1_000)
    let usual = harness.engine.settings.travel[.walking].seconds(1_000)
    let way = TimeSpan(seconds: usual * detour)
    let due = harness.now + .hours(8)
    try harness.add(ferry(due: due.json))
    var answered = 0
    while harness.firings.isEmpty, harness.now < due {
      harness.wait(10)
      for request in harness.requests.dropFirst(answered) {
        harness.send(.routed(RouteAnswer(number: request.number, times: .success([way]))))
      }
      answered = harness.requests.count
    }
    let firing = try #require(harness.firings.first)
    #expect(abs((firing.time - (due - way)).seconds) <= 2, "\(answered) requests")
    #expect(answered < 60)
  }

  /// An engine that knew of a short cut falls silent: what it said counts for an hour, and it is
  /// late by the estimate then.
  @Test func theEstimateStandsInAtOnceWhenAnAnswerLapses() throws {
    var harness = routing()
    harness.fix(8_000)
    let usual = harness.engine.settings.travel[.walking].seconds(8_000)
    try harness.add(ferry(due: (harness.now + .seconds((usual + 3_000).rounded())).json))
    let request = try #require(harness.requests.first)
    let short = TimeSpan.seconds((usual / 2).rounded())
    harness.send(.routed(RouteAnswer(number: request.number, times: .success([short]))))
    let answered = harness.now
    harness.wait(5_000)
    let firing = try #require(harness.firings.first)
    #expect(abs((firing.time - answered).seconds - 3_600) <= 2)
    #expect(!firing.why.contains("by the routing engine"))
  }

  /// Engines come and go with the configuration.
  @Test func anEngineThatIsConfiguredLaterIsAskedInTime() throws {
    var harness = EngineHarness()
    harness.fix(1_000)
    try harness.add(ferry(due: "2026-06-12T22:00:00Z"))
    harness.wait(60)
    #expect(harness.requests.isEmpty)
    harness.engine.settings.asksRoutes = true
    harness.send(.tick)
    #expect(harness.requests.isEmpty)
    // Ten times the usual way and two hours, from 18:14 on.
    harness.wait(4 * 3_600)
    #expect(!harness.requests.isEmpty)
  }

  /// What an engine has said counts no longer once there is none, and nobody asks for it again and
  /// again.
  @Test func anEngineThatIsSwitchedOffHasSaidNothing() throws {
    var harness = routing()
    harness.fix(2_000)
    try harness.add(ferry())
    harness.wait(1)
    let request = try #require(harness.requests.last)
    harness.send(.routed(RouteAnswer(number: request.number, times: .success([.minutes(20)]))))
    harness.engine.settings.asksRoutes = false
    harness.send(.tick)
    var ticks = 0
    while harness.firings.isEmpty, ticks < 200, let deadline = harness.engine.nextDeadline {
      harness.wait(until: max(harness.now + .seconds(0.001), deadline))
      ticks += 1
    }
    // 2 km by 1.3 at 5 km/h.
    #expect(harness.firings.map { $0.time.json } == ["2026-06-12T16:28:48Z"])
    #expect(ticks < 20)
  }

  @Test(arguments: [
    RouteAnswer(number: 1, times: .failure(RouteFailure("connection refused"))),
    RouteAnswer(number: 1, times: .success([])),
    RouteAnswer(number: 1, times: .success([nil])),
    RouteAnswer(number: 1, times: .success([.seconds(1)])),
    RouteAnswer(number: 1, times: .success([.hours(1_000)])),
    RouteAnswer(number: 1, times: .success([.seconds(-5)])),
    RouteAnswer(number: 7, times: .success([.minutes(50)])),
  ])
  func theEstimateStandsInForWhatIsNoAnswer(answer: RouteAnswer) throws {
    var plain = EngineHarness()
    var harness = routing()
    for _ in 0..<1 {
      plain.fix(2_000)
      harness.fix(2_000)
    }
    try plain.add(ferry())
    try harness.add(ferry())
    #expect(harness.requests.count == 1)
    harness.send(.routed(answer))
    plain.wait(3_600)
    harness.wait(3_600)
    #expect(harness.firings.map(\.time) == plain.firings.map(\.time))
    #expect(harness.firings.first?.why.contains("straight line") == true)
  }

  @Test func anEngineThatNeverAnswersDelaysNothing() throws {
    var plain = EngineHarness()
    var harness = routing()
    plain.fix(2_000)
    harness.fix(2_000)
    try plain.add(ferry())
    try harness.add(ferry())
    plain.wait(3_600)
    harness.wait(3_600)
    #expect(harness.firings.map(\.time) == plain.firings.map(\.time))
    #expect(harness.requests.count >= 2)
    #expect(harness.engine.routeHealth?.failed ?? 0 >= 1)
  }

  /// 20 minutes by the engine and 31 by the formula: it was time at 16:28:48 already.
  @Test func anAnswerThatTheClockIsBeforeCountsNoMore() throws {
    var harness = routing()
    harness.fix(2_000)
    try harness.add(ferry())
    for _ in 0..<35 {
      if let request = harness.requests.last {
        harness.send(.routed(RouteAnswer(number: request.number, times: .success([.minutes(20)]))))
      }
      harness.wait(60)
    }
    #expect(harness.firings.isEmpty)
    harness.now = EngineHarness.start + .minutes(29)
    harness.send(.clockSet)
    harness.wait(1)
    #expect(harness.firings.map(\.time.json) == ["2026-06-12T16:29:00Z"])
  }

  /// A metre of straight line is 23 s of way here, and the short numbers of the queue know it to
  /// some decimetres.
  @Test func aLongWayToANearPlaceIsDecidedOnceAndInTime() throws {
    for bearing in stride(from: 0.0, to: 360, by: 9) {
      var harness = routing()
      harness.fix(300, bearing: bearing)
      try harness.add(ferry(due: "2026-06-12T19:00:00Z"))
      var ticks = 0
      var answered = 0
      while harness.firings.isEmpty, ticks < 200, let deadline = harness.engine.nextDeadline {
        if let request = harness.requests.last, request.number > answered {
          answered = request.number
          let answer = RouteAnswer(number: answered, times: .success([.seconds(7_000)]))
          harness.send(.routed(answer))
        } else {
          harness.now = max(harness.now, deadline)
          harness.send(.tick)
        }
        ticks += 1
      }
      let firing = try #require(harness.firings.first)
      let travel = try #require(firing.travel)
      // To the microsecond that a deadline has.
      #expect(abs((firing.time + travel - EngineHarness.start).seconds - 3 * 3_600) < 1e-5)
    }
  }

  @Test func anAnswerForARemovedReminderHarmsNobody() throws {
    var harness = routing()
    harness.fix(2_000)
    try harness.add(ferry())
    harness.send(.remove(id: "ferry"))
    try harness.add(ferry("other"))
    harness.send(.routed(RouteAnswer(number: 1, times: .success([.minutes(50)]))))
    #expect(harness.firings.isEmpty)
    harness.wait(3_600)
    #expect(harness.firings.first?.why.contains("straight line") == true)
  }

  // MARK: - Own trips

  /// A day's walk home from 3 km off at so many metres a second, so many seconds after "leave"; a
  /// negative number leaves before. Returns the seconds from "leave" to the due time.
  @discardableResult
  private func walkHome(
    _ harness: inout EngineHarness, speed: Double, id: String, delay: Double = 0
  ) throws -> Double? {
    harness.fix(3_000, after: 600)
    let due = harness.now + .minutes(120)
    try harness.add(
      #"{"id":"\#(id)","title":"T","due":"\#(due.json)","transport":"walking","#
        + EngineHarness.place() + "}")
    let isNotified = { (harness: borrowing EngineHarness) in
      harness.firings.contains { $0.reminderID == id }
    }
    if delay < 0 {
      let known = harness.engine.upcoming(limit: 1, at: harness.now).first
      let moment = try #require(known?.moment)
      while harness.now < moment + .seconds(delay) { harness.fix(3_000, after: 30) }
    } else {
      while !isNotified(harness) { harness.fix(3_000, after: 30) }
      for _ in 0..<Int(delay / 30) { harness.fix(3_000, after: 30) }
    }
    var distance = 3_000.0
    while distance > 0 {
      harness.fix(distance, after: 5)
      distance -= speed * 5
    }
    harness.send(.remove(id: id))
    return harness.firings.last { $0.reminderID == id }.map { (due - $0.time).seconds }
  }

  /// Who leaves in time, early or late teaches the same: what the way takes.
  @Test(arguments: [0.0, -540, 600])
  func theTrueTimeIsLearnt(delay: Double) throws {
    var harness = EngineHarness(punctuality: 0.85)
    // The formula: 5 km/h over 1.3 times the straight line.
    let speed = 5 / 3.6 / 1.3 * 0.8
    for number in 0..<12 {
      try walkHome(&harness, speed: speed, id: "t\(number)", delay: delay)
    }
    let trips = harness.experience.trips(by: .walking)
    #expect(trips.count == 12)
    let left = try #require(try walkHome(&harness, speed: speed, id: "next"))
    #expect(abs(left - 2_900 / speed) < 90, "\(left) of \(2_900 / speed)")
    let firing = try #require(harness.firings.last { $0.reminderID == "next" })
    #expect(firing.why.contains("trips of yours"), "\(firing.why)")
    harness.send(.forgetTrips(.walking))
    #expect(harness.experience.isEmpty)
    try walkHome(&harness, speed: speed, id: "later")
    let later = try #require(harness.firings.last { $0.reminderID == "later" })
    #expect(later.why.contains("in 85 % of trips, estimated from"), "\(later.why)")
  }

  @Test func nothingIsLearntWhereThatIsSwitchedOff() throws {
    var harness = EngineHarness()
    harness.engine.settings.learnsFromTrips = false
    for number in 0..<3 { try walkHome(&harness, speed: 1, id: "t\(number)") }
    #expect(harness.experience.isEmpty)
  }

  // MARK: - Too late

  @Test func saysWhatStillIsInTime() throws {
    var harness = EngineHarness()
    harness.fix(6_000)
    try harness.add(ferry())
    let firing = try #require(harness.firings.first)
    #expect(firing.event == .late)
    #expect(firing.why.contains("too late on foot, still in time by bicycle"), "\(firing.why)")
  }

  @Test func saysThatNothingIsInTimeAnyMore() throws {
    var harness = EngineHarness()
    harness.fix(90_000)
    try harness.add(ferry())
    let why = try #require(harness.firings.first).why
    #expect(why.contains("too late on foot") && !why.contains("still"), "\(why)")
  }

  // MARK: - Costs

  @Test func oneThatRestsIsLookedAtOnceWhenTheDeviceStands() throws {
    var harness = EngineHarness()
    harness.fix(2_000)
    try harness.add(ferry().replacingOccurrence(of: "2026-06-12", with: "2026-07-12"))
    // Near comes once; then nothing until shortly before its moment.
    var deadlines = 0
    while harness.firings.isEmpty, let deadline = harness.engine.nextDeadline {
      harness.now = deadline
      harness.send(.tick)
      deadlines += 1
      if deadlines > 60 { break }
    }
    #expect(deadlines <= 40, "\(deadlines)")
    #expect(harness.firings.count == 1)
  }
}

extension String {
  fileprivate func replacingOccurrence(of old: String, with new: String) -> String {
    guard let range = firstRange(of: old) else { return self }
    return self[..<range.lowerBound] + new + self[range.upperBound...]
  }
}
