package import CivilTime

/// A bound value or a column's value.
package enum SQLValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
}

extension SQLValue {
  package init(_ value: String?) { self = value.map { .text($0) } ?? .null }

  package init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }

  package init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }

  /// A number; null if not finite.
  package init(_ value: Double?) {
    self = value.flatMap { $0.isFinite ? .real($0) : nil } ?? .null
  }

  package init(_ value: Bool) { self = .integer(value ? 1 : 0) }

  /// Microseconds since 1970.
  package init(_ value: Instant?) { self.init(value?.microseconds) }

  package init(_ value: TimeSpan?) { self.init(value?.microseconds) }
}
