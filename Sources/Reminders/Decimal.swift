/// Rounding for what people and programs read.
package enum Decimal {
  /// `value` to `digits` decimals, 0…9; the nearest double of that decimal.
  package static func rounded(_ value: Double, digits: Int) -> Double {
    var scale = 1.0
    for _ in 0..<max(0, min(9, digits)) { scale *= 10 }
    let scaled = (value * scale).rounded()
    return scaled.isFinite ? scaled / scale + 0 : value
  }
}
