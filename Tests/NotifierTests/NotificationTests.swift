import Companion
import JSONText
import LinuxRuntime
import Testing

@testable import Notifier

/// A firing as the daemon tells it.
func firing(_ members: JSONObject = JSONObject()) throws -> FiringNotice {
  var json: JSONObject = [
    "firing_id": "f", "reminder_id": "r", "title": "Milk", "event": "arrive",
    "time": "2026-06-12T16:00:00Z", "why": "Arrived at Rewe, 34 m from its centre",
  ]
  for (key, value) in members.members { json[key] = value }
  return try #require(FiringNotice(json))
}

@Suite struct NotificationTests {
  private let all = Notification.Capabilities(["actions", "body", "body-markup"])

  @Test func itSaysWhatFiredAndWhy() throws {
    let arguments = Notification(try firing(), snoozeLabel: "Snooze 10min")
      .arguments(replacing: 7, server: all)
    #expect(
      arguments == [
        .string("georemind"), .uint32(7), .string("appointment-soon"), .string("Milk"),
        .string("Arrived at Rewe, 34 m from its centre"),
        .strings(["done", "Done", "snooze", "Snooze 10min"]),
        .options([
          "urgency": .byte(1), "category": .string("x-georemind.arrive"),
          "desktop-entry": .string("georemind-notify"),
        ]), .int32(-1),
      ])
  }

  @Test(
    arguments: [
      (["reminder_id": "", "reminder_ids": ["a", "b"]], ["a", "b"]), (["reminder_id": ""], []),
      ([:], ["r"]),
    ] as [(JSONObject, [String])])
  func oneForSeveralRemindersHasButtons(members: JSONObject, ids: [String]) throws {
    let notice = try firing(members)
    #expect(notice.reminderIDs == ids)
    #expect(Notification(notice, snoozeLabel: "Snooze").buttons.isEmpty == ids.isEmpty)
  }

  /// A repeating reminder is armed again at once; what counts is whether somebody has completed it.
  @Test(
    arguments: [
      (["state": "armed", "unacknowledged": true], false), (["state": "armed"], true),
      (["state": "fired", "unacknowledged": true], false),
      (["state": "snoozed", "unacknowledged": true], true), (["state": "done"], true),
    ] as [(JSONObject, Bool)])
  func itLeavesTheScreenWhenCompletedOrSnoozed(reminder: JSONObject, isOver: Bool) {
    #expect(Notifier.isOver(reminder) == isOver)
  }

  @Test(arguments: [
    (0, Notification.Urgency.normal), (1, .critical), (4, .critical), (5, .normal), (6, .low),
    (9, .low),
  ])
  func urgencyFollowsThePriority(priority: Int, urgency: Notification.Urgency) throws {
    let notification = Notification(try firing(["priority": .int(priority)]), snoozeLabel: "")
    #expect(notification.urgency == urgency)
    let stays = notification.arguments(replacing: 0, server: all).last == .int32(0)
    #expect(stays == (urgency == .critical))
  }

  /// A place's name comes from files of strangers.
  @Test func wordsAreNoMarkup() throws {
    let notification = Notification(
      try firing(["title": "<b>&\u{1B}[2J", "why": "At <img src=\"x\"> & Co\u{202E}"]),
      snoozeLabel: "")
    let marked = notification.arguments(replacing: 0, server: all)
    #expect(marked[3] == .string("<b>& [2J"))
    #expect(marked[4] == .string("At &lt;img src=\"x\"&gt; &amp; Co"))
    let plain = notification.arguments(replacing: 0, server: .init(["body"]))
    #expect(plain[4] == .string("At <img src=\"x\"> & Co"))
    #expect(plain[5] == .strings([]))
  }

  @Test func endlessTextsAreCut() throws {
    let long = JSONValue.string(String(repeating: "x", count: 16_000))
    let notification = Notification(try firing(["title": long, "why": long]), snoozeLabel: "")
    #expect(notification.summary.count == 200)
    #expect(notification.body.count == 1_000)
  }
}
