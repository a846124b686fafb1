import Testing

@testable import Geofencing

@Suite struct ScratchListTests {
  @Test func itIsFilledAnewAfterHavingBeenEmptied() {
    var list = ScratchList<FenceID>()
    for count in [3, 0, 5, 2] {
      list.removeAll()
      #expect(list.isEmpty)
      for fence in 0..<FenceID(count) { list.append(fence * 7) }
      #expect(list.count == count)
      #expect(Array(list.elements) == (0..<FenceID(count)).map { $0 * 7 })
      #expect(list.indices.map { list[$0] } == Array(list.elements))
    }
  }

  @Test func oneOfThoseThatAreEqualIsDropped() {
    var list: [FenceID] = [4, 9, 4, 2]
    let dropped = [5, 4].map { list.dropAny($0) }
    #expect(dropped == [false, true])
    #expect(list.sorted() == [2, 4, 9])
    list.dropAny(9)
    #expect(list.sorted() == [2, 4])
  }

  @Test func aFenceIsFoundWhereverItIs() {
    let list: [FenceID] = [7, 2, 9, 4, 1]
    #expect([7, 4, 1, 3].map { list.offset(of: $0) } == [0, 3, 4, nil])
    #expect(([] as [FenceID]).offset(of: 0) == nil)
  }
}
