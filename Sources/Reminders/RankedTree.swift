/// Elements in an order that their owner gives them: put in, taken out and looked up by their rank in
/// O(log n).
///
///     var tree = RankedTree<String>()
///     tree.insert("b", at: 0)
///     tree.insert("a", at: 0)
///     tree[1]                                  // "b"
///     tree.partitionIndex { $0 >= "b" }        // 1
///
/// An AVL tree (Adelson-Velsky and Landis, 1962) in which each node knows how many are below it, all
/// nodes in one array.
///
/// Invariants: the two sides of a node differ by one in height at most; a node that is not in the
/// tree holds no element, and its number is in `vacant`.
package struct RankedTree<Element> {
  private struct Node {
    var element: Element?
    var left = RankedTree.none
    var right = RankedTree.none
    /// Of this node and all below it.
    var count: Int32 = 1
    var height: Int32 = 1
  }

  private static var none: Int32 { -1 }

  private var nodes: [Node] = []
  private var vacant: [Int32] = []
  private var root = RankedTree.none

  package init() {}

  /// The index of the first element that `belongs`, or the count, where none that does stands before
  /// one that does not. Complexity: O(log n), one call of `belongs` a level.
  package func partitionIndex(_ belongs: (Element) -> Bool) -> Int {
    var index = 0
    var place = root
    while place != Self.none {
      let node = nodes[Int(place)]
      if let element = node.element, belongs(element) {
        place = node.left
      } else {
        index += count(node.left) + 1
        place = node.right
      }
    }
    return index
  }

  /// Puts an element before the one that is at `index` now. The index must be in `0...count`.
  /// Complexity: O(log n).
  package mutating func insert(_ element: Element, at index: Int) {
    precondition(indices.contains(index) || index == count)
    let new: Int32
    if let reused = vacant.popLast() {
      new = reused
      nodes[Int(new)] = Node(element: element)
    } else {
      new = Int32(nodes.count)
      nodes.append(Node(element: element))
    }
    root = inserting(new, at: index, below: root)
  }

  /// Takes an element out. The index must be in `0..<count`. Complexity: O(log n).
  package mutating func remove(at index: Int) -> Element {
    precondition(indices.contains(index))
    let removed = node(at: index)
    root = removing(at: index, below: root)
    vacant.append(Int32(removed))
    guard let element = nodes[removed].element.take() else { preconditionFailure() }
    return element
  }

  /// Changes an element in place. Complexity: O(log n), besides `body`.
  package mutating func update<Result>(
    at index: Int, _ body: (inout Element) -> Result
  ) -> Result {
    precondition(indices.contains(index))
    let node = node(at: index)
    guard var element = nodes[node].element.take() else { preconditionFailure() }
    defer { nodes[node].element = element }
    return body(&element)
  }

  // MARK: - Balance

  private func count(_ node: Int32) -> Int { node < 0 ? 0 : Int(nodes[Int(node)].count) }

  private func height(_ node: Int32) -> Int32 { node < 0 ? 0 : nodes[Int(node)].height }

  private func node(at index: Int) -> Int {
    var index = index
    var place = root
    while true {
      let left = nodes[Int(place)].left
      let smaller = count(left)
      if index == smaller { return Int(place) }
      if index < smaller {
        place = left
      } else {
        index -= smaller + 1
        place = nodes[Int(place)].right
      }
    }
  }

  private mutating func inserting(_ new: Int32, at index: Int, below node: Int32) -> Int32 {
    guard node != Self.none else { return new }
    let smaller = count(nodes[Int(node)].left)
    if index <= smaller {
      nodes[Int(node)].left = inserting(new, at: index, below: nodes[Int(node)].left)
    } else {
      nodes[Int(node)].right = inserting(
        new, at: index - smaller - 1, below: nodes[Int(node)].right)
    }
    return balanced(node)
  }

  private mutating func removing(at index: Int, below node: Int32) -> Int32 {
    let (left, right) = (nodes[Int(node)].left, nodes[Int(node)].right)
    let smaller = count(left)
    if index < smaller {
      nodes[Int(node)].left = removing(at: index, below: left)
    } else if index > smaller {
      nodes[Int(node)].right = removing(at: index - smaller - 1, below: right)
    } else if left == Self.none {
      return right
    } else if right == Self.none {
      return left
    } else {
      // Its successor takes its place.
      var successor = right
      while nodes[Int(successor)].left != Self.none { successor = nodes[Int(successor)].left }
      let rest = removing(at: 0, below: right)
      nodes[Int(successor)].left = left
      nodes[Int(successor)].right = rest
      return balanced(successor)
    }
    return balanced(node)
  }

  /// The root of the same elements, balanced, where its two sides are and differ by two at most.
  private mutating func balanced(_ node: Int32) -> Int32 {
    let (left, right) = (nodes[Int(node)].left, nodes[Int(node)].right)
    let lean = height(left) - height(right)
    if lean > 1 {
      if height(nodes[Int(left)].left) < height(nodes[Int(left)].right) {
        nodes[Int(node)].left = rotatedLeft(left)
      }
      return rotatedRight(node)
    }
    if lean < -1 {
      if height(nodes[Int(right)].right) < height(nodes[Int(right)].left) {
        nodes[Int(node)].right = rotatedRight(right)
      }
      return rotatedLeft(node)
    }
    measure(node)
    return node
  }

  private mutating func rotatedLeft(_ node: Int32) -> Int32 {
    let top = nodes[Int(node)].right
    nodes[Int(node)].right = nodes[Int(top)].left
    nodes[Int(top)].left = node
    measure(node)
    measure(top)
    return top
  }

  private mutating func rotatedRight(_ node: Int32) -> Int32 {
    let top = nodes[Int(node)].left
    nodes[Int(node)].left = nodes[Int(top)].right
    nodes[Int(top)].right = node
    measure(node)
    measure(top)
    return top
  }

  private mutating func measure(_ node: Int32) {
    let (left, right) = (nodes[Int(node)].left, nodes[Int(node)].right)
    nodes[Int(node)].count = Int32(count(left) + count(right) + 1)
    nodes[Int(node)].height = Swift.max(height(left), height(right)) + 1
  }

  /// Whether each node's figures are those of what is below it, and its sides are balanced.
  /// Complexity: O(n). For tests.
  package var isSound: Bool {
    func check(_ node: Int32) -> (count: Int32, height: Int32)? {
      guard node != Self.none else { return (0, 0) }
      let this = nodes[Int(node)]
      guard let left = check(this.left), let right = check(this.right), this.element != nil,
        this.count == left.count + right.count + 1,
        this.height == Swift.max(left.height, right.height) + 1,
        abs(left.height - right.height) <= 1
      else { return nil }
      return (this.count, this.height)
    }
    return check(root) != nil && count + vacant.count == nodes.count
  }
}

extension RankedTree: RandomAccessCollection {
  package var startIndex: Int { 0 }
  package var endIndex: Int { count(root) }

  /// Complexity: O(log n).
  package subscript(index: Int) -> Element {
    precondition(indices.contains(index))
    guard let element = nodes[node(at: index)].element else { preconditionFailure() }
    return element
  }

  /// All of them in O(n).
  package func makeIterator() -> Iterator { Iterator(self) }

  package struct Iterator: IteratorProtocol {
    private let tree: RankedTree
    /// The nodes that come next, the next one last, each before what is on its right.
    private var path: [Int32] = []

    fileprivate init(_ tree: RankedTree) {
      self.tree = tree
      descend(from: tree.root)
    }

    private mutating func descend(from node: Int32) {
      var node = node
      while node != RankedTree.none {
        path.append(node)
        node = tree.nodes[Int(node)].left
      }
    }

    package mutating func next() -> Element? {
      guard let node = path.popLast() else { return nil }
      descend(from: tree.nodes[Int(node)].right)
      return tree.nodes[Int(node)].element
    }
  }
}
