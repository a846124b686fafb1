import Bytes
import Companion
import Containers

/// The heading of a group in a listing.
struct Heading {
  /// Lower ranks come first, equal ranks by text.
  var rank: Int64 = 0
  let text: String
  /// `#RRGGBB`, of a category that has one.
  var color: String?

  /// The group of a name, or the last one, of what has none.
  static func named(_ name: String?, otherwise: String) -> Heading {
    name.map { Heading(text: $0) } ?? Heading(rank: 1, text: otherwise)
  }

  /// Two spellings of one name are one group, under the first.
  static func precedes(_ a: Heading, _ b: Heading) -> Bool {
    (a.rank, a.text.nameKey) < (b.rank, b.text.nameKey)
  }
}

/// Items under headings, for people: all in order, each group with the columns that it needs.
struct GroupedListing<Item> {
  private var items: [(key: Heading, item: Item)] = []
  private let precedes: (Item, Item) -> Bool

  /// - Parameter precedes: the order within a group; equal items stay in order of arrival.
  init(order precedes: @escaping (Item, Item) -> Bool) {
    self.precedes = precedes
  }

  mutating func add(_ item: Item, under heading: Heading) { items.append((heading, item)) }

  var isEmpty: Bool { items.isEmpty }

  /// All items are sorted once. Complexity: O(n log n).
  private var sections: SortedSections<Heading, Item> {
    var sections = SortedSections(keys: Heading.precedes, items: precedes)
    sections.insert(contentsOf: items)
    return sections
  }

  /// All items, group by group.
  func forEach<E: Error>(_ body: (Item) throws(E) -> Void) throws(E) {
    for section in sections.sections {
      for item in section.items { try body(item) }
    }
  }

  /// - Parameter cells: the columns of an item's line.
  func print(to output: Output, cells: (Item) -> [String]) throws(Failure) {
    for (index, section) in sections.sections.enumerated() {
      if index > 0 { try output.line("") }
      let swatch = section.key.color.flatMap(output.swatch).map { "\($0) " } ?? ""
      try output.line(swatch + output.bold(section.key.text.printable))
      var table = Table()
      for item in section.items { table.add(cells(item)) }
      try output.lines(table, indent: 2)
    }
  }
}
