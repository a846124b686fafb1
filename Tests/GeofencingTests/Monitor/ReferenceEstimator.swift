import Glibc

/// The estimate of `docs/explanation/how-it-decides.md` on a plane, in metres: one function, by
/// other means than the vectors of the product.
struct ReferenceEstimator {
  private var p = SIMD2(0.0, 0.0)
  private var v = SIMD2(0.0, 0.0)
  private var (p0, p1, p2, common) = (0.0, 0.0, 400.0, 0.0)
  private var last: Double?
  private var formerClaim = 0.0
  private var run: (start: SIMD2<Double>, since: Double, place: SIMD2<Double>, time: Double)?
  private var home = SIMD2(0.0, 0.0)
  private var since = 0.0
  private var (spread, scatter) = (0.0, 0.0)
  private var (away, out, awayFor, best) = (0, 0.0, 0.0, 0.0)
  private var step = 0.0
  private var (odds, way) = (0.0, 0.0)
  private var made = SIMD2(0.0, 0.0)
  private var interval = 0.0
  private var (seconds, squares, claims) = (0.0, 0.0, 0.0)
  private var (q, n) = (0.0, 0.0)
  private(set) var isResting = false
  private(set) var isSetAside = false
  private(set) var isLone = true

  var scale: Double { min(3, max(0.4, ((30 * 4 + q) / (30 + n)).squareRoot())) }
  var place: SIMD2<Double> { isResting ? home : p }
  var sigma: Double { (isResting ? scatter : p0 + common).squareRoot() }

  private func length(_ a: SIMD2<Double>) -> Double { (a * a).sum().squareRoot() }

  /// - Parameters:
  ///   - claim: 95 %; nil for none.
  ///   - speed: nil for none.
  mutating func follow(_ t: Double, _ z: SIMD2<Double>, claim: Double?, speed: Double?) {
    let e = claim ?? 20
    let sg = max(3, scale * e / 2.45)
    let r2 = sg * sg
    isSetAside = false
    guard let last else {
      (p, home, since, last, formerClaim) = (z, z, t, t, e)
      (p0, common, spread, scatter) = (r2, r2, r2, r2)
      if let speed { takeSpeed(speed) }
      return
    }
    let dt = t - last
    if e > 3 * formerClaim, dt <= min(2 * interval, 60), length(z - p) > 2 * e {
      isSetAside = true
      return
    }
    let fast = min(245, max(8, 0.7 * length(v)))
    let f = exp(-dt / 60)
    let a = 60 * (1 - f)
    let ahead = p + a * v
    let q0 =
      p0 + 2 * a * p1 + a * a * p2
      + fast * fast * 3_600 * max(0, 2 * dt / 60 - 3 + 4 * f - f * f)
    let q1 = f * (p1 + a * p2) + fast * fast * 60 * (1 - f) * (1 - f)
    let q2 = f * f * p2 + fast * fast * (1 - f * f)
    let gap = z - ahead
    let m2 = (gap * gap).sum() / (q0 + r2)
    let before = p
    if m2 > 25 {
      if let old = run, length(z - old.place) <= 5 * (sg + 3) + 100 * (t - old.time) {
        run = (old.start, old.since, z, t)
      } else {
        run = (z, t, z, t)
      }
      guard let run, t > run.since, t - run.since >= 10 * log(1 + m2) else {
        isSetAside = true
        return
      }
      isLone = false
      v = (z - run.start) / (t - run.since)
      (p, p0, p1, p2, common) = (z, r2, 0, fast * fast, r2)
    } else {
      let (k, g) = (q0 / (q0 + r2 / 2), q1 / (q0 + r2 / 2))
      (p, v) = (ahead + k * gap, f * v + g * gap)
      (p0, p1, p2) = (q0 * (1 - k), q1 * (1 - k), q2 - g * q1)
      common += k * (r2 - common)
      isLone = k > 0.9 && interval < 300
    }
    (run, self.last, formerClaim) = (nil, t, e)
    if let speed { takeSpeed(speed) }
    way = way * exp(-dt / 20) + (speed ?? 0) * min(dt, 60)
    made = made * exp(-dt / 20) + (p - before) * min(1, 60 / max(dt, 1))
    if let speed, speed * speed <= 0.08 || length(made) >= way / 2 {
      odds += min(1, max(-1, (speed * speed / 0.08 - 1) / 5)) * min(dt, 5)
      odds = min(8, max(-4, odds))
    } else {
      odds *= exp(-dt / 30)
    }
    interval = interval == 0 ? dt : interval + 0.3 * (min(dt, 4 * interval) - interval)
    weighRest(t, z, dt: dt, e: e, r2: r2, jumps: m2 > 25)
  }

