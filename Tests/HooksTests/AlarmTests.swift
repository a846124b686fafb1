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

  private func notice(_ id: String) throws -> FiringNotice {
    try #require(FiringNotice(["firing_id": .string(id), "reminder_id": ""]))
  }

  @Test func anAlarmThatFailsIsTriedAgain() throws {
    let settings = HookSettings(programs: ["/a"])
    let destination = try #require(settings.destinations(ofUser: nil).first)
    var queue = AlarmQueue()
    func ended(_ outcome: Delivery.Outcome, _ now: Int64) -> String? {
      queue.ended("u", outcome, at: now, giveUpAfter: .minutes(1), random: 0.5)
    }
    #expect(queue.add(try notice("x"), to: destination, unit: "u", at: 0) == nil)
    #expect(queue.next(at: 0).map(\.unit) == ["u"])
    #expect(queue.next(at: 0).isEmpty && queue.nextDue == nil)
    #expect(ended(.failed("no"), 0) == nil)
    #expect(queue.nextDue == Self.second)
    #expect(queue.next(at: Self.second - 1).isEmpty)
    #expect(queue.next(at: Self.second).count == 1)
    #expect(ended(.failed("no"), 60 * Self.second) == "no")
    #expect(queue.count == 0)
    #expect(queue.add(try notice("x"), to: destination, unit: "u", at: 0) == nil)
    #expect(ended(.refused("65"), 0) == "65")
    #expect(queue.add(try notice("x"), to: destination, unit: "u", at: 0) == nil)
    #expect(ended(.delivered, 0) == nil)
    #expect(queue.count == 0)
  }

  /// A receiver that comes and goes, and a hook that hangs.
  @Test func alarmsFillNoMemory() throws {
    let destination = try #require(HookSettings(programs: ["/a"]).destinations(ofUser: nil).first)
    var alarms = AlarmQueue()
    var hooks = HookQueue(maximumParallel: 1)
    for number in 0..<40 {
      let call = HookCall(
        program: "/a", destination: destination.name, firing: try notice("\(number)"))
      let evicted = alarms.add(call.firing, to: destination, unit: call.unit, at: Int64(number))
      #expect((evicted != nil) == (number >= AlarmQueue.maximumCount))
      // The first one runs all the time.
      if let evicted { #expect(hooks.dropAlarm(evicted) == (number > AlarmQueue.maximumCount)) }
      #expect(alarms.next(at: Int64(number)).map(\.unit) == [call.unit])
      hooks.add(call, isAlarm: true)
      #expect(hooks.next(at: 0).map(\.firing.id) == (number == 0 ? ["0"] : []))
    }
    #expect(alarms.count == AlarmQueue.maximumCount)
    hooks.maximumParallel = 64
    #expect(hooks.next(at: 0).map(\.firing.id) == (24..<40).map { "\($0)" })
  }

  @Test func firingsGoBeforeAlarms() throws {
    func call(_ id: String) throws -> HookCall {
      HookCall(program: "/a", destination: "hook-a", firing: try notice(id))
    }
    var hooks = HookQueue(maximumParallel: 1)
    hooks.add(try call("alarm"), isAlarm: true)
    hooks.add(try call("firing"))
    #expect(hooks.next(at: 0).map(\.firing.id) == ["firing"])
    #expect(hooks.end(try call("firing").unit) != nil)
    #expect(hooks.next(at: 0).map(\.firing.id) == ["alarm"])
    #expect(!hooks.dropAlarm(try call("alarm").unit))
  }
}
