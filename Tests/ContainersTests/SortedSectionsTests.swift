import Containers
import Testing

/// An item that equals others of its rank.
private struct Entry: Equatable {
  let rank: Int
  let arrival: Int
}

@Suite struct SortedSectionsTests {
  private func empty() -> SortedSections<Int, Entry> {
    SortedSections(keys: <) { $0.rank < $1.rank }
  }

  @Test func sectionsAndItemsAreInOrderAndEqualsAsTheyCame() {
    var list = empty()
    list.insert(Entry(rank: 2, arrival: 0), under: 7)
    list.insert(Entry(rank: 1, arrival: 1), under: 7)
    list.insert(Entry(rank: 2, arrival: 2), under: 7)
    list.insert(Entry(rank: 1, arrival: 3), under: -1)
    list.insert(Entry(rank: 1, arrival: 4), under: 7)
    #expect(list.sections.map(\.key) == [-1, 7])
    #expect(list.sections[1].items.map(\.arrival) == [1, 4, 0, 2])
    #expect(list.count == 5)
  }

  @Test func removalTakesTheFirstMatch() {
    var list = empty()
    for arrival in 0..<4 { list.insert(Entry(rank: 1, arrival: arrival), under: 0) }
    let probe = Entry(rank: 1, arrival: -1)
    #expect(list.remove(probe, under: 0) { $0.arrival >= 2 }?.arrival == 2)
    #expect(list.remove(probe, under: 0)?.arrival == 0)
    #expect(list.remove(probe, under: 0) { $0.arrival == 9 } == nil)
    #expect(list.remove(Entry(rank: 5, arrival: 1), under: 0) == nil)
    #expect(list.remove(probe, under: 1) == nil)
    #expect(list.sections.map { $0.items.map(\.arrival) } == [[1, 3]])
    list.remove(probe, under: 0)
    list.remove(probe, under: 0)
    #expect(list.isEmpty)
    #expect(list.count == 0)
  }

  /// Against a stable sort of all that is in it.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func orderIsThatOfAStableSort(seed: UInt64) {
    var state = seed
    func random(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % Int(bound)
    }
    var list = empty()
    var model: [(key: Int, entry: Entry)] = []
    for arrival in 0..<600 {
      let key = random(6)
      let entry = Entry(rank: random(8), arrival: arrival)
      if random(12) == 0 {
        let several = (0..<random(9)).map {
          (key: random(6), item: Entry(rank: random(8), arrival: 1_000 * arrival + $0))
        }
        list.insert(contentsOf: several)
        model += several.map { ($0.key, $0.item) }
      } else if random(3) > 0 {
        list.insert(entry, under: key)
        model.append((key, entry))
      } else {
        let removed = list.remove(entry, under: key)
        let index = model.firstIndex { $0.key == key && $0.entry.rank == entry.rank }
        #expect(removed == index.map { model.remove(at: $0).entry })
      }
      #expect(list.count == model.count)
      #expect(list.sections.allSatisfy { !$0.items.isEmpty })
      #expect(list.sections.reduce(0) { $0 + $1.items.count } == list.count)
    }
    let expected = model.enumerated().sorted {
      ($0.element.key, $0.element.entry.rank, $0.offset)
        < ($1.element.key, $1.element.entry.rank, $1.offset)
    }
    #expect(list.sections.flatMap(\.items) == expected.map(\.element.entry))
  }

  @Test func ordersByProperties() {
    var list = SortedSections<String, Entry>(keys: \.count, items: \.rank)
    list.insert(Entry(rank: 3, arrival: 0), under: "long")
    list.insert(Entry(rank: 2, arrival: 1), under: "")
    list.insert(Entry(rank: 1, arrival: 2), under: "four")
    #expect(list.sections.map(\.key) == ["", "long"])
    #expect(list.sections[1].items.map(\.arrival) == [2, 0])
  }

  /// A copy is its own, and what is taken out is let go of.
  @Test func isAValue() {
    final class Token {}
    var list = SortedSections<Int, Token>(keys: <) { _, _ in false }
    weak var watched: Token?
    do {
      let token = Token()
      watched = token
      list.insert(token, under: 0)
    }
    let copy = list
    list.insert(Token(), under: 0)
    #expect(copy.count == 1 && copy.sections[0].items.count == 1)
    #expect(watched != nil)
    list = copy
    #expect(list.count == 1)
  }

  /// Sorted once: no more than a sort of all compares.
  @Test func manyAtOnceAreSortedOnce() {
    var comparisons = 0
    var list = SortedSections<Int, Int>(keys: <) {
      comparisons += 1
      return $0 < $1
    }
    list.insert(contentsOf: (0..<4096).map { ($0 % 3, $0 &* 2_654_435_761 % 4_099) })
    #expect(comparisons <= 2 * 3 * 1366 * 11)
  }

  /// Some 20 comparisons for a million items, not a million.
  @Test func searchesAreBinary() {
    var comparisons = 0
    var list = SortedSections<Int, Int>(keys: <) {
      comparisons += 1
      return $0 < $1
    }
    for item in 0..<4096 { list.insert(item, under: 0) }
    comparisons = 0
    list.insert(1000, under: 0)
    #expect(comparisons <= 13)
    comparisons = 0
    #expect(list.remove(4095, under: 0) == 4095)
    #expect(comparisons <= 15)
  }
}
