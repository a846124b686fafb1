package import Bytes

/// Lengths as people type and read them.
package enum Length {
  /// Reads a length of zero or more, in metres unless a unit follows: m, km, nmi (also NM), cable
  /// (a tenth of it), fathom, ft, yd, mi, spelled out or not. `150`, `1.5km`, `0.1 nmi`, `200ft`. A
  /// decimal comma will do, unless three digits follow it, when it could part thousands.
  ///
  /// The foot is the international one (0.3048 m), the mile 1609.344 m, the nautical mile 1852 m.
  package static func metres(parsing text: String) throws(LengthError) -> Double {
    let scalars = Array(text.unicodeScalars.prefix(65))
    guard scalars.count <= 64 else { throw LengthError(.badNumber, at: 65) }
    var cursor = TextCursor(scalars)
    cursor.skipSpaces()
    cursor.dropTrailingSpaces()
    guard let first = cursor.peek() else { throw LengthError(.empty, at: 1) }
    guard !first.isMinus else { throw LengthError(.negative, at: cursor.position) }
    _ = cursor.take("+")
    let digits: Digits
    let start = cursor.position
    do throws(CoordinateError) {
      digits = try cursor.takeNumber(points: [".", ","])
    } catch {
      throw LengthError(.badNumber, at: error.position)
    }
    let decimal = scalars.dropFirst(start - 1).dropFirst(digits.whole.utf8.count).first
    guard decimal != "," || digits.fraction.utf8.count != 3 else {
      throw LengthError(.ambiguousComma, at: start + digits.whole.utf8.count)
    }
    cursor.skipSpaces()
    let position = cursor.position
    let unit = cursor.takeRest()
    // A capital M stands for nautical miles in one trade and for miles in another.
    guard unit != "M", let factor = factors[unit.lowercased()] else {
      throw LengthError(.unknownUnit, at: position)
    }
    return digits.value * factor
  }

  /// A length for people, `unknown` for NaN. Metric: whole metres below a kilometre, then `2.3 km`,
  /// whole kilometres from 100.
  package static func formatted(metres: Double, in units: LengthUnits = .metric) -> String {
    var text = ByteWriter(capacity: 16)
    write(metres: metres, in: units, to: &text)
    return text.text
  }

  /// Adds the text of `formatted`.
  package static func write(
    metres: Double, in units: LengthUnits = .metric, to text: inout ByteWriter
  ) {
    guard metres.isFinite else { return text.add("unknown") }
    let (small, large) = (units.small, units.large)
    if abs(metres) < units.largeFrom {
      DecimalText.write(metres / small.metres, decimals: 0, to: &text)
      text.add(small.name)
    } else {
      let value = metres / large.metres
      DecimalText.write(value, decimals: abs(value) < 99.95 ? 1 : 0, to: &text)
      text.add(large.name)
    }
  }

  private static let factors: [String: Double] = {
    let names: [(Double, [String])] = [
      (1, ["", "m", "metre", "metres", "meter", "meters"]),
      (1000, ["km", "kilometre", "kilometres", "kilometer", "kilometers"]),
      (1852, ["nmi", "nm", "nautical mile", "nautical miles"]),
      (185.2, ["cable", "cables"]), (1.8288, ["fathom", "fathoms"]),
      (0.3048, ["ft", "foot", "feet"]),
      (0.9144, ["yd", "yard", "yards"]),
      (1609.344, ["mi", "mile", "miles"]),
    ]
    var factors: [String: Double] = [:]
    for (factor, spellings) in names {
      for spelling in spellings { factors[spelling] = factor }
    }
    return factors
  }()
}

/// Why a text is not read as a length, and where.
package struct LengthError: Error, Hashable, CustomStringConvertible {
  /// The kind of fault; `LengthError.description` describes it.
  package enum Reason: Hashable, Sendable {
    case empty, negative, badNumber, ambiguousComma, unknownUnit
  }

  package let reason: Reason
  /// The character (Unicode scalar) of the text where it goes wrong, counted from 1.
  package let position: Int

  init(_ reason: Reason, at position: Int) {
    self.reason = reason
    self.position = position
  }

  /// One sentence for people.
  package var description: String {
    switch reason {
    case .empty: "no length given; write it like 150m"
    case .negative: "at character \(position): a length cannot be negative; leave out the minus"
    case .badNumber: "at character \(position): not a number; write a length like 150 or 1.5km"
    case .ambiguousComma:
      "at character \(position): a comma before three digits could part thousands; use a point"
    case .unknownUnit:
      "at character \(position): not a unit of length; use m, km, nmi, ft, yd or mi"
    }
  }
}
