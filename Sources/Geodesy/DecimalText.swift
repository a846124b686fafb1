/// Numbers as digits, the same in every locale.
enum DecimalText {
  /// `value` with exactly `decimals` (0…12) places, halves away from zero, the integer part padded
  /// with zeros to `width`; never a negative zero.
  static func fixed(_ value: Double, decimals: Int, width: Int = 1) -> String {
    let places = max(0, min(12, decimals))
    guard let scaled = scaled(abs(value), by: places) else { return "\(value)" }
    let digits = unsigned(scaled, decimals: places, width: width)
    return value < 0 && scaled > 0 ? "-" + digits : digits
  }

  /// A count of units of the last place as digits with a decimal point.
  static func unsigned(_ scaled: Int, decimals: Int, width: Int = 1) -> String {
    let unit = power(decimals)
    let whole = padded(scaled / unit, width: width)
    return decimals > 0 ? whole + "." + padded(scaled % unit, width: decimals) : whole
  }

  /// `value · 10^decimals` rounded, or nothing where a `Double` no longer counts in ones.
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

  private static func padded(_ value: Int, width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
