import Control
import JSONText
import LinuxRuntime
import TestSupport
import Testing

@testable import Companion

@Suite struct FiringFollowerTests {
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private let daemon: LoopDaemon
  private var memory: StateFile { StateFile(path: "\(folder.path)/below/seen.json") }

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    daemon = try LoopDaemon(path: "\(folder.path)/socket", loop: loop)
  }

  /// What a follower told.
  private final class Ear {
    var heard: [String] = []
    var missed: [String] = []
    var passedOver = 0
    var connections = 0
    var losses: [String] = []
  }

  private func follower(
    _ ear: Ear, maximumMissed: Int = 10, memory: StateFile? = nil, path: String? = nil
  ) throws -> FiringFollower {
    let follower = try FiringFollower(
      loop: loop, maximumMissed: maximumMissed, memory: memory,
      now: "2026-06-12T16:00:00Z"
    ) { [daemon] in path ?? daemon.path }
    follower.onFiring = { firing, isMissed in
      ear.heard.append(firing.id)
      if isMissed { ear.missed.append(firing.id) }
    }
    follower.onPassedOver = { ear.passedOver += $0 }
    follower.onConnection = { ear.connections += 1 }
    follower.onLoss = { ear.losses.append($0) }
    follower.start()
    return follower
  }

  private func firing(_ id: String, minute: Int = 1) -> JSONObject {
    [
      "firing_id": .string(id), "reminder_id": "r", "title": "Milk", "event": "due",
      "time": .string("2026-06-12T16:0\(minute):00Z"),
    ]
  }

  @Test func firingsComeAsTheyHappen() throws {
    let ear = Ear()
    let follower = try follower(ear)
    defer { follower.stop() }
    #expect(try loop.runUntil { daemon.isWatched })
    daemon.fire(firing("a"))
    daemon.fire(firing("b"))
    #expect(try loop.runUntil { ear.heard.count == 2 })
    #expect(ear.heard == ["a", "b"])
    #expect(ear.missed.isEmpty)
  }

  /// What is old when one listens for the first time is history.
  @Test func theFirstTimeBeginsNow() throws {
    var old = firing("old")
    old["time"] = "2026-06-11T10:00:00Z"
    daemon.ledger = [old, firing("new")]
    let ear = Ear()
    let follower = try follower(ear)
    defer { follower.stop() }
    #expect(try loop.runUntil { !ear.heard.isEmpty })
    #expect(ear.heard == ["new"])
  }

  @Test func missedFiringsAreReportedExactlyOnce() throws {
    let first = Ear()
    var one: FiringFollower? = try follower(first, memory: memory)
    #expect(try loop.runUntil { daemon.isWatched })
    daemon.fire(firing("a"))
    #expect(try loop.runUntil { first.heard == ["a"] })
    one?.stop()
    one = nil
    daemon.ledger += [firing("b"), firing("c", minute: 2)]
    let second = Ear()
    let two = try follower(second, memory: memory)
    defer { two.stop() }
    #expect(try loop.runUntil { second.heard.count == 2 })
    daemon.fire(firing("d", minute: 3))
    #expect(try loop.runUntil { second.heard.count == 3 })
    #expect(second.heard == ["b", "c", "d"])
    #expect(second.missed == ["b", "c"])
  }

  @Test func onlyTheLatestMissedFiringsAreReported() throws {
    daemon.ledger = (1...9).map { firing("\($0)", minute: $0) }
    let ear = Ear()
    let follower = try follower(ear, maximumMissed: 3)
    defer { follower.stop() }
    #expect(try loop.runUntil { ear.heard.count == 3 })
    #expect(ear.heard == ["7", "8", "9"])
    #expect(ear.passedOver == 6)
  }

  @Test func reconnectsToARestartedDaemon() throws {
    let ear = Ear()
    let follower = try follower(ear)
    defer { follower.stop() }
    #expect(try loop.runUntil { daemon.isWatched })
    daemon.stop()
    #expect(try loop.runUntil { ear.losses.count == 1 })
    #expect(!follower.isConnected)
    let next = try LoopDaemon(path: daemon.path, loop: loop)
    defer { next.stop() }
    next.ledger = [firing("while it was away")]
    #expect(try loop.runUntil { !ear.heard.isEmpty })
    #expect(ear.missed == ["while it was away"])
    #expect(ear.connections == 2)
  }

  @Test func aMissingDaemonIsReportedOnce() throws {
    let ear = Ear()
    let follower = try follower(ear, path: "/nonexistent/socket")
    defer { follower.stop() }
    #expect(try loop.runUntil { ear.losses.count == 1 })
    var turns = 0
    let clock = try loop.addTimer(.monotonic) { _ in turns += 1 }
    clock.arm(in: 1_200_000)
    // Two more attempts fall into this time.
    #expect(try loop.runUntil { turns == 1 })
    #expect(ear.losses.count == 1)
    #expect(ear.losses.first?.contains("/nonexistent/socket") == true)
  }

  @Test func callsAreAnsweredOrGivenUp() throws {
    let ear = Ear()
    let follower = try follower(ear)
    defer { follower.stop() }
    var answers: [String] = []
    func call() {
      follower.call("Show") {
        switch $0 {
        case .success?: answers.append("answered")
        case .failure?: answers.append("refused")
        case nil: answers.append("lost")
        }
      }
    }
    call()
    #expect(answers == ["lost"])
    #expect(try loop.runUntil { ear.connections == 1 })
    call()
    #expect(try loop.runUntil { answers.count == 2 })
    #expect(answers.last == "answered")
    daemon.isSilent = true
    call()
    #expect(try loop.runUntil { daemon.calls.filter { $0.methodName == "Show" }.count == 2 })
    daemon.stop()
    #expect(try loop.runUntil { answers.count == 3 })
    #expect(answers.last == "lost")
  }
}
