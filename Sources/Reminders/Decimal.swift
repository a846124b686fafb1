/// Rounding for what people and programs read.
package enum Decimal {
  /// `value` to `digits` decimals, 0…9; the nearest double of that decimal.
  package static func rounded(_ value: Double, digits: Int) -> Double {
    var scale = 1.0
    for _ in 0..<max(0, min(9, digits)) { scale *= 10 }
    let scaled = (value * scale).rounded()
    return scaled.isFinite ? scaled / scale + 0 : value
  }

  /// `value` to `digits` decimals, 0…9, without zeros at its end and without an exponent: `53.5461`,
  /// `34`.
  package static func text(_ value: Double, digits: Int) -> String {
    var decimals = max(0, min(9, digits))
    var scaled = value
    for _ in 0..<decimals { scaled *= 10 }
    scaled.round()
    // Beyond this a Double no longer counts in ones.
    guard scaled.magnitude < 9e15 else { return "\(value)" }
    var left = UInt64(scaled.magnitude)
    while decimals > 0, left % 10 == 0 {
      left /= 10
      decimals -= 1
    }
    var backwards: [UInt8] = []
    backwards.reserveCapacity(20)
    var written = 0
    repeat {
      backwards.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: left % 10))
      left /= 10
      written += 1
      if written == decimals { backwards.append(UInt8(ascii: ".")) }
    } while left > 0 || written <= decimals
    if scaled < 0 { backwards.append(UInt8(ascii: "-")) }
    backwards.reverse()
    return String(decoding: backwards, as: UTF8.self)
  }
}
