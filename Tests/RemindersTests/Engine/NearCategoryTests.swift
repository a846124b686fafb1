import CivilTime
import Geodesy
import Geofencing
import Testing

@testable import Reminders

/// Reminders of any place of a category. Shops stand in a row east of home, 1 km apart.
@Suite struct NearCategoryTests {
  private static func shop(
    _ number: Int64, at distance: Double, radius: Double = 60
  )
    -> NumberedPlace
  {
    NumberedPlace(
      number: number,
      position: EngineHarness.home.destination(bearing: 90, distance: distance), radius: radius)
  }

  /// Shops 1 to 3 at 1, 2 and 3 km.
  private static func harness() -> EngineHarness {
    var harness = EngineHarness()
    harness.places["supermarket"] = (1...3).map { shop($0, at: Double($0) * 1000) }
    return harness
  }

  private static func milk(_ more: String = "") -> String {
    #"{"id":"milk","title":"Milk","near_category":"Supermarket"\#(more)}"#
  }

  /// Placed at the shop of each firing.
  private func met(_ harness: borrowing EngineHarness) -> [String] {
    harness.firings.map { "\($0.event.rawValue) \($0.unnamed.map { "\($0.number)" } ?? "-")" }
  }

  @Test func firesOnceAtTheFirstPlaceReached() throws {
    var harness = Self.harness()
    try harness.add(Self.milk())
    harness.walk(from: 0, to: 3500)
    #expect(met(harness) == ["arrive 1"])
    #expect(harness.standings["milk"]?.state == .fired)
    #expect(harness.engine.watches.isEmpty)
    var firing = try #require(harness.firings.first)
    #expect(firing.why.hasPrefix("Arrived at a place of category Supermarket, "))
    firing.name("Rewe")
    #expect(firing.place == "Rewe")
    #expect(firing.why.hasPrefix("Arrived at Rewe, "))
    #expect(firing.unnamed == nil)
  }

