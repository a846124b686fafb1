import Bytes
import Companion

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
  fileprivate struct Key: Hashable {
    let rank: Int64
    let name: String
  }

  fileprivate var key: Key { Key(rank: rank, name: text.nameKey) }
}

/// Items under headings, for people: all in order, each group with the columns that it needs.
struct GroupedListing<Item> {
  private typealias Group = (heading: Heading, items: [Item])

  private var groups: [Heading.Key: Group] = [:]
  private let precedes: (Item, Item) -> Bool

  /// - Parameter precedes: the order within a group; equal items stay in order of arrival.
  init(order precedes: @escaping (Item, Item) -> Bool) {
    self.precedes = precedes
  }

  mutating func add(_ item: Item, under heading: Heading) {
    groups[heading.key, default: (heading, [])].items.append(item)
  }

  var isEmpty: Bool { groups.isEmpty }

  /// Complexity: O(n log n).
  private var sorted: [Group] {
    groups.sorted { ($0.key.rank, $0.key.name) < ($1.key.rank, $1.key.name) }.map {
      ($0.value.heading, $0.value.items.sorted(by: precedes))
    }
  }

  /// All items, group by group.
  func forEach<E: Error>(_ body: (Item) throws(E) -> Void) throws(E) {
    for group in sorted {
      for item in group.items { try body(item) }
    }
  }

  /// - Parameter cells: the columns of an item's line.
  func print(to output: Output, cells: (Item) -> [String]) throws(Failure) {
    for (index, group) in sorted.enumerated() {
      if index > 0 { try output.line("") }
      let swatch = group.heading.color.flatMap(output.swatch).map { "\($0) " } ?? ""
      try output.line(swatch + output.bold(group.heading.text.printable))
      var table = Table()
      for item in group.items { table.add(cells(item)) }
      try output.lines(table, indent: 2)
    }
  }
}
