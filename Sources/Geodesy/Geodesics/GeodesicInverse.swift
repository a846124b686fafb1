import Glibc

// The inverse problem after C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87
// (2013), 43–55: §§ 4 and 5. β is the reduced latitude, α the azimuth, σ the arc on the auxiliary
// sphere, ω the longitude there; 1 and 2 are the ends, 12 what lies between.

/// One problem in the standard position.
struct InverseProblem {
  struct Solution {
    var distance: Double
    var alpha1: SineCosine
    var alpha2: SineCosine
  }

  let a: Double
  let b: Double
  let f: Double
  /// Third flattening, (a − b) / (a + b).
  let n: Double
  /// First and second eccentricity squared.
  let e2: Double
  let ep2: Double
  let phi1: Double
  let phi2: Double
  let lambdaDegrees: Double
  let lambda12: Double
  let beta1: SineCosine
  let beta2: SineCosine

  init(_ ellipsoid: Ellipsoid, phi1: Double, phi2: Double, lambda12: Double) {
    a = ellipsoid.semiMajorAxis
    b = ellipsoid.semiMinorAxis
    f = ellipsoid.flattening
    n = f / (2 - f)
    e2 = f * (2 - f)
    ep2 = e2 / (1 - e2)
    self.phi1 = phi1
    self.phi2 = phi2
    lambdaDegrees = lambda12
    self.lambda12 = lambda12 * Double.pi / 180
    let ratio = 1 - f
    func reduced(_ phi: Double) -> SineCosine {
      let s = SineCosine(degrees: phi)
      return SineCosine(sine: s.sine * ratio, cosine: s.cosine).normalized
    }
    beta1 = reduced(phi1)
    beta2 = reduced(phi2)
  }

  func solve() -> Solution {
    if lambdaDegrees == 0 || lambdaDegrees == 180 || phi1 == -90, let meridian = alongMeridian() {
      return meridian
    }
    if phi1 == 0, lambdaDegrees <= 180 * (1 - f) {
      let east = SineCosine(sine: 1, cosine: 0)
      return Solution(distance: a * lambda12, alpha1: east, alpha2: east)
    }
    return inGeneral()
  }

  /// Nothing where the meridian is not the shortest way (almost opposite points).
  func alongMeridian() -> Solution? {
    let alpha1 = SineCosine(degrees: lambdaDegrees)
    let alpha2 = SineCosine(sine: 0, cosine: 1)
    let sigma1 = SineCosine(sine: beta1.sine, cosine: alpha1.cosine * beta1.cosine)
    let sigma2 = beta2
    let arc = angle(from: sigma1, to: sigma2)
    let lengths = Lengths(epsilon: n, k2: ep2, sigma1: sigma1, sigma2: sigma2, arc: arc)
    guard arc < 1 || lengths.reduced >= 0 else { return nil }
    return Solution(distance: b * lengths.distance, alpha1: alpha1, alpha2: alpha2)
  }

  func inGeneral() -> Solution {
    let guess = sphericalGuess()
    // At six metres the error of the sphere that fits best here is far below a nanometre.
    if guess.sigma12 < 1e-6 {
      return Solution(
        distance: a * guess.w * guess.sigma12, alpha1: guess.alpha1, alpha2: guess.alpha2)
    }
    var alpha1 = guess.alpha1
    // Within three times the size of the astroid around the antipode the sphere says little.
    if Double.pi - guess.sigma12 < 3 * f * Double.pi * beta1.cosine * beta1.cosine,
      let antipodal = antipodalGuess()
    {
      alpha1 = antipodal
    }
    return refined(alpha1)
  }

