import Glibc

/// Sine and cosine of one angle.
struct SineCosine {
  var sine: Double
  var cosine: Double

  init(sine: Double, cosine: Double) {
    self.sine = sine
    self.cosine = cosine
  }

  /// Both to within 2e-16, and exact at multiples of 90°.
  ///
  /// The angle is split into a whole degree, from a table, and a rest of at most half a degree, for
  /// which Taylor series of three terms have full `Double` precision. The addition theorems join
  /// them, with the small part added last.
  ///
  /// - Parameter degrees: finite. Outside −720…720 the angle is first reduced by whole turns.
  @inline(__always)
  init(degrees: Double) {
    var degrees = degrees
    if !(abs(degrees) <= 720) { degrees = remainder(degrees, 360) }
    // Adding 1.5 × 2⁵² rounds to a whole number and leaves it in the low bits.
    let shifted = degrees + 6_755_399_441_055_744
    let whole = shifted - 6_755_399_441_055_744
    let t = (degrees - whole) * (.pi / 180)
    let u = t * t
    // Arranged so that few of the operations wait for each other.
    let sineOfRest = t - (t * u) * (1 / 6.0 - u * (1 / 120.0))
    let oneMinusCosine = u * 0.5 - (u * u) * (1 / 24.0 - u * (1 / 720.0))
    let index = Int(min(max(Int32(truncatingIfNeeded: shifted.bitPattern), -720), 720)) + 720
    let table = SineCosine.sines.span
    let s = table[index]
    let c = table[index + 90]
    sine = s + (c * sineOfRest - s * oneMinusCosine)
    cosine = c - (s * sineOfRest + c * oneMinusCosine)
  }

  /// The sines of −720°…810°, 12 KiB.
  private static let sines: [Double] = (-720...810).map { degrees in
    // Within 45° of a multiple of 90°, so that the multiples are exact.
    let quarter = Int((Double(degrees) / 90).rounded())
    let rest = Double(degrees - quarter * 90) * (.pi / 180)
    switch quarter & 3 {
    case 0: return sin(rest)
    case 1: return cos(rest)
    case 2: return -sin(rest)
    default: return -cos(rest)
    }
  }

  /// The pair scaled to a length of one.
  var normalized: SineCosine {
    let norm = (sine * sine + cosine * cosine).squareRoot()
    return SineCosine(sine: sine / norm, cosine: cosine / norm)
  }

  /// A compass bearing for this angle clockwise from north: degrees, 0..<360.
  var bearing: Double {
    let degrees = atan2(sine, cosine) * 180 / Double.pi
    return degrees < 0 ? min(degrees + 360, 360.0.nextDown) : degrees + 0
  }
}
