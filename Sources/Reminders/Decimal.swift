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
    // From the end. 9e15 has sixteen digits; a point and a sign, or zeros in front, are fewer than the rest.
    var text = InlineArray<32, UInt8>(repeating: 0)
    var start = text.count
    var written = 0
    repeat {
      start -= 1
      text[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: left % 10)
      left /= 10
      written += 1
      if written == decimals {
        start -= 1
        text[start] = UInt8(ascii: ".")
      }
    } while left > 0 || written <= decimals
    if scaled < 0 {
      start -= 1
      text[start] = UInt8(ascii: "-")
    }
    return String(ascii: text.span.extracting(start...))
  }
}

extension String {
  /// Copies bytes that are ASCII, where a check for UTF-8 would cost more than all the rest.
  init(ascii bytes: Span<UInt8>) {
    unsafe self.init(unsafeUninitializedCapacity: bytes.count) { room in
      for index in bytes.indices { unsafe room[index] = bytes[index] }
      return bytes.count
    }
  }
}
