import Testing

@testable import Reminders

/// What few reminders have is kept apart, and nobody can tell.
@Suite struct SeldomTests {
  private struct Holder: Equatable {
    @Seldom var words: [String]?
    var number = 0

    init(_ words: [String]?) { self.words = words }

    var isThere: Bool { _words.isThere }
  }

  @Test func whatIsSetIsRead() {
    var one = Holder(nil)
    #expect(one.words == nil && !one.isThere)
    one.words = ["a"]
    #expect(one.words == ["a"] && one.isThere)
    one.words?.append("b")
    #expect(one.words == ["a", "b"])
    one.words = nil
    #expect(one.words == nil && !one.isThere)
  }

  @Test func aCopyIsAnother() {
    let one = Holder(["a"])
    var other = one
    other.words?.append("b")
    #expect(one.words == ["a"] && other.words == ["a", "b"])
  }

  @Test func equalIsWhatHoldsEqualValues() {
    let one = Holder(["a"])
    let copy = one
    #expect(one == copy)
    #expect(one == Holder(["a"]))
    #expect(one != Holder(["b"]))
    #expect(one != Holder(nil))
    #expect(Holder(nil) == Holder(nil))
  }
}
