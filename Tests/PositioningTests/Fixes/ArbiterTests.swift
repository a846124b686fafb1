import CivilTime
import Geodesy
import Testing

@testable import Positioning

@Suite struct ArbiterTests {
  private func fix(_ source: Fix.Source = .gnss) throws -> Fix {
    let position = try #require(Coordinate(latitude: 53.5, longitude: 10))
    return Fix(time: nil, position: position, source: source)
  }

  private func second(_ seconds: Double) -> Instant { Instant(seconds: seconds) }

  @Test func keepsTheFeedItFollows() throws {
    var arbiter = Arbiter()
    for step in 0..<100 {
      #expect(arbiter.accepts(try fix(), from: FixOrigin(feed: 1), at: second(Double(step))))
      #expect(!arbiter.accepts(try fix(), from: FixOrigin(feed: 2), at: second(Double(step) + 0.5)))
    }
    #expect(arbiter.followed == FixOrigin(feed: 1))
  }

  @Test func failsOverAfterSilence() throws {
    var arbiter = Arbiter()
    #expect(arbiter.accepts(try fix(), from: FixOrigin(feed: 1), at: second(0)))
    #expect(!arbiter.accepts(try fix(), from: FixOrigin(feed: 2), at: second(3.9)))
    #expect(arbiter.accepts(try fix(), from: FixOrigin(feed: 2), at: second(4.1)))
    for time in stride(from: 5.1, through: 61, by: 1) {
      #expect(!arbiter.accepts(try fix(), from: FixOrigin(feed: 3), at: second(time)))
      #expect(arbiter.accepts(try fix(), from: FixOrigin(feed: 2), at: second(time)))
    }
    #expect(!arbiter.accepts(try fix(), from: FixOrigin(feed: 1), at: second(61.1)))
  }

  /// A receiver with drop-outs and another one beside it do not take turns.
  @Test func aReceiverThatReturnsWithinAMinuteIsFollowedAgain() throws {
    let (first, second) = (FixOrigin(feed: 1), FixOrigin(feed: 2))
    for isRemoved in [false, true] {
      var arbiter = Arbiter()
      #expect(arbiter.accepts(try fix(), from: first, at: self.second(0)))
      if isRemoved { arbiter.forget(first) }
      #expect(arbiter.accepts(try fix(), from: second, at: self.second(5)))
      #expect(arbiter.accepts(try fix(), from: second, at: self.second(59)))
      #expect(arbiter.accepts(try fix(), from: first, at: self.second(59.5)))
      #expect(!arbiter.accepts(try fix(), from: second, at: self.second(60)))
      #expect(arbiter.followed == first)
    }
  }

  /// Whoever was replaced by a better one does not return for its steadiness.
  @Test func aReceiverThatABetterOneReplacedDoesNotReturn() throws {
    var arbiter = Arbiter()
    for step in 0..<40 {
      let now = second(Double(step))
      _ = arbiter.accepts(try fix(.simulated), from: FixOrigin(feed: 1), at: now)
      _ = arbiter.accepts(try fix(), from: FixOrigin(feed: 2), at: now)
    }
    #expect(arbiter.followed == FixOrigin(feed: 2))
    #expect(!arbiter.accepts(try fix(.simulated), from: FixOrigin(feed: 1), at: second(40)))
  }

  /// However the two seconds lie to each other.
  @Test(arguments: 0..<10)
  func anotherAtOneHertzTakesOverWithinFiveSeconds(tenths: Int) throws {
    var arbiter = Arbiter()
    let shift = Double(tenths) / 10
    for step in 0..<20 {
      #expect(arbiter.accepts(try fix(), from: FixOrigin(feed: 1), at: second(Double(step))))
      let other = second(Double(step) + shift)
      #expect(!arbiter.accepts(try fix(), from: FixOrigin(feed: 2), at: other))
    }
    let taken = try (20..<40).first {
      arbiter.accepts(try fix(), from: FixOrigin(feed: 2), at: second(Double($0) + shift))
    }
    #expect(Double(try #require(taken)) + shift - 19 <= 5)
  }

  @Test func takesABetterFeedWhenItIsSteady() throws {
    var arbiter = Arbiter()
    var taken: Int?
    for step in 0..<60 {
      let now = second(Double(step))
      if arbiter.accepts(try fix(.simulated), from: FixOrigin(feed: 1), at: now) {
        #expect(taken == nil)
      }
      if arbiter.accepts(try fix(.gnss), from: FixOrigin(feed: 2), at: now), taken == nil {
        taken = step
      }
    }
    #expect(taken == 30)
  }

  @Test func aBetterFeedThatComesAndGoesIsNotTaken() throws {
    var arbiter = Arbiter()
    for step in 0..<300 {
      let now = second(Double(step))
      #expect(arbiter.accepts(try fix(.simulated), from: FixOrigin(feed: 1), at: now))
      if step % 20 < 10 {
        #expect(!arbiter.accepts(try fix(.gnss), from: FixOrigin(feed: 2), at: now))
      }
    }
  }

  @Test func aLostFeedIsReplacedAtOnce() throws {
    var arbiter = Arbiter()
    #expect(arbiter.accepts(try fix(), from: FixOrigin(feed: 1), at: second(0)))
    arbiter.forget(FixOrigin(feed: 1))
    #expect(arbiter.accepts(try fix(), from: FixOrigin(feed: 2), at: second(0.1)))
  }

