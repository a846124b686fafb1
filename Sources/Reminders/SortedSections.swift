/// Items in sections, the sections in the order of their keys and the items of each in an order of
/// their own. What neither order tells apart stays in the order of arrival.
///
///     var byDay = SortedSections<CivilDate, Reminder>(keys: <) { $0.title < $1.title }
///     byDay.insert(reminder, under: day)
///     for section in byDay.sections { … }
///     byDay.sections[2].items[7]
///
/// Both orders are strict and weak, as `sort(by:)` wants them. Two keys of which neither is before the
/// other are one key. A section without items is none.
package struct SortedSections<Key, Item> {
  package struct Section {
    package let key: Key
    /// In order; never empty. An item is found by its index in O(log n), all of them in O(n).
    package fileprivate(set) var items: RankedTree<Item>
  }

  package private(set) var sections = RankedTree<Section>()
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

  /// Keys and items in the order of one of their properties, the smallest first.
  package init<KeyRank: Comparable, ItemRank: Comparable>(
    keys: KeyPath<Key, KeyRank>, items: KeyPath<Item, ItemRank>
  ) {
    self.init(
      keys: { $0[keyPath: keys] < $1[keyPath: keys] },
      items: { $0[keyPath: items] < $1[keyPath: items] })
  }

  package var isEmpty: Bool { sections.isEmpty }

  /// Puts an item behind those of its section that are not after it.
  /// Complexity: O(log n).
  package mutating func insert(_ item: Item, under key: Key) {
    count += 1
    let index = sections.partitionIndex { !keyPrecedes($0.key, key) }
    guard index < sections.count, !keyPrecedes(key, sections[index].key) else {
      var items = RankedTree<Item>()
      items.insert(item, at: 0)
      sections.insert(Section(key: key, items: items), at: index)
      return
    }
    sections.update(at: index) { section in
      section.items.insert(item, at: section.items.partitionIndex { itemPrecedes(item, $0) })
    }
  }

  /// Takes out the first item of a section that stands where `item` would and that `isSought`
  /// accepts; nil where there is none.
  /// Complexity: O(log n), and as much for each item that is neither before nor after.
  @discardableResult
  package mutating func remove(
    _ item: Item, under key: Key, where isSought: (Item) -> Bool = { _ in true }
  ) -> Item? {
    let index = sections.partitionIndex { !keyPrecedes($0.key, key) }
    guard index < sections.count, !keyPrecedes(key, sections[index].key) else { return nil }
    let found: Item? = sections.update(at: index) { section in
      var place = section.items.partitionIndex { !itemPrecedes($0, item) }
      while place < section.items.count {
        let other = section.items[place]
        if itemPrecedes(item, other) { return nil }
        if isSought(other) { return section.items.remove(at: place) }
        place += 1
      }
      return nil
    }
    guard let found else { return nil }
    count -= 1
    if sections[index].items.isEmpty { _ = sections.remove(at: index) }
    return found
  }
}
