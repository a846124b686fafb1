import Companion
import JSONText
import Testing

@testable import Notifier

@Suite struct NotificationBoardTests {
  private func note(_ title: String) throws -> Notification {
    Notification(try firing(["title": .string(title)]), snoozeLabel: "Snooze")
  }

  /// A board with a server on which that reminder is shown under that id.
  private func board(showing reminder: String, id: UInt32) throws -> NotificationBoard {
    var board = NotificationBoard()
    _ = board.handle(.serverCame)
    _ = board.handle(.fired(try note("first"), reminder: reminder))
    _ = board.handle(.shown(reminder: reminder, id: id))
    return board
  }

  @Test func aFiringIsShownAtOnce() throws {
    var board = NotificationBoard()
    #expect(board.handle(.serverCame) == [])
    #expect(
      board.handle(.fired(try note("Milk"), reminder: "r"))
        == [.show(try note("Milk"), reminder: "r", replacing: 0)])
  }

  @Test func withoutAServerTheLatestOfEachWaits() throws {
    var board = NotificationBoard()
    for title in ["one", "two"] {
      #expect(board.handle(.fired(try note(title), reminder: "r")) == [])
    }
    #expect(board.handle(.fired(try note("other"), reminder: "s")) == [])
    #expect(
      board.handle(.serverCame) == [
        .show(try note("two"), reminder: "r", replacing: 0),
        .show(try note("other"), reminder: "s", replacing: 0),
      ])
  }

  @Test func aNewFiringTakesThePlaceOfTheOld() throws {
    var board = try board(showing: "r", id: 5)
    #expect(
      board.handle(.fired(try note("again"), reminder: "r"))
        == [.show(try note("again"), reminder: "r", replacing: 5)])
  }

  @Test func aFiringOvertakesOneThatIsOnItsWay() throws {
    var board = NotificationBoard()
    _ = board.handle(.serverCame)
    _ = board.handle(.fired(try note("one"), reminder: "r"))
    #expect(board.handle(.fired(try note("two"), reminder: "r")) == [])
    #expect(board.handle(.fired(try note("three"), reminder: "r")) == [])
    #expect(
      board.handle(.shown(reminder: "r", id: 9))
        == [.show(try note("three"), reminder: "r", replacing: 9)])
  }

  @Test func buttonsAreForTheReminderBehindThem() throws {
    var board = try board(showing: "r", id: 5)
    #expect(board.handle(.pressed(id: 5, .done)) == [.complete(reminder: "r")])
    #expect(board.handle(.pressed(id: 5, .snooze)) == [.snooze(reminder: "r")])
    #expect(board.handle(.pressed(id: 6, .done)) == [])
    #expect(board.handle(.settled(reminder: "r", problem: nil)) == [.close(id: 5)])
    #expect(!board.isShowing)
  }

  /// Most servers close a notification when a button is pressed.
  @Test func aPressOnAClosedNotificationIsHandledQuietly() throws {
    var board = try board(showing: "r", id: 5)
    _ = board.handle(.pressed(id: 5, .done))
    _ = board.handle(.closed(id: 5))
    #expect(board.handle(.settled(reminder: "r", problem: nil)) == [])
  }

  @Test func aFailedPressIsReported() throws {
    var board = try board(showing: "r", id: 5)
    _ = board.handle(.pressed(id: 5, .done))
    var expected = try note("first")
    expected.body = "no daemon"
    #expect(
      board.handle(.settled(reminder: "r", problem: "no daemon"))
        == [.show(expected, reminder: "r", replacing: 5)])
  }

  @Test func aReminderCompletedElsewhereClosesItsNotification() throws {
    var board = try board(showing: "r", id: 5)
    #expect(board.handle(.tick) == [.check(reminder: "r")])
    #expect(board.handle(.checked(reminder: "r", isOver: false)) == [])
    #expect(board.handle(.checked(reminder: "r", isOver: true)) == [.close(id: 5)])
    #expect(board.handle(.tick) == [])
  }

  @Test func missedFiringsAreShownUnlessCompleted() throws {
    var board = NotificationBoard()
    _ = board.handle(.serverCame)
    #expect(board.handle(.missed(try note("a"), reminder: "a")) == [.check(reminder: "a")])
    #expect(board.handle(.missed(try note("b"), reminder: "b")) == [.check(reminder: "b")])
    #expect(board.handle(.checked(reminder: "a", isOver: true)) == [])
    #expect(
      board.handle(.checked(reminder: "b", isOver: false))
        == [.show(try note("b"), reminder: "b", replacing: 0)])
  }

  @Test func aNewServerGetsWhatTheOldOneShowed() throws {
    var board = try board(showing: "r", id: 5)
    #expect(board.handle(.serverWent) == [])
    #expect(board.handle(.pressed(id: 5, .done)) == [])
    #expect(
      board.handle(.serverCame) == [.show(try note("first"), reminder: "r", replacing: 0)])
  }

  @Test func aClosedNotificationStaysClosed() throws {
    var board = try board(showing: "r", id: 5)
    _ = board.handle(.closed(id: 5))
    _ = board.handle(.serverWent)
    #expect(board.handle(.serverCame) == [])
  }

  @Test func theOldestGivesWay() throws {
    var board = try board(showing: "first", id: 1)
    var last: [NotificationBoard.Effect] = []
    for number in 1...NotificationBoard.maximumEntries {
      last = board.handle(.fired(try note("x"), reminder: "\(number)"))
    }
    #expect(last.last == .close(id: 1))
  }
}