  /// Forward or back: the feed that is followed keeps its patience, and no more.
  @Test(arguments: [-3600.0, 3600])
  func aClockThatIsSetDelaysNoFailover(step: Double) throws {
    var arbiter = Arbiter()
    #expect(arbiter.accepts(try fix(), from: FixOrigin(feed: 1), at: second(10_000)))
    let set = 10_000 + step
    arbiter.clockStepped(to: second(set))
    #expect(!arbiter.accepts(try fix(), from: FixOrigin(feed: 2), at: second(set + 1)))
    #expect(!arbiter.accepts(try fix(.rtkFixed), from: FixOrigin(feed: 2), at: second(set + 3)))
    #expect(arbiter.accepts(try fix(), from: FixOrigin(feed: 2), at: second(set + 4.1)))
    #expect(arbiter.followed == FixOrigin(feed: 2))
  }

  /// Two receivers at 1 Hz; the second at which the second one is taken, within ten minutes.
  private func takeover(
    _ first: (Int) throws -> Fix, _ second: (Int) throws -> Fix
  ) rethrows -> Int? {
    var arbiter = Arbiter()
    for step in 0..<600 {
      let now = self.second(10_000 + Double(step))
      _ = arbiter.accepts(try first(step), from: FixOrigin(feed: 0, device: 1), at: now)
      if arbiter.accepts(try second(step), from: FixOrigin(feed: 0, device: 2), at: now) {
        return step
      }
    }
    return nil
  }

  private func fix(
    _ source: Fix.Source = .gnss, eph: Double? = nil, at step: Int, lag: Double = 0
  ) throws -> Fix {
    var fix = try fix(source)
    fix.eph = eph
    fix.time = second(10_000 + Double(step) - lag)
    return fix
  }

  @Test(
    arguments: [
      (17, 17, nil), (17, 3, nil), (20, 6, nil), (60, 10, 30), (400, 90, 30), (40, 12, nil),
      (nil, 3, nil), (100, nil, nil),
    ] as [(Double?, Double?, Int?)])
  func onlyAMuchSmallerErrorIsAReasonToSwitch(
    _ first: Double?, _ other: Double?, _ taken: Int?
  ) throws {
    #expect(try takeover({ try fix(eph: first, at: $0) }, { try fix(eph: other, at: $0) }) == taken)
  }

  @Test func anOccasionalSmallerErrorIsNoReasonToSwitch() throws {
    let taken = try takeover(
      { try fix(eph: 100, at: $0) }, { try fix(eph: $0 % 20 == 0 ? 90 : 10, at: $0) })
    #expect(taken == nil)
  }

  /// Seconds that positions are late; hours are a wrong clock, which says nothing of age.
  @Test(
    arguments: [
      (0.3, 0.1, nil), (5, 0.1, nil), (8, 0.5, 30), (0.5, 8, nil), (7200, 0, nil), (0, -7200, nil),
    ] as [(Double, Double, Int?)])
  func afresherReceiverIsBetter(_ first: Double, _ other: Double, _ taken: Int?) throws {
    let found = try takeover({ try fix(at: $0, lag: first) }, { try fix(at: $0, lag: other) })
    #expect(found == taken)
  }

  @Test func aLateReceiverIsNotBetterForItsError() throws {
    let taken = try takeover({ try fix(eph: 80, at: $0) }, { try fix(eph: 2, at: $0, lag: 10) })
    #expect(taken == nil)
  }

  @Test func theKindOfSolutionGoesBeforeAgeAndError() throws {
    let taken = try takeover(
      { try fix(.deadReckoning, eph: 2, at: $0) }, { try fix(eph: 80, at: $0, lag: 10) })
    #expect(taken == 30)
  }

  /// RTK is lost and comes back: it is taken again once it is steady.
  @Test func theBetterReceiverIsTakenAgain() throws {
    var arbiter = Arbiter()
    var steps: [Int] = []
    for step in 0..<250 {
      let now = second(Double(step))
      if !(50..<150).contains(step) {
        _ = arbiter.accepts(try fix(.rtkFixed), from: FixOrigin(feed: 1), at: now)
      }
      if arbiter.accepts(try fix(), from: FixOrigin(feed: 2), at: now) { steps.append(step) }
    }
    #expect(steps == Array(54..<180))
  }

  @Test func devicesAndSendersAreReceiversOfTheirOwn() throws {
    var arbiter = Arbiter()
    let origins = [
      FixOrigin(feed: 1), FixOrigin(feed: 1, device: 7), FixOrigin(feed: 1, sender: 7),
    ]
    for origin in origins {
      #expect(arbiter.accepts(try fix(), from: origin, at: second(0)) == (origin == origins[0]))
    }
    arbiter.forget(feed: 1)
    #expect(arbiter.followed == nil)
    #expect(arbiter.accepts(try fix(), from: origins[2], at: second(0)))
    arbiter.forget(origins[1])
    #expect(arbiter.followed == origins[2])
  }

  /// Anyone can send datagrams: thousands of senders neither take over nor keep a better one out.
  @Test func manySendersAreBounded() throws {
    var arbiter = Arbiter()
    var taken: Int?
    for step in 0..<60 {
      let now = second(Double(step))
      _ = arbiter.accepts(try fix(.simulated), from: FixOrigin(feed: 1), at: now)
      if arbiter.accepts(try fix(), from: FixOrigin(feed: 3), at: now), taken == nil {
        taken = step
      }
      for sender in 0..<200 {
        let origin = FixOrigin(feed: 2, sender: UInt64(step * 200 + sender + 1))
        #expect(!arbiter.accepts(try fix(), from: origin, at: now))
      }
    }
    #expect(taken == 30)
  }
}