  /// Both contain the device, and the later number is nearer.
  @Test func ofSeveralPlacesTheNearestIsMeant() throws {
    var harness = EngineHarness()
    harness.places["supermarket"] = [
      Self.shop(1, at: 1_000, radius: 400), Self.shop(2, at: 1_200, radius: 400),
    ]
    try harness.add(Self.milk(#","on":"dwell","hold_s":300"#))
    harness.walk(from: 0, to: 1_250)
    for _ in 0..<600 { harness.fix(1_250, speed: 0) }
    #expect(met(harness) == ["dwell 2"])
  }

  /// Once it has fired for a pass, nobody follows the device for it.
  @Test func afterAPassTheNextVisitIsNotTheOneThatIsOn() throws {
    var harness = Self.harness()
    try harness.add(Self.milk())
    for step in 0..<6 { harness.fix(100 + 280 * Double(step), after: 10, speed: 28) }
    harness.walk(from: 1515, to: 2000)
    #expect(met(harness) == ["pass 1"])
    for _ in 0..<300 { harness.fix(2000, speed: 0) }
    harness.send(.snooze(id: "milk", .nextVisit))
    for _ in 0..<300 { harness.fix(2000, speed: 0) }
    #expect(met(harness) == ["pass 1"])
    harness.walk(from: 2000, to: 3000)
    #expect(met(harness) == ["pass 1", "arrive 3"])
  }

  @Test func everyVisitIsOneToEachPlace() throws {
    var harness = Self.harness()
    try harness.add(Self.milk(#","every_visit":true"#))
    harness.walk(from: 0, to: 3500)
    #expect(met(harness) == ["arrive 1", "arrive 2", "arrive 3"])
  }

  @Test func aCooldownHoldsBetweenPlaces() throws {
    var harness = Self.harness()
    try harness.add(Self.milk(#","every_visit":true,"cooldown_s":100"#))
    harness.walk(from: 0, to: 3500)
    #expect(met(harness) == ["arrive 1", "arrive 3"])
  }

  @Test func placesThatOverlapAreOneVisit() throws {
    var harness = EngineHarness()
    harness.places["supermarket"] = [
      Self.shop(4, at: 1000, radius: 200), Self.shop(9, at: 1200, radius: 200),
    ]
    try harness.add(Self.milk(#","every_visit":true"#))
    try harness.add(
      #"{"id":"bye","title":"Bye","near_category":"supermarket","every_visit":true,"on":"depart"}"#)
    harness.walk(from: 500, to: 1100)
    #expect(harness.kept["milk"]?.places == [4, 9])
    harness.walk(from: 1115, to: 2000)
    #expect(met(harness) == ["arrive 4", "depart 9"])
  }

  @Test func departAndDwellNameThePlace() throws {
    var harness = Self.harness()
    try harness.add(Self.milk(#","on":"dwell","dwell_s":60"#))
    try harness.add(
      #"{"id":"bag","title":"Bag","near_category":"supermarket","on":"depart"}"#)
    harness.walk(from: 1500, to: 2000)
    for _ in 0..<70 { harness.fix(2000, speed: 0) }
    harness.walk(from: 2015, to: 2500)
    #expect(met(harness) == ["dwell 2", "depart 2"])
  }

  @Test func aShopCrossedBetweenFixesIsPassed() throws {
    var harness = Self.harness()
    try harness.add(Self.milk())
    for distance in stride(from: 100.0, to: 1900, by: 300) {
      harness.fix(distance, after: 10, speed: 30)
    }
    #expect(met(harness) == ["pass 1"])
  }

  @Test func theReminderMayGiveItsOwnRadius() throws {
    var harness = Self.harness()
    try harness.add(Self.milk(#","radius_m":300"#))
    try harness.add(#"{"id":"near","title":"Near","near_category":"supermarket"}"#)
    harness.walk(from: 0, to: 1100)
    #expect(harness.firings.map(\.reminderID) == ["milk", "near"])
    let distances = harness.firings.compactMap(\.distance)
    #expect(distances[0] > 250)
    #expect(distances[1] < 60)
  }

  @Test func remindersOfOneCategoryShareTheFences() throws {
    var harness = Self.harness()
    for id in ["a", "b", "c"] {
      try harness.add(#"{"id":"\#(id)","title":"T","near_category":"SUPERMARKET"}"#)
    }
    #expect(harness.engine.watches.count == 1)
    harness.walk(from: 500, to: 1100)
    #expect(harness.events == ["a:arrive", "b:arrive", "c:arrive"])
    #expect(harness.engine.watches.isEmpty)
  }

  /// A place that is known stays as it is, also while the device is there.
  @Test func newPlacesJoinTheKnownOnes() throws {
    var harness = Self.harness()
    try harness.add(Self.milk(#","every_visit":true"#))
    harness.walk(from: 0, to: 1_000)
    for _ in 0..<5 { harness.fix(1_000, speed: 0) }
    harness.send(
      .newPlaces(
        category: "SuperMarket",
        [Self.shop(1, at: 1_000), Self.shop(4, at: 1_500), Self.shop(9, at: 2_500)]))
    harness.send(.newPlaces(category: "pharmacy", [Self.shop(10, at: 1_250)]))
    for _ in 0..<5 { harness.fix(1_000, speed: 0) }
    harness.walk(from: 1_015, to: 2_700)
    #expect(met(harness) == ["arrive 1", "arrive 4", "arrive 2", "arrive 9"])
  }

  /// The places that are known decide while the others come.
  @Test func placesThatComeInPartsCountFromThenOn() throws {
    var harness = Self.harness()
    harness.answersPlaces = false
    try harness.add(Self.milk(#","every_visit":true"#))
    harness.fix(0)
    let before = placeGate(harness)
    #expect(before.contains("are being read, 0 so far"))
    harness.send(
      .places(category: "Supermarket", [Self.shop(1, at: 1_000)], isWhole: false))
    let first = placeGate(harness)
    #expect(first.contains("are being read, 1 so far"))
    harness.walk(from: 0, to: 1_500)
    harness.send(.morePlaces(category: "Supermarket", [Self.shop(2, at: 2_000)], isLast: false))
    harness.walk(from: 1_515, to: 2_500)
    harness.send(.morePlaces(category: "Supermarket", [Self.shop(3, at: 3_000)], isLast: true))
    let last = placeGate(harness)
    #expect(last.contains("the nearest place of category"))
    harness.walk(from: 2_515, to: 3_500)
    #expect(met(harness).suffix(2) == ["arrive 2", "arrive 3"])
  }

  private func placeGate(_ harness: borrowing EngineHarness) -> String {
    harness.engine.why("milk", at: harness.now)?.gates.first { $0.name == "place" }?.says ?? ""
  }

  /// Whether the part with its place comes before or after the fixes there.
  @Test(arguments: [false, true]) func aPartWithThePlaceOfTheDeviceIsNoArrival(
    isFirst: Bool
  ) throws {
    var harness = Self.harness()
    harness.answersPlaces = false
    if !isFirst { for _ in 0..<5 { harness.fix(2_000, speed: 0) } }
    try harness.add(Self.milk(#","every_visit":true"#))
    harness.send(
      .places(category: "Supermarket", [Self.shop(1, at: 1_000)], isWhole: false))
    harness.send(.morePlaces(category: "Supermarket", [Self.shop(2, at: 2_000)], isLast: false))
    for _ in 0..<5 { harness.fix(2_000, speed: 0) }
    harness.send(.morePlaces(category: "Supermarket", [Self.shop(3, at: 3_000)], isLast: true))
    for _ in 0..<5 { harness.fix(2_000, speed: 0) }
    #expect(harness.firings.isEmpty)
    #expect(harness.kept["milk"]?.places == [2])
    harness.walk(from: 2_015, to: 3_500)
    #expect(met(harness) == ["arrive 3"])
  }

  /// A restart at a place whose part comes last is no arrival, and no departure.
  @Test func aVisitOfBeforeTheRestartGoesOnWhileTheirPlacesCome() throws {
    var harness = Self.harness()
    try harness.add(Self.milk(#","every_visit":true"#))
    harness.walk(from: 1_500, to: 3_000)
    let entry = harness.engine.entry("milk")
    let (reminder, history, _) = try #require(entry)
    #expect(history.places == [3])
    var again = EngineHarness(now: harness.now)
    again.answersPlaces = false
    again.engine.beginLoading(count: 1)
    again.engine.load(reminder, history)
    again.engine.finishLoading(at: again.now, into: &again.effects)
    again.send(.places(category: "supermarket", [Self.shop(1, at: 1_000)], isWhole: false))
    for _ in 0..<5 { again.fix(3_000, speed: 0) }
    again.send(.morePlaces(category: "supermarket", [Self.shop(3, at: 3_000)], isLast: true))
    for _ in 0..<5 { again.fix(3_000, speed: 0) }
    #expect(again.firings.isEmpty)
    let places = again.engine.history("milk")?.places
    #expect(places == [3])
  }

  /// The last watch takes the number of a removed one.
  @Test(arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]])
  func watchesThatGoLeaveTheOthers(order: [Int]) throws {
    var harness = Self.harness()
    harness.places["bank"] = [Self.shop(7, at: 1_000)]
    for (number, more) in ["", #","radius_m":300"#, #","radius_m":200"#].enumerated() {
      try harness.add(
        #"{"id":"\#(number)","title":"T","near_category":"Supermarket"\#(more)}"#)
    }
    try harness.add(#"{"id":"3","title":"T","near_category":"Bank"}"#)
    harness.fix(0)
    for removed in order.indices {
      let left = order[(removed + 1)...].sorted().map { "\($0)" }
      harness.send(.remove(id: "\(order[removed])"))
      #expect(harness.engine.watches.count == left.count)
      let (shops, banks) = (left.filter { $0 != "3" }, left.filter { $0 == "3" })
      #expect(harness.engine.reminders(nearCategory: "supermarket") == shops)
      #expect(harness.engine.reminders(nearCategory: "bank") == banks)
    }
    #expect(harness.engine.watchedCategories.isEmpty)
  }

  @Test func placesAreOnlyAskedForWhileSomebodyWaits() throws {
    var harness = Self.harness()
    try harness.add(Self.milk(#","state":"fired""#))
    #expect(harness.engine.watches.isEmpty)
    harness.send(.snooze(id: "milk", .nextVisit))
    #expect(harness.engine.watches.count == 1)
    harness.send(.remove(id: "milk"))
    #expect(harness.engine.watches.isEmpty)
  }

  /// As at a region; by the plain policy, which lets one fix decide.
  @Test func oneFixOutsideSettlesWherePolicyAsksForNoMore() throws {
    var settings = EngineSettings()
    settings.monitor = .plain
    var harness = EngineHarness(settings: settings)
    harness.places["supermarket"] = [Self.shop(1, at: 1000)]
    harness.fix(0)
    try harness.add(Self.milk())
    harness.fix(1000)
    harness.restartByLoading(after: 60)
    harness.send(.snooze(id: "milk", .nextVisit))
    harness.fix(0)
    harness.fix(1000)
    #expect(met(harness) == ["arrive 1", "arrive 1"])
  }

  // MARK: - Made at a place

  @Test func oneMadeAtAPlaceWaitsForTheNextArrival() throws {
    var harness = Self.harness()
    harness.walk(from: 900, to: 990)
    try harness.add(Self.milk())
    for _ in 0..<5 { harness.fix(1000, speed: 0) }
    #expect(harness.firings.isEmpty)
    #expect(harness.kept["milk"]?.places == [1])
    harness.walk(from: 1000, to: 2100)
    #expect(met(harness) == ["arrive 2"])
  }

  @Test func orFiresAtOnce() throws {
    var harness = Self.harness()
    harness.walk(from: 900, to: 990)
    try harness.add(Self.milk(#","if_inside":"fire""#))
    for _ in 0..<5 { harness.fix(1000, speed: 0) }
    #expect(met(harness) == ["arrive 1"])
  }

  @Test func aSecondReminderLearnsWhereTheDeviceIsAtOnce() throws {
    var harness = Self.harness()
    try harness.add(Self.milk(#","every_visit":true"#))
    harness.walk(from: 500, to: 1000)
    try harness.add(#"{"id":"late","title":"Late","near_category":"supermarket"}"#)
    #expect(harness.kept["late"]?.stay.presence == .inside)
    try harness.add(
      #"{"id":"now","title":"Now","near_category":"supermarket","if_inside":"fire"}"#)
    #expect(harness.events == ["milk:arrive", "now:arrive"])
  }

  // MARK: - Restart

  @Test(arguments: [false, true])
  func beingAtAPlaceSurvivesARestart(byLoading: Bool) throws {
    var harness = Self.harness()
    try harness.add(Self.milk(#","every_visit":true"#))
    try harness.add(
      #"{"id":"bag","title":"Bag","near_category":"supermarket","on":"depart"}"#)
    harness.walk(from: 500, to: 1000)
    if byLoading { harness.restartByLoading(after: 60) } else { harness.restart(after: 60) }
    for _ in 0..<5 { harness.fix(1000, speed: 0) }
    #expect(met(harness) == ["arrive 1"])
    harness.walk(from: 1000, to: 1500)
    #expect(met(harness) == ["arrive 1", "depart 1"])
  }

  @Test func anArrivalWhileOffIsTold() throws {
    var harness = Self.harness()
    try harness.add(Self.milk())
    harness.walk(from: 0, to: 500)
    harness.restartByLoading(after: 600)
    for _ in 0..<3 { harness.fix(2000, speed: 0) }
    #expect(met(harness) == ["arrive 2"])
  }

  // MARK: - Places that change

  @Test func aNewPlaceCounts() throws {
    var harness = Self.harness()
    try harness.add(Self.milk())
    harness.walk(from: 0, to: 300)
    harness.send(.place(number: 7, Self.shop(7, at: 600), category: "SuperMarket"))
    harness.send(.place(number: 8, Self.shop(8, at: 450), category: "bakery"))
    harness.walk(from: 315, to: 700)
    #expect(met(harness) == ["arrive 7"])
  }

  @Test func aPlaceMadeWhereTheDeviceIsIsNoArrival() throws {
    var harness = Self.harness()
    try harness.add(Self.milk())
    for _ in 0..<5 { harness.fix(500, speed: 0) }
    harness.send(.place(number: 7, Self.shop(7, at: 500), category: "supermarket"))
    for _ in 0..<5 { harness.fix(500, speed: 0) }
    #expect(harness.firings.isEmpty)
    #expect(harness.kept["milk"]?.places == [7])
    harness.walk(from: 500, to: 1100)
    #expect(met(harness) == ["arrive 1"])
  }

  @Test func aPlaceThatIsGoneIsNeitherReachedNorLeft() throws {
    var harness = Self.harness()
    try harness.add(
      #"{"id":"bag","title":"Bag","near_category":"supermarket","on":"depart"}"#)
    harness.walk(from: 500, to: 1000)
    harness.send(.place(number: 1, nil, category: nil))
    #expect(harness.kept["bag"]?.stay.presence == .outside)
    harness.walk(from: 1015, to: 1500)
    #expect(harness.firings.isEmpty)
    harness.send(.place(number: 2, Self.shop(2, at: 2000), category: "kiosk"))
    harness.walk(from: 1515, to: 2500)
    #expect(harness.firings.isEmpty)
    harness.walk(from: 2515, to: 3500)
    #expect(met(harness) == ["depart 3"])
  }

  @Test func allPlacesAnewKeepWhereTheDeviceIs() throws {
    var harness = Self.harness()
    try harness.add(Self.milk(#","every_visit":true"#))
    harness.walk(from: 500, to: 1000)
    harness.places["supermarket"]?.append(Self.shop(4, at: 1500))
    harness.send(.places(category: "supermarket", harness.places["supermarket"] ?? []))
    harness.walk(from: 1000, to: 1600)
    #expect(met(harness) == ["arrive 1", "arrive 4"])
  }

  // MARK: - Beside others

  @Test func nextTellsTheNearestPlace() throws {
    var harness = Self.harness()
    try harness.add(Self.milk())
    try harness.add(#"{"id":"home","title":"Home",\#(EngineHarness.place())}"#)
    harness.walk(from: 1500, to: 1800)
    let nearby = harness.engine.nearby(limit: 5)
    #expect(nearby.map(\.reminder.id) == ["milk", "home"])
    #expect(nearby.map(\.placeNumber) == [2, nil])
    #expect(abs((nearby.first?.distance ?? 0) - 140) < 1)
  }

  @Test(arguments: [
    (#"{"id":"a","title":"T","near_category":""}"#, "near_category"),
    (#"{"id":"a","title":"T","near_category":7}"#, "near_category"),
    (#"{"id":"a","title":"T","near_category":"x","radius_m":0}"#, "radius_m"),
    (
      #"{"id":"a","title":"T","near_category":"x","place":{"lat":1,"lon":1}}"#, "near_category"
    ),
    (
      #"{"id":"a","kind":"date","title":"T","near_category":"x","due":"2026-01-01"}"#,
      "near_category"
    ),
  ]) func whatCannotBeIsRefused(json: String, field: String) throws {
    var harness = EngineHarness()
    let error = #expect(throws: ReminderError.self) { try harness.add(json) }
    #expect(error?.field == field)
  }
}
