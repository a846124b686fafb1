/// A decimal number of a sentence; integer and fraction stay apart to avoid early rounding.
struct FieldNumber {
  var whole = 0
  /// The first nine digits or fewer after the point, as an integer.
  var fraction = 0
  /// Number of digits in `fraction`, 0…9.
  var decimals = 0
  /// Number of digits before the point.
  var digits = 0
  var hasPoint = false
  var isNegative = false

  @inline(__always)
  var value: Double {
    let scale = Self.power(decimals)
    let magnitude = Double(whole &* scale &+ fraction) / Double(scale)
    return isNegative ? -magnitude : magnitude
  }

  var milliseconds: Int {
    decimals <= 3
      ? fraction &* Self.power(3 &- decimals) : fraction / Self.power(decimals &- 3)
  }

  /// 10 to the power of `exponent`, 0…9.
  @inline(__always)
  static func power(_ exponent: Int) -> Int { powers[exponent] }

  // A table, because a branch on the number of decimals is often mispredicted.
  private static let powers: InlineArray<10, Int> = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  ]
}

/// Readers of one field each. `at` is the index of the field's first byte and is advanced to the
/// next field; after the last one every field is empty. Empty and malformed fields are both nil.
extension Span where Element == UInt8 {
  @inline(__always)
  func skipFields(_ number: Int, _ at: inout Int) {
    for _ in 0..<number {
      while at < count, self[at] != UInt8(ascii: ",") { at &+= 1 }
      at &+= 1
    }
  }

  /// A field of exactly one character; 0 where it is empty or longer.
  @inline(__always)
  func letter(_ at: inout Int) -> UInt8 {
    guard at < count, self[at] != UInt8(ascii: ",") else {
      at &+= 1
      return 0
    }
    let byte = self[at]
    at &+= 1
    if at < count, self[at] != UInt8(ascii: ",") {
      skipFields(1, &at)
      return 0
    }
    at &+= 1
    return byte
  }

  /// An optional sign, at most nine digits, and any number of decimals, of which nine are used;
  /// surrounding blanks are ignored.
  @inline(__always)
  func number(_ at: inout Int) -> FieldNumber? {
    if at &+ 8 <= count {
      let whole = digitRun(at: at)
      if whole.count > 0, whole.count < 8 {
        let end = at &+ whole.count
        if self[end] == UInt8(ascii: ",") {
          at = end &+ 1
          return FieldNumber(whole: whole.value, digits: whole.count)
        }
        if self[end] == UInt8(ascii: "."), end &+ 9 <= count {
          let fraction = digitRun(at: end &+ 1)
          let next = end &+ 1 &+ fraction.count
          if fraction.count < 8, self[next] == UInt8(ascii: ",") {
            at = next &+ 1
            return FieldNumber(
              whole: whole.value, fraction: fraction.value, decimals: fraction.count,
              digits: whole.count, hasPoint: true)
          }
        }
      } else if whole.count == 0, self[at] == UInt8(ascii: ",") {
        at &+= 1
        return nil
      }
    }
    return unusualNumber(&at)
  }

  /// Slow path: a number with a sign, many digits, near the end of the sentence, or malformed.
  @inline(never)
  private func unusualNumber(_ at: inout Int) -> FieldNumber? {
    guard at < count, self[at] != UInt8(ascii: ",") else {
      at &+= 1
      return nil
    }
    var result = FieldNumber()
    var digits = 0
    var index = at
    while index &+ 1 < count, self[index] == UInt8(ascii: " ") { index &+= 1 }
    if self[index] == UInt8(ascii: "-") || self[index] == UInt8(ascii: "+") {
      result.isNegative = self[index] == UInt8(ascii: "-")
      index &+= 1
    }
    while index < count {
      let digit = self[index] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      result.whole = result.whole &* 10 &+ Int(digit)
      digits &+= 1
      index &+= 1
      if digits > 9 { break }
    }
    if index < count, self[index] == UInt8(ascii: ".") {
      result.hasPoint = true
      index &+= 1
      while index < count {
        let digit = self[index] &- UInt8(ascii: "0")
        guard digit < 10 else { break }
        if result.decimals < 9 {
          result.fraction = result.fraction &* 10 &+ Int(digit)
          result.decimals &+= 1
        }
        index &+= 1
      }
    }
    while index < count, self[index] == UInt8(ascii: " ") { index &+= 1 }
    guard index >= count || self[index] == UInt8(ascii: ","), digits <= 9,
      digits &+ result.decimals > 0
    else {
      at = index
      skipFields(1, &at)
      return nil
    }
    at = index &+ 1
    result.digits = digits
    return result
  }

