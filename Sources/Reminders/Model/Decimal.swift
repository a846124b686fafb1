package import Bytes

/// Decimal rounding and formatting.
package enum Decimal {
  /// `value` rounded to `digits` decimals, 0…9: the nearest double to that decimal.
  package static func rounded(_ value: Double, digits: Int) -> Double {
    var scale = 1.0
    for _ in 0..<max(0, min(9, digits)) { scale *= 10 }
    let scaled = (value * scale).rounded()
    return scaled.isFinite ? scaled / scale + 0 : value
  }

  /// `value` to `digits` decimals, 0…9, without trailing zeros or an exponent: `53.5461`, `34`.
  package static func text(_ value: Double, digits: Int) -> String {
    var text = ByteWriter(capacity: 24)
    write(value, digits: digits, to: &text)
    return text.text
  }

  /// Appends the result of `text`.
  package static func write(_ value: Double, digits: Int, to text: inout ByteWriter) {
    var decimals = max(0, min(9, digits))
    var scaled = value
    var unit = 1
    for _ in 0..<decimals {
      scaled *= 10
      unit *= 10
    }
    scaled.round()
    // From here on a Double has no units digit.
    guard scaled.magnitude < 9e15 else { return text.add("\(value)") }
    var left = Int(scaled.magnitude)
    while decimals > 0, left % 10 == 0 {
      left /= 10
      unit /= 10
      decimals -= 1
    }
    if scaled < 0 { text.add(UInt8(ascii: "-")) }
    text.add(decimal: left / unit)
    guard decimals > 0 else { return }
    text.add(UInt8(ascii: "."))
    text.add(decimal: left % unit, width: decimals)
  }
}