  private mutating func takeSpeed(_ speed: Double) {
    let w = length(v)
    guard w > 0.1 && w * w > p2 || speed < 0.5 else {
      p2 = max(p2, 0.49 * speed * speed)
      return
    }
    let noise = 0.25 + 0.3 * 0.3 * speed * speed
    let (k, g) = (p2 / (p2 + noise), p1 / (p2 + noise))
    let change = (w > 0.1 ? speed / w : 0) * v - v
    (p, v) = (p + g * change, v + k * change)
    (p0, p1, p2) = (p0 - g * p1, p1 * (1 - k), p2 * (1 - k))
  }

  private mutating func weighRest(
    _ t: Double, _ z: SIMD2<Double>, dt: Double, e: Double, r2: Double, jumps: Bool
  ) {
    guard !jumps else {
      (home, since, spread, scatter, away, isResting, awayFor) = (z, t, r2, r2, 0, false, 0)
      (seconds, squares, claims) = (0, 0, 0)
      return
    }
    let rested = t - since
    let track = p0 + common
    let r = length(p - home)
    let z2 = r * r / (track + scatter)
    let needed = 1.5 * (track + scatter).squareRoot() / 0.3
    if away > 0 { best = min(best, track) }
    if away > 0 ? r * r < 4 * (best + scatter) : z2 < 4 {
      (away, awayFor) = (0, 0)
    } else {
      if away == 0 { (best, out, step) = (track, t, min(dt, 60)) }
      away += 1
      awayFor = away > 1 ? t - out + step : r > 800 ? max(0, min(dt, interval) - 300) : 0
    }
    var isNew = false
    if isResting {
      let far = max(min(r / 15, 5), away < 3 ? 0 : min(r / 25, 10))
      isNew = min(z2 / 2, far + awayFor / 30) + odds >= 8.5 && z2 > 2
    } else if z2 > 6 && (r > 0.3 * rested || rested < needed) || odds > 4 {
      isNew = true
    } else if rested >= needed, z2 < 4 {
      (isResting, away) = (true, 0)
    }
    if isNew {
      (home, since, spread, scatter, away, isResting, awayFor) = (p, t, r2, r2, 0, false, 0)
    }
    if z2 < 9 || !isResting, rested > 0 {
      let own = spread + max(0, scatter - r2)
      let k = max(
        own / (own + r2 * max(1, 60 / max(dt, 0.1))),
        min(60, max(0.1, dt)) / 7_200 * min(1, scatter / r2))
      home += k * (z - home)
      spread *= 1 - k
      scatter += k * (r2 - scatter)
    }
    guard isResting else {
      (seconds, squares, claims) = (0, 0, 0)
      return
    }
    isLone = false
    learn(t, min(length(z - home), 3 * scale * e), e: e, weight: min(60, max(0.1, dt)))
  }

  private mutating func learn(_ t: Double, _ distance: Double, e: Double, weight: Double) {
    seconds += weight
    squares += weight * distance * distance
    claims += weight * e * e
    guard seconds >= 60 else { return }
    if t - since > 300 { (q, n) = (q + 3 * squares / claims, n + 1) }
    (seconds, squares, claims) = (0, 0, 0)
    if n > 1_440 { (q, n) = (q * 1_440 / n, 1_440) }
  }
}
