/// Items in sections, the sections sorted by their keys and the items of each section in an order
/// of their own. Equal items stay in the order of arrival.
///
///     var byDay = SortedSections<CivilDate, Reminder>(keys: <) { $0.title < $1.title }
///     byDay.insert(reminder, under: day)
///     for section in byDay.sections { … }
///     byDay.sections[2].items[7]
///
/// Sorted arrays with binary search. Both orders are strict and weak, as `sort(by:)` requires. Two
/// keys of which neither precedes the other are one key.
///
/// Invariants: the keys rise strictly, the items of a section never fall, and no section is empty.
package struct SortedSections<Key, Item> {
  package struct Section {
    package let key: Key
    /// In order; never empty.
    package fileprivate(set) var items: [Item]
  }

  package private(set) var sections: [Section] = []
  /// Items of all sections together.
  package private(set) var count = 0
  private let keyPrecedes: (Key, Key) -> Bool
  private let itemPrecedes: (Item, Item) -> Bool

  /// - Parameters:
  ///   - keys: whether the section of one key comes before the section of another.
  ///   - items: whether an item comes before another of its section.
  package init(keys: @escaping (Key, Key) -> Bool, items: @escaping (Item, Item) -> Bool) {
    keyPrecedes = keys
    itemPrecedes = items
  }

  /// Keys and items in the order of one of their properties, the smallest first.
  package init<KeyRank: Comparable, ItemRank: Comparable>(
    keys: KeyPath<Key, KeyRank>, items: KeyPath<Item, ItemRank>
  ) {
    self.init(
      keys: { $0[keyPath: keys] < $1[keyPath: keys] },
      items: { $0[keyPath: items] < $1[keyPath: items] })
  }

  package var isEmpty: Bool { sections.isEmpty }

  /// Inserts an item behind the items of its section that it does not precede.
  /// Complexity: O(log n) comparisons and O(n) moves.
  package mutating func insert(_ item: Item, under key: Key) {
    count += 1
    let index = sections.partitionIndex { !keyPrecedes($0.key, key) }
    guard index < sections.count, !keyPrecedes(key, sections[index].key) else {
      sections.insert(Section(key: key, items: [item]), at: index)
      return
    }
    let place = sections[index].items.partitionIndex { itemPrecedes(item, $0) }
    sections[index].items.insert(item, at: place)
  }

  /// Inserts many items in their order of arrival, as `insert` would one by one.
  /// Complexity: O(m log m + n) comparisons and moves for m new items in sections of n.
  package mutating func insert(contentsOf new: [(key: Key, item: Item)]) {
    count += new.count
    let keyed = new.sorted { keyPrecedes($0.key, $1.key) }
    var start = 0
    while start < keyed.count {
      let key = keyed[start].key
      let end = keyed[start...].firstIndex { keyPrecedes(key, $0.key) } ?? keyed.count
      let items = keyed[start..<end].map(\.item)
      let index = sections.partitionIndex { !keyPrecedes($0.key, key) }
      if index == sections.count || keyPrecedes(key, sections[index].key) {
        sections.insert(Section(key: key, items: []), at: index)
      }
      // The sort is stable.
      sections[index].items.append(contentsOf: items)
      sections[index].items.sort(by: itemPrecedes)
      start = end
    }
  }

  /// Removes the first item that equals `item` in the order of its section and that `isSought`
  /// accepts; nil where there is none.
  /// Complexity: O(log n) comparisons and O(n) moves.
  @discardableResult
  package mutating func remove(
    _ item: Item, under key: Key, where isSought: (Item) -> Bool = { _ in true }
  ) -> Item? {
    let index = sections.partitionIndex { !keyPrecedes($0.key, key) }
    guard index < sections.count, !keyPrecedes(key, sections[index].key) else { return nil }
    let items = sections[index].items
    let first = items.partitionIndex { !itemPrecedes($0, item) }
    let equals = items[first...].prefix { !itemPrecedes(item, $0) }
    guard let place = equals.firstIndex(where: isSought) else { return nil }
    count -= 1
    guard items.count > 1 else { return sections.remove(at: index).items[0] }
    return sections[index].items.remove(at: place)
  }
}

extension Array {
  /// The index of the first element that `belongs`, or the count. All elements that belong must
  /// stand behind all that do not. Complexity: O(log n).
  fileprivate func partitionIndex(_ belongs: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if belongs(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