  /// Newton's method on λ₁₂(α₁), which grows through the root; the root stays in a bracket
  /// that is halved whenever a step would leave it, so the search always ends.
  func refined(_ guess: SineCosine) -> Solution {
    var alpha1 = guess
    var low = SineCosine(sine: 1e-300, cosine: 1)
    var high = SineCosine(sine: 1e-300, cosine: -1)
    var trial = Trial(self, alpha1: alpha1)
    var lastStep = false
    for _ in 0..<100 {
      let error = trial.lambda12 - lambda12
      if lastStep || error == 0 { break }
      if error > 0 { high = alpha1 } else { low = alpha1 }
      let step = -error / trial.slope
      let s = sin(step)
      let c = cos(step)
      var next = SineCosine(
        sine: alpha1.sine * c + alpha1.cosine * s, cosine: alpha1.cosine * c - alpha1.sine * s
      ).normalized
      let usable =
        trial.slope > 0 && abs(step) < Double.pi && next.sine > 0
        && low.precedes(next) && next.precedes(high)
      if usable {
        lastStep = abs(error) <= 1e-14 || abs(step) <= 1e-14
      } else {
        next = SineCosine(sine: low.sine + high.sine, cosine: low.cosine + high.cosine).normalized
        guard low.precedes(next), next.precedes(high) else { break }
      }
      alpha1 = next
      trial = Trial(self, alpha1: alpha1)
    }
    let lengths = Lengths(
      epsilon: trial.epsilon, k2: trial.k2, sigma1: trial.sigma1, sigma2: trial.sigma2,
      arc: trial.arc)
    return Solution(distance: b * lengths.distance, alpha1: alpha1, alpha2: trial.alpha2)
  }
}

extension InverseProblem {
  /// The answer on the sphere that touches between the two latitudes: equations (48) and (49).
  func sphericalGuess() -> (alpha1: SineCosine, alpha2: SineCosine, sigma12: Double, w: Double) {
    let mean = (beta1.cosine + beta2.cosine) / 2
    let w = (1 - e2 * mean * mean).squareRoot()
    let omega = lambda12 / w
    let sine = sin(omega)
    let half = sin(omega / 2)
    let versine = 2 * half * half
    let difference = beta2.sine * beta1.cosine - beta2.cosine * beta1.sine
    let alpha1 = SineCosine(
      sine: beta2.cosine * sine, cosine: difference + beta2.cosine * beta1.sine * versine)
    let alpha2 = SineCosine(
      sine: beta1.cosine * sine, cosine: difference - beta1.cosine * beta2.sine * versine)
    let chord = (alpha1.sine * alpha1.sine + alpha1.cosine * alpha1.cosine).squareRoot()
    let dot = beta1.sine * beta2.sine + beta1.cosine * beta2.cosine * (1 - versine)
    guard chord > 0 else {
      return (SineCosine(sine: 1, cosine: 0), SineCosine(sine: 1, cosine: 0), atan2(0, dot), w)
    }
    // λ₁₂ near π may push ω beyond π, where the sphere would turn back.
    let forward = SineCosine(sine: max(alpha1.sine, 1e-300), cosine: alpha1.cosine)
    return (forward.normalized, alpha2.normalized, atan2(chord, dot), w)
  }

  /// The azimuth from the astroid of geodesics that surrounds the antipode: equations (53)–(57).
  func antipodalGuess() -> SineCosine? {
    let k2 = ep2 * beta1.sine * beta1.sine
    let scale = GeodesicSeries.longitude(Trial.epsilon(k2), n: n).scale
    let lambdaScale = f * Double.pi * scale * beta1.cosine
    guard lambdaScale > 0, beta1.cosine > 0 else { return nil }
    let x = (lambda12 - Double.pi) / lambdaScale
    let sum = beta2.sine * beta1.cosine + beta2.cosine * beta1.sine
    let y = min(0, asin(max(-1, min(1, sum)))) / (lambdaScale * beta1.cosine)
    if y > -1e-12, x > -1 {
      return SineCosine(sine: max(-x, 1e-300), cosine: -(max(0, 1 - x * x).squareRoot())).normalized
    }
    // The positive κ with (x / (1 + κ))² + (y / κ)² = 1; the left side falls and is convex, so
    // Newton's steps from a lower bound never overshoot.
    var kappa = max(-y, -x - 1)
    guard kappa > 0 else { return nil }
    for _ in 0..<60 {
      let p = x / (1 + kappa)
      let q = y / kappa
      let step = (p * p + q * q - 1) / (2 * (p * p / (1 + kappa) + q * q / kappa))
      guard step > kappa * 1e-12 else { break }
      kappa += step
    }
    let alpha = SineCosine(sine: max(-x / (1 + kappa), 1e-300), cosine: y / kappa)
    return alpha.normalized
  }
}

