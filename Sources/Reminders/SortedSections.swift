/// Items in sections, the sections in the order of their keys and the items of each in an order of
/// their own. What neither order tells apart stays in the order of arrival.
///
///     var byDay = SortedSections<CivilDate, Reminder>(keys: <) { $0.title < $1.title }
///     byDay.insert(reminder, under: day)
///     for section in byDay.sections { … }
///
/// Both orders are strict and weak, as `sort(by:)` wants them. Two keys of which neither is before the
/// other are one key. A section without items is none.
package struct SortedSections<Key, Item> {
  package struct Section {
    package let key: Key
    /// In order; never empty.
    package fileprivate(set) var items: [Item]
  }

  package private(set) var sections: [Section] = []
  /// Of all sections together.
  package private(set) var count = 0
  private let keyPrecedes: (Key, Key) -> Bool
  private let itemPrecedes: (Item, Item) -> Bool

  /// - Parameters:
  ///   - keys: whether one key's section comes before another's.
  ///   - items: whether an item comes before another of its section.
  package init(
    keys: @escaping (Key, Key) -> Bool, items: @escaping (Item, Item) -> Bool
  ) {
    keyPrecedes = keys
    itemPrecedes = items
  }

  package var isEmpty: Bool { sections.isEmpty }

  /// Puts an item behind those of its section that are not after it.
  /// Complexity: O(log n) comparisons.
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

  /// Takes out the first item of a section that stands where `item` would and that `isSought`
  /// accepts; nil where there is none.
  /// Complexity: O(log n) comparisons, and one more for each item that is neither before nor after.
  @discardableResult
  package mutating func remove(
    _ item: Item, under key: Key, where isSought: (Item) -> Bool = { _ in true }
  ) -> Item? {
    let index = sections.partitionIndex { !keyPrecedes($0.key, key) }
    guard index < sections.count, !keyPrecedes(key, sections[index].key) else { return nil }
    let items = sections[index].items
    var place = items.partitionIndex { !itemPrecedes($0, item) }
    while place < items.count, !itemPrecedes(item, items[place]) {
      guard !isSought(items[place]) else {
        count -= 1
        let found = sections[index].items.remove(at: place)
        if sections[index].items.isEmpty { sections.remove(at: index) }
        return found
      }
      place += 1
    }
    return nil
  }
}

extension Array {
  /// The index of the first element that `belongs`, or the count, where none that does stands before
  /// one that does not. Complexity: O(log n).
  fileprivate func partitionIndex(_ belongs: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if belongs(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
