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

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
    daemon = try LoopDaemon(path: "\(folder.path)/socket", loop: loop)
  }

  /// What a helper heard.
  private final class Ear {
    var heard: [String] = []
    var missed: [String] = []
    var passedOver = 0
    var connections = 0
    var losses: [String] = []
  }

  /// A session and a follower, both of which stop at the end.
  private final class Helper {
    let session: DaemonSession
    let follower: FiringFollower

    init(_ session: DaemonSession, _ follower: FiringFollower) {
      (self.session, self.follower) = (session, follower)
    }

    func stop() {
      follower.stop()
      session.stop()
    }
  }

  private func helper(
    _ ear: Ear, name: String? = "ear", backlog: Int = .max, path: String? = nil
  ) throws -> Helper {
    let session = try DaemonSession(loop: loop) { [daemon] in path ?? daemon.path }
    let follower = try FiringFollower(session: session, loop: loop, name: name, backlog: backlog)
    follower.onFiring = { firing, isMissed, done in
      ear.heard.append(firing.id)
      if isMissed { ear.missed.append(firing.id) }
      done(.delivered)
    }
    follower.onReport = { if case .passedOver(let count) = $0 { ear.passedOver += count } }
    session.onConnection = { ear.connections += 1 }
    session.onLoss = { ear.losses.append($0) }
    follower.start()
    session.start()
    return Helper(session, follower)
  }

  @Test func firingsComeAsTheyHappen() throws {
    // What is old when one listens for the first time is history.
    daemon.fire("old")
    let ear = Ear()
    let helper = try helper(ear)
    defer { helper.stop() }
    #expect(try loop.runUntil { daemon.rows["ear"] != nil })
    for number in 0..<100 { daemon.fire("\(number)") }
    #expect(try loop.runUntil { ear.heard.count == 100 })
    #expect(ear.heard == (0..<100).map { "\($0)" })
    #expect(ear.missed.isEmpty)
    #expect(try loop.runUntil { daemon.rows["ear"]?.upto == 101 })
  }

  @Test(
    arguments: [
      (nil, ["a", "b", "c", "t"]), (Addressee(["ben"]), ["a", "c", "t"]),
      (Addressee(["anna", "me"]), ["a", "b", "c", "t"]),
      (Addressee(["anna"], isExclusive: true), ["b", "t"]),
    ] as [(Addressee?, [String])])
  func aFiringForOnePersonPassesTheOthers(addressee: Addressee?, heard: [String]) throws {
    let ear = Ear()
    let helper = try helper(ear)
    helper.follower.addressee = addressee
    defer { helper.stop() }
    #expect(try loop.runUntil { daemon.rows["ear"] != nil })
    daemon.fire("a")
    daemon.fire("b", for: "anna")
    daemon.fire("c")
    #expect(try loop.runUntil { daemon.rows["ear"]?.upto == 3 })
    let isOther = !heard.contains("c")
    #expect(daemon.rows["ear"]?.text == (isOther ? "it is for other destinations" : nil))
    daemon.test("t")
    #expect(try loop.runUntil { ear.heard.count == heard.count })
    #expect(ear.heard == heard)
  }

  @Test func missedFiringsAreReportedExactlyOnce() throws {
    let first = Ear()
    let one = try helper(first)
    #expect(try loop.runUntil { daemon.rows["ear"] != nil })
    daemon.fire("a")
    #expect(try loop.runUntil { daemon.rows["ear"]?.upto == 1 })
    one.stop()
    daemon.fire("b")
    daemon.fire("c")
    let second = Ear()
    let two = try helper(second)
    defer { two.stop() }
    #expect(try loop.runUntil { second.heard.count == 2 })
    daemon.fire("d")
    #expect(try loop.runUntil { second.heard.count == 3 })
    #expect(first.heard == ["a"])
    #expect(second.heard == ["b", "c", "d"])
    #expect(second.missed == ["b", "c"])
  }

  @Test func onlyTheLatestMissedFiringsAreReported() throws {
    daemon.rows["ear"] = ConsumerRow(name: "ear", upto: 0)
    for number in 1...9 { daemon.fire("\(number)") }
    let ear = Ear()
    let helper = try helper(ear, backlog: 3)
    defer { helper.stop() }
    #expect(try loop.runUntil { ear.heard.count == 3 })
    #expect(ear.heard == ["7", "8", "9"])
    #expect(ear.passedOver == 6)
  }

  @Test func aPageBeginsWithTheLatestAndKeepsNoRow() throws {
    for number in 1...9 { daemon.fire("\(number)") }
    let ear = Ear()
    let helper = try helper(ear, name: nil, backlog: 3)
    defer { helper.stop() }
    #expect(try loop.runUntil { ear.heard.count == 3 })
    daemon.fire("10")
    #expect(try loop.runUntil { ear.heard.count == 4 })
    #expect(ear.heard == ["7", "8", "9", "10"])
    #expect(ear.missed == ["7", "8", "9"])
    #expect(daemon.rows.isEmpty)
  }

  /// Beside the firing under way, and without a trace in the row.
  @Test func aTestFiringIsAnsweredByItsDestinationAlone() throws {
    let session = try DaemonSession(loop: loop) { [daemon] in daemon.path }
    let followers = try ["a", "b", nil].map {
      try FiringFollower(session: session, loop: loop, name: $0)
    }
    defer {
      for follower in followers { follower.stop() }
      session.stop()
    }
    var heard: [String] = []
    for follower in followers {
      follower.onFiring = { firing, _, done in
        guard firing.isTest else { return }
        heard.append(firing.id)
        done(heard.count == 1 ? .delivered : .failed("it exited with 7"))
      }
      follower.start()
    }
    session.start()
    #expect(try loop.runUntil { daemon.rows.count == 2 })
    daemon.fire("slow")
    daemon.test("t1", of: "b")
    daemon.test("t2")
    #expect(try loop.runUntil { daemon.calls.count { $0.methodName == "EndTest" } == 3 })
    let ends = daemon.calls.filter { $0.methodName == "EndTest" }.map(\.parameters)
    #expect(ends.map { $0["test"]?.string } == ["t1", "t2", "t2"])
    #expect(ends.map { $0["name"]?.string } == ["b", "a", "b"])
    #expect(ends.map { $0["text"]?.string } == [nil, "it exited with 7", "it exited with 7"])
    #expect(heard == ["t1", "t2", "t2"])
    #expect(daemon.rows.values.allSatisfy { $0.upto == 0 })
  }

  /// At most one firing is read ahead of its delivery.
  @Test func aFiringWaitsForTheOneBeforeIt() throws {
    let session = try DaemonSession(loop: loop) { [daemon] in daemon.path }
    let follower = try FiringFollower(session: session, loop: loop, name: "slow")
    defer {
      follower.stop()
      session.stop()
    }
    var waiting: [FiringFollower.Done] = []
    follower.onFiring = { _, _, done in waiting.append(done) }
    follower.start()
    session.start()
    #expect(try loop.runUntil { daemon.rows["slow"] != nil })
    daemon.fire("a")
    daemon.fire("b")
    #expect(try loop.runUntil { waiting.count == 1 })
    #expect(daemon.rows["slow"]?.upto == 0)
    waiting[0](.delivered)
    #expect(try loop.runUntil { waiting.count == 2 })
    #expect(daemon.rows["slow"]?.upto == 1)
  }

  @Test func reconnectsToARestartedDaemon() throws {
    let ear = Ear()
    let helper = try helper(ear)
    defer { helper.stop() }
    #expect(try loop.runUntil { daemon.rows["ear"] != nil })
    daemon.stop()
    #expect(try loop.runUntil { ear.losses.count == 1 })
    #expect(!helper.session.isConnected)
    let next = try LoopDaemon(path: daemon.path, loop: loop)
    defer { next.stop() }
    next.rows = daemon.rows
    next.fire("while it was away")
    #expect(try loop.runUntil { !ear.heard.isEmpty })
    #expect(ear.missed == ["while it was away"])
    #expect(ear.connections == 2)
  }

  @Test func aMissingDaemonIsReportedOnce() throws {
    let ear = Ear()
    let helper = try helper(ear, path: "/nonexistent/socket")
    defer { helper.stop() }
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
    let helper = try helper(ear)
    defer { helper.stop() }
    var answers: [String] = []
    func call() {
      helper.session.call("Show") {
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

  @Test func aFiringWithoutAReminderIsIgnored() {
    #expect(FiringNotice(["firing_id": "x"]) == nil)
  }
}
