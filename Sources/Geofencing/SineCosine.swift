#if canImport(Glibc)
  import Glibc
#endif

/// Sine and cosine of an angle in degrees, both to 1e-15, for a fifth of the library's time.
///
/// They are those of the nearest whole degree, from a table, turned by what is left, for which three
/// terms of Taylor's series are enough.
struct SineCosine {
  let sine: Double
  let cosine: Double

  /// - Parameter degrees: −720…720.
  @inline(__always)
  init(degrees: Double) {
    // Adding 1.5 × 2⁵² rounds to whole numbers, and leaves them in the low bits.
    let shifted = degrees + 6_755_399_441_055_744
    let whole = shifted - 6_755_399_441_055_744
    let t = (degrees - whole) * (.pi / 180)
    let u = t * t
    let sineOfRest = t * (1 - u * (1 / 6.0 - u * (1 / 120.0)))
    let cosineOfRest = 1 - u * (0.5 - u * (1 / 24.0 - u * (1 / 720.0)))
    let first = Int(min(max(Int32(truncatingIfNeeded: shifted.bitPattern), -720), 720)) + 720
    let sines = SineCosine.sines.span
    let sineOfWhole = sines[first]
    let cosineOfWhole = sines[first + 90]
    sine = sineOfWhole * cosineOfRest + cosineOfWhole * sineOfRest
    cosine = cosineOfWhole * cosineOfRest - sineOfWhole * sineOfRest
  }

  /// Of −720°…810°. 12 KiB, of which places on the Earth use a quarter.
  private static let sines: [Double] = (-720...810).map { degrees in
    // To within 45° of a multiple of 90°, so that those of the multiples are exact.
    let quarter = Int((Double(degrees) / 90).rounded())
    let rest = Double(degrees - quarter * 90) * (.pi / 180)
    switch quarter & 3 {
    case 0: return sin(rest)
    case 1: return cos(rest)
    case 2: return -sin(rest)
    default: return -cos(rest)
    }
  }
}
