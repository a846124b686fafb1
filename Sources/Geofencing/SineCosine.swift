/// Sine and cosine of an angle in degrees, both to 2e-15, for a third of the library's time.
///
/// The angle is reduced to within 45° of a multiple of 90°, where Taylor's series needs few terms;
/// they are summed in pairs, which keeps the chain of dependent operations short.
struct SineCosine {
  let sine: Double
  let cosine: Double

  /// - Parameter degrees: −720…720.
  @inline(__always)
  init(degrees: Double) {
    // Adding 1.5 × 2⁵² rounds to whole numbers.
    let shifted = degrees * (1 / 90.0) + 6_755_399_441_055_744
    let quarter = shifted - 6_755_399_441_055_744
    let t = (degrees - quarter * 90) * (.pi / 180)
    let u = t * t
    let u2 = u * u
    let u4 = u2 * u2
    let s0 = 1 - u * (1 / 6.0)
    let s1 = 1 / 120.0 - u * (1 / 5_040.0)
    let s2 = 1 / 362_880.0 - u * (1 / 39_916_800.0)
    let s3 = 1 / 6_227_020_800.0 - u * (1 / 1_307_674_368_000.0)
    let sine = t * ((s0 + u2 * s1) + u4 * (s2 + u2 * s3))
    let c0 = 1 - u * 0.5
    let c1 = 1 / 24.0 - u * (1 / 720.0)
    let c2 = 1 / 40_320.0 - u * (1 / 3_628_800.0)
    let c3 = 1 / 479_001_600.0 - u * (1 / 87_178_291_200.0)
    let cosine = (c0 + u2 * c1) + u4 * (c2 + u2 * c3)
    // The last bits of the shifted sum are the quarter's number.
    let turn = shifted.bitPattern
    let isOdd = turn & 1 != 0
    let first = isOdd ? cosine : sine
    let second = isOdd ? sine : cosine
    self.sine = turn & 2 != 0 ? -first : first
    self.cosine = (turn &+ 1) & 2 != 0 ? -second : second
  }
}