/// The geodesic that leaves point 1 at azimuth α₁, followed to the latitude of point 2.
private struct Trial {
  let alpha2: SineCosine
  let sigma1: SineCosine
  let sigma2: SineCosine
  /// σ₁₂ in radians.
  let arc: Double
  let k2: Double
  let epsilon: Double
  /// The longitude covered, in radians, and its derivative by α₁ (equation 46).
  let lambda12: Double
  let slope: Double

  /// Equation (16).
  static func epsilon(_ k2: Double) -> Double {
    let root = (1 + k2).squareRoot()
    return k2 / ((1 + root) * (1 + root))
  }

  init(_ p: InverseProblem, alpha1 given: SineCosine) {
    var alpha1 = given
    // A line along the equator would have no node to count σ from.
    if p.beta1.sine == 0, alpha1.cosine == 0 { alpha1.cosine = -1e-300 }
    let sine0 = alpha1.sine * p.beta1.cosine
    let meridional = alpha1.cosine * p.beta1.cosine
    let lateral = alpha1.sine * p.beta1.sine
    let cosine0 = (alpha1.cosine * alpha1.cosine + lateral * lateral).squareRoot()
    let gap =
      p.beta1.cosine < -p.beta1.sine
      ? (p.beta2.cosine - p.beta1.cosine) * (p.beta1.cosine + p.beta2.cosine)
      : (p.beta1.sine - p.beta2.sine) * (p.beta1.sine + p.beta2.sine)
    alpha2 =
      gap == 0
      ? SineCosine(sine: alpha1.sine, cosine: abs(alpha1.cosine))
      : SineCosine(
        sine: sine0 / p.beta2.cosine,
        cosine: max(0, meridional * meridional + gap).squareRoot() / p.beta2.cosine)
    let omega1 = SineCosine(sine: sine0 * p.beta1.sine, cosine: meridional).normalized
    let cosine2 = alpha2.cosine * p.beta2.cosine
    let omega2 = SineCosine(sine: sine0 * p.beta2.sine, cosine: cosine2).normalized
    sigma1 = SineCosine(sine: p.beta1.sine, cosine: meridional).normalized
    sigma2 = SineCosine(sine: p.beta2.sine, cosine: cosine2).normalized
    arc = angle(from: sigma1, to: sigma2)
    k2 = cosine0 * cosine0 * p.ep2
    epsilon = Trial.epsilon(k2)
    let series = GeodesicSeries.longitude(epsilon, n: p.n)
    lambda12 =
      angle(from: omega1, to: omega2)
      - p.f * sine0 * series.integral(from: sigma1, to: sigma2, arc: arc)
    if alpha2.cosine == 0 {
      slope = -2 * (1 - p.e2 * p.beta1.cosine * p.beta1.cosine).squareRoot() / p.beta1.sine
    } else {
      let lengths = Lengths(epsilon: epsilon, k2: k2, sigma1: sigma1, sigma2: sigma2, arc: arc)
      slope = lengths.reduced * (1 - p.f) / (alpha2.cosine * p.beta2.cosine)
    }
  }
}

/// Distance and reduced length, both over b: equations (7) and (38).
private struct Lengths {
  let distance: Double
  let reduced: Double

  init(epsilon: Double, k2: Double, sigma1: SineCosine, sigma2: SineCosine, arc: Double) {
    distance = GeodesicSeries.distance(epsilon).integral(from: sigma1, to: sigma2, arc: arc)
    let second = GeodesicSeries.reducedLength(epsilon).integral(from: sigma1, to: sigma2, arc: arc)
    let d1 = (1 + k2 * sigma1.sine * sigma1.sine).squareRoot()
    let d2 = (1 + k2 * sigma2.sine * sigma2.sine).squareRoot()
    reduced =
      d2 * sigma1.cosine * sigma2.sine - d1 * sigma1.sine * sigma2.cosine
      - sigma1.cosine * sigma2.cosine * (distance - second)
  }
}

/// The angle from one direction on to another, 0…π.
private func angle(from start: SineCosine, to end: SineCosine) -> Double {
  // Adding zero turns −0 into 0, which decides between −π and π.
  atan2(
    max(0, start.cosine * end.sine - start.sine * end.cosine) + 0,
    start.cosine * end.cosine + start.sine * end.sine)
}

extension SineCosine {
  /// Whether this angle of 0…π is smaller than `other`.
  fileprivate func precedes(_ other: SineCosine) -> Bool {
    cosine * other.sine > other.cosine * sine
  }
}
