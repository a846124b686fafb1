/// A value that its copies share: a large one, which is copied often and seldom changed.
///
///     @Shared var reminder: Reminder
///     let copy = Shared(wrappedValue: reminder)   // a value of its own
///     let same = $reminder                        // the same one: a retain in place of a copy
@propertyWrapper
struct Shared<Value: Sendable>: Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
  }

  private var box: Box

  init(wrappedValue: Value) { box = Box(wrappedValue) }

  var wrappedValue: Value {
    get { box.value }
    set { box = Box(newValue) }
  }

  var projectedValue: Self { self }
}
