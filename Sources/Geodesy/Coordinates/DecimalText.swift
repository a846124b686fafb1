import Bytes

/// Numbers as digits, the same in every locale.
enum DecimalText {
  /// `value` with exactly `decimals` (0…12) places, halves away from zero, the integer part padded
  /// with zeros to `width`; never a negative zero.
  static func fixed(_ value: Double, decimals: Int, width: Int = 1) -> String {
    var text = ByteWriter(capacity: 24)
    write(value, decimals: decimals, width: width, to: &text)
    return text.text
  }

  /// Adds what `fixed` answers.
  static func write(_ value: Double, decimals: Int, width: Int = 1, to text: inout ByteWriter) {
    let places = max(0, min(12, decimals))
    guard let scaled = scaled(abs(value), by: places) else { return text.add("\(value)") }
    if value < 0, scaled > 0 { text.add(UInt8(ascii: "-")) }
    write(unsigned: scaled, decimals: places, width: width, to: &text)
  }

  /// A count of units of the last place as digits with a decimal point.
  static func unsigned(_ scaled: Int, decimals: Int, width: Int = 1) -> String {
    var text = ByteWriter(capacity: 24)
    write(unsigned: scaled, decimals: decimals, width: width, to: &text)
    return text.text
  }

  private static func write(
    unsigned scaled: Int, decimals: Int, width: Int, to text: inout ByteWriter
  ) {
    let unit = power(decimals)
    text.add(decimal: scaled / unit, width: width)
    guard decimals > 0 else { return }
    text.add(UInt8(ascii: "."))
    text.add(decimal: scaled % unit, width: decimals)
  }

  /// `value · 10^decimals` rounded; nil where a `Double` has no units digit.
  static func scaled(_ value: Double, by decimals: Int) -> Int? {
    let product = (value * Double(power(decimals))).rounded()
    guard product.magnitude < 9e15 else { return nil }
    return Int(exactly: product)
  }

  /// 10 to the power of 0…12.
  static func power(_ exponent: Int) -> Int {
    (0..<max(0, min(12, exponent))).reduce(1) { product, _ in product * 10 }
  }

  /// `text` without the zeros at the end of its fraction.
  static func trimmed(_ text: String) -> String {
    guard text.contains(".") else { return text }
    var rest = Substring(text)
    while rest.last == "0" { rest.removeLast() }
    if rest.last == "." { rest.removeLast() }
    return String(rest)
  }
}