  /// A number within a range; nil where it is outside.
  @inline(__always)
  func value(_ at: inout Int, in range: ClosedRange<Double>) -> Double? {
    guard let number = number(&at) else { return nil }
    let value = number.value
    return range.contains(value) ? value : nil
  }

  /// `hhmmss`, six digits with any number of decimals: milliseconds of the UTC day.
  @inline(__always)
  func timeOfDay(_ at: inout Int) -> Int32? {
    guard let number = number(&at), !number.isNegative, number.digits == 6 else { return nil }
    return CivilDay.timeOfDay(
      hour: number.whole / 10_000, minute: number.whole / 100 % 100, second: number.whole % 100,
      millisecond: number.milliseconds)
  }

  /// `ddmmyy`, six digits, or `ddmmyyyy`: the day since 1970-01-01. Years 80…99 are 1980…1999, as
  /// in gpsd.
  @inline(__always)
  func date(_ at: inout Int) -> Int32? {
    guard let number = number(&at), !number.isNegative, !number.hasPoint else { return nil }
    switch number.digits {
    case 6:
      let year = number.whole % 100
      return CivilDay.number(
        year: year >= 80 ? 1900 + year : 2000 + year, month: number.whole / 100 % 100,
        day: number.whole / 10_000)
    case 8:
      let year = number.whole % 10_000
      guard CivilDay.writtenYears.contains(year) else { return nil }
      return CivilDay.number(
        year: year, month: number.whole / 10_000 % 100, day: number.whole / 1_000_000)
    default: return nil
    }
  }

  /// Four fields, `ddmm.mmmm,N,dddmm.mmmm,E`, in degrees; nil without a decimal point. Letters may
  /// have either case. The final division is the only rounding.
  @inline(never)
  func position(_ at: inout Int) -> (latitude: Double, longitude: Double)? {
    let latitude = number(&at)
    let northSouth = letter(&at) & ~0x20
    let longitude = number(&at)
    let eastWest = letter(&at) & ~0x20
    guard let latitude, let longitude,
      let north = Self.degrees(latitude, limit: 90),
      let east = Self.degrees(longitude, limit: 180)
    else { return nil }
    guard northSouth == UInt8(ascii: "N") || northSouth == UInt8(ascii: "S"),
      eastWest == UInt8(ascii: "E") || eastWest == UInt8(ascii: "W")
    else { return nil }
    // Adding zero turns a negative zero into zero.
    return (
      (northSouth == UInt8(ascii: "S") ? -north : north) + 0,
      (eastWest == UInt8(ascii: "W") ? -east : east) + 0
    )
  }

  @inline(__always)
  private static func degrees(_ number: FieldNumber, limit: Double) -> Double? {
    let minutes = number.whole % 100
    guard number.hasPoint, !number.isNegative, minutes < 60, number.whole < 18_100 else {
      return nil
    }
    let scale = FieldNumber.power(number.decimals)
    let scaled = (number.whole / 100 &* 60 &+ minutes) &* scale &+ number.fraction
    let degrees = Double(scaled) / Double(60 &* scale)
    return degrees <= limit ? degrees : nil
  }
}
