/// An optional value that is seldom there, or seldom changed: one word in line, the value apart.
///
///     @Boxed var until: TimeStamp?
///
/// Copies share the value. A change makes a new one.
@propertyWrapper
@usableFromInline
package enum Boxed<Value> {
  case none
  indirect case some(Value)

  @inlinable
  package init(wrappedValue: Value?) { self = wrappedValue.map { .some($0) } ?? .none }

  @inlinable
  package var wrappedValue: Value? {
    get { if case .some(let value) = self { value } else { nil } }
    set { self = Boxed(wrappedValue: newValue) }
  }
}

extension Boxed: Equatable where Value: Equatable {}

extension Boxed: Hashable where Value: Hashable {}

extension Boxed: Sendable where Value: Sendable {}
