package import Containers

extension StateTape {
  /// Exact for 285 years around 1970.
  package mutating func pass(_ value: inout Instant) {
    var number = value.microseconds
    pass(&number)
    value = Instant(microseconds: number)
  }

  package mutating func pass(_ value: inout Instant?) {
    pass(&value, blank: Instant(microseconds: 0)) { $1.pass(&$0) }
  }

  package mutating func pass(_ value: inout TimeSpan) {
    var number = value.microseconds
    pass(&number)
    value = TimeSpan(microseconds: number)
  }
}
