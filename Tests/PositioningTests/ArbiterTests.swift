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
      #expect(arbiter.accepts(try fix(), from: 1, at: second(Double(step))))
      #expect(!arbiter.accepts(try fix(), from: 2, at: second(Double(step) + 0.5)))
    }
    #expect(arbiter.followed == 1)
  }

  @Test func failsOverAfterSilence() throws {
    var arbiter = Arbiter()
    #expect(arbiter.accepts(try fix(), from: 1, at: second(0)))
    #expect(!arbiter.accepts(try fix(), from: 2, at: second(4.9)))
    #expect(arbiter.accepts(try fix(), from: 2, at: second(5.1)))
    #expect(!arbiter.accepts(try fix(), from: 1, at: second(5.5)))
  }

  @Test func takesABetterFeedWhenItIsSteady() throws {
    var arbiter = Arbiter()
    var taken: Int?
    for step in 0..<60 {
      let now = second(Double(step))
      if arbiter.accepts(try fix(.simulated), from: 1, at: now) { #expect(taken == nil) }
      if arbiter.accepts(try fix(.gnss), from: 2, at: now), taken == nil { taken = step }
    }
    #expect(taken == 30)
  }

  @Test func aBetterFeedThatComesAndGoesIsNotTaken() throws {
    var arbiter = Arbiter()
    for step in 0..<300 {
      let now = second(Double(step))
      #expect(arbiter.accepts(try fix(.simulated), from: 1, at: now))
      if step % 20 < 10 { #expect(!arbiter.accepts(try fix(.gnss), from: 2, at: now)) }
    }
  }

  @Test func aFeedThatIsGoneIsReplacedAtOnce() throws {
    var arbiter = Arbiter()
    #expect(arbiter.accepts(try fix(), from: 1, at: second(0)))
    arbiter.forget(1)
    #expect(arbiter.accepts(try fix(), from: 2, at: second(0.1)))
  }

  /// Forward or back: the feed that is followed keeps its patience, and no more.
  @Test(arguments: [-3600.0, 3600])
  func aClockThatIsSetDelaysNoFailover(step: Double) throws {
    var arbiter = Arbiter()
    #expect(arbiter.accepts(try fix(), from: 1, at: second(10_000)))
    let set = 10_000 + step
    arbiter.clockStepped(to: second(set))
    #expect(!arbiter.accepts(try fix(), from: 2, at: second(set + 1)))
    #expect(!arbiter.accepts(try fix(.rtkFixed), from: 2, at: second(set + 4)))
    #expect(arbiter.accepts(try fix(), from: 2, at: second(set + 5.1)))
    #expect(arbiter.followed == 2)
  }
}
