/// A value that few have, kept apart from what has it: there it takes the 8 bytes of a reference, however large it is.
///
/// A reminder is copied, moved and destroyed several times for one firing, and most have neither an area nor a rule.
/// Copies share the value until one of them is given another.
@propertyWrapper
package struct Seldom<Value: Equatable & Sendable>: Equatable, Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box?

  package init(wrappedValue: Value?) { box = wrappedValue.map(Box.init) }

  package var wrappedValue: Value? {
    get { box?.value }
    set { box = newValue.map(Box.init) }
  }

  /// Whether there is one; asks for no copy of it. Complexity: O(1).
  package var isThere: Bool { box != nil }

  package static func == (a: Self, b: Self) -> Bool {
    a.box === b.box || a.wrappedValue == b.wrappedValue
  }
}
