/// The stored properties of a value, and of the values in it, found by reflection.
///
/// Values of the model (the modules `Reminders` and `Storage`) are entered, through optionals,
/// lists, boxes and associated values. A value of another module, such as an instant, is one
/// value.
struct StoredProperties {
  struct Property {
    /// From the outermost value: `repeatChanges.zone`.
    let path: String
    /// The type and the name: `RepeatChanges.zone`.
    let name: String
    let value: Any
  }

  private(set) var all: [Property] = []

  init(of value: Any) { enter(value, path: "") }

  private mutating func enter(_ value: Any, path: String) {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional:
      for child in mirror.children { enter(child.value, path: path) }
    case .collection, .set:
      for (number, child) in mirror.children.enumerated() {
        enter(child.value, path: "\(path)[\(number)]")
      }
    case .tuple: enterMembers(of: mirror, path: path)
    case .struct, .class, .enum:
      if Self.isOfTheModel(mirror.subjectType) { enterMembers(of: mirror, path: path) }
    default: break
    }
  }

  private mutating func enterMembers(of mirror: Mirror, path: String) {
    for child in mirror.children {
      var (label, value) = (child.label ?? "?", child.value)
      let box = Mirror(reflecting: value)
      if String(reflecting: box.subjectType).hasPrefix("Containers.Boxed<") {
        label = String(label.drop { $0 == "_" })
        value = box.children.first?.value ?? Any?.none as Any
      }
      let inner = path.isEmpty ? label : "\(path).\(label)"
      all.append(Property(path: inner, name: "\(mirror.subjectType).\(label)", value: value))
      enter(value, path: inner)
    }
  }

  private static func isOfTheModel(_ type: Any.Type) -> Bool {
    let name = String(reflecting: type)
    return name.hasPrefix("Reminders.") || name.hasPrefix("Storage.")
  }

  // MARK: - Comparing

  /// The names of the properties that none of the values sets to something else than its default.
  /// - Parameter blanks: values whose properties have their defaults. Elsewhere nil, false, zero
  ///   and empty values are defaults.
  static func unset(in values: [Any], blanks: [Any]) -> [String] {
    let defaults = Dictionary(
      blanks.flatMap { StoredProperties(of: $0).all }.map { ($0.name, $0.value) },
      uniquingKeysWith: { first, _ in first })
    var isSet: [String: Bool] = [:]
    for property in values.flatMap({ StoredProperties(of: $0).all }) {
      let isDefault = defaults[property.name].map { isEqual($0, property.value) } ?? false
      isSet[property.name, default: false] =
        isSet[property.name] == true || !(isDefault || isEmpty(property.value))
    }
    return isSet.filter { !$0.value }.keys.sorted()
  }

  /// The innermost paths at which two values differ.
  static func differences(_ a: Any, _ b: Any) -> [String] {
    let (first, second) = (byPath(a), byPath(b))
    let paths = Set(first.keys).union(second.keys).filter { path in
      guard let a = first[path], let b = second[path] else { return true }
      return !isEqual(a, b)
    }
    return paths.filter { path in
      !paths.contains { $0.hasPrefix(path + ".") || $0.hasPrefix(path + "[") }
    }.sorted()
  }

  private static func byPath(_ value: Any) -> [String: Any] {
    Dictionary(StoredProperties(of: value).all.map { ($0.path, $0.value) }) { first, _ in first }
  }

  private static func isEmpty(_ value: Any) -> Bool {
    let mirror = Mirror(reflecting: value)
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { isEmpty($0.value) } ?? true
    case .collection, .set, .dictionary: return mirror.children.isEmpty
    default: break
    }
    return ["", false, 0, Int64(0), UInt32(0), 0.0].contains { isEqual($0, value) }
  }

  private static func isEqual(_ a: Any, _ b: Any) -> Bool {
    func compare<Value: Equatable>(_ a: Value) -> Bool { b as? Value == a }
    if isNil(a) || isNil(b) { return isNil(a) && isNil(b) }
    // Associated values of a case are entered, and compared one by one.
    guard let a = a as? any Equatable else { return true }
    return compare(a)
  }

  private static func isNil(_ value: Any) -> Bool {
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional && mirror.children.isEmpty
  }
}
