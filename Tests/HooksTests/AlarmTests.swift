import CivilTime
import Companion
import JSONText
import Testing

@testable import Hooks

@Suite struct AlarmTests {
  private static let second: Int64 = 1_000_000
  private let all = Set(HookEvent.allCases)
  private let time = Instant(microseconds: 1_781_280_000_000_000)

  private func status(
    position: String = "known", lost: [String] = [], store: String? = nil
  ) -> JSONObject {
    JSONObject([
      "position": .string(position), "store_trouble": store.map { .string($0) },
      "feeds": .array(
        ["a", "b"].map {
          .object(
            JSONObject([
              "url": .string($0), "last_error": "no route",
              "lost": lost.contains($0) ? true : nil,
            ]))
        }),
    ])
  }

  private func events(_ notices: [FiringNotice]) -> [String] { notices.map(\.event) }

  @Test func aFailureIsAnAlarmWhenItBegins() throws {
    var watch = AlarmWatch(events: all)
    #expect(watch.take(status(position: "none"), at: time).isEmpty)
    #expect(events(watch.take(status(position: "lost"), at: time)) == ["position-lost"])
    #expect(watch.take(status(position: "lost"), at: time).isEmpty)
    #expect(watch.take(status(), at: time).isEmpty)
    #expect(events(watch.take(status(position: "lost"), at: time)) == ["position-lost"])
    let lost = watch.take(status(position: "lost", lost: ["a"]), at: time)
    #expect(events(lost) == ["feed-lost"])
    #expect(lost.first?.title == "Feed lost: a")
    #expect(lost.first?.why == "no route")
    #expect(
      events(watch.take(status(position: "lost", lost: ["a", "b"], store: "full"), at: time))
        == ["feed-lost", "store-failure"])
  }

  @Test func eachOfTwoFeedsThatAreLostTogetherIsAnAlarm() {
    var watch = AlarmWatch(events: all)
    #expect(watch.take(status(), at: time).isEmpty)
    let notices = watch.take(status(lost: ["a", "b"]), at: time)
    #expect(events(notices) == ["feed-lost", "feed-lost"])
    #expect(Set(notices.map(\.id)).count == 2)
  }

  /// A restart of the helper, and one of the daemon.
  @Test func whatFailsAlreadyIsNoAlarm() {
    var watch = AlarmWatch(events: all)
    #expect(watch.take(status(position: "lost", lost: ["a"]), at: time).isEmpty)
    #expect(watch.take(status(position: "lost", lost: ["a"]), at: time).isEmpty)
    #expect(events(watch.take(status(position: "lost", lost: ["b"]), at: time)) == ["feed-lost"])
  }

  @Test func onlyWantedEventsAreAlarms() {
    var watch = AlarmWatch(events: [.firing, .storeFailure])
    #expect(watch.take(status(), at: time).isEmpty)
    #expect(
      events(watch.take(status(position: "lost", lost: ["a"], store: "full"), at: time))
        == ["store-failure"])
  }

  // MARK: - The queue

  private func notice(_ id: String, priority: Int = 0) throws -> FiringNotice {
    try #require(
      FiringNotice([
        "firing_id": .string(id), "reminder_id": "", "priority": .int(priority),
      ]))
  }

  @Test func anAlarmThatFailsIsTriedAgain() throws {
    var queue = AlarmQueue()
    func ended(_ outcome: Delivery.Outcome, _ now: Int64) -> String? {
      queue.ended("x", outcome, at: now, giveUpAfter: .minutes(1), random: 0.5)
    }
    queue.add(try notice("x"), at: 0)
    #expect(queue.next(at: 0).map(\.id) == ["x"])
    #expect(queue.next(at: 0).isEmpty && queue.nextDue == nil)
    #expect(ended(.failed("no"), 0) == nil)
    #expect(queue.nextDue == Self.second)
    #expect(queue.next(at: Self.second - 1).isEmpty)
    #expect(queue.next(at: Self.second).count == 1)
    #expect(ended(.failed("no"), 60 * Self.second) == "no")
    #expect(queue.count == 0)
    queue.add(try notice("x"), at: 0)
    #expect(ended(.refused("65"), 0) == "65")
    queue.add(try notice("x"), at: 0)
    #expect(ended(.delivered, 0) == nil)
    #expect(queue.count == 0)
  }

  /// A receiver that comes and goes, and a hook that hangs.
  @Test func alarmsFillNoMemory() throws {
    var alarms = AlarmQueue()
    for number in 0..<40 {
      alarms.add(try notice("\(number)"), at: Int64(number))
      // The first one runs all the time.
      if number < AlarmQueue.maximumCount {
        #expect(alarms.next(at: Int64(number)).map(\.id) == (number == 0 ? ["0"] : []))
      }
    }
    #expect(alarms.count == AlarmQueue.maximumCount)
    #expect(alarms.next(at: 40).map(\.id) == ["24"])
  }

  @Test func urgentAlarmsGiveWayLast() throws {
    var alarms = AlarmQueue()
    alarms.add(try notice("lost", priority: 1), at: 0)
    for number in 1...40 { alarms.add(try notice("\(number)"), at: Int64(number)) }
    #expect(alarms.count == AlarmQueue.maximumCount)
    #expect(alarms.next(at: 50).map(\.id) == ["lost", "26"])
  }

  @Test func anUrgentAlarmWaitsForNoOther() throws {
    var alarms = AlarmQueue()
    for id in ["a", "b"] { alarms.add(try notice(id), at: 0) }
    #expect(alarms.next(at: 0).map(\.id) == ["a"])
    #expect(alarms.nextDue == nil)
    alarms.add(try notice("lost", priority: 1), at: 1)
    #expect(alarms.nextDue == 1)
    #expect(alarms.next(at: 1).map(\.id) == ["lost"])
    #expect(alarms.ended("a", .delivered, at: 2, giveUpAfter: .minutes(1), random: 0.5) == nil)
    #expect(alarms.next(at: 2).map(\.id) == ["b"])
  }
}
