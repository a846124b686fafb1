import CivilTime
import Geodesy
import Geofencing
import Glibc
import TestSupport

/// A receiver by the formulas of `docs/explanation/how-it-decides.md`, computed from its whole
/// history at each sample: nothing is maintained that could be summed up anew.
struct ReferenceReceiver {
  struct Believed {
    let t: Double
    let sample: PositionSample
    let place: SIMD3<Double>
    /// Metres from the sample before.
    let step: Double
    let interval: Double
  }

  struct Rest {
    var since: Double?
    var weight = 0.0
    var mean = SIMD3<Double>()
    var block: (start: Double, w: Double, r: Double, e: Double, x: SIMD3<Double>)?
  }

  private(set) var all: [Believed] = []
  /// Where the samples since the last takeover begin.
  private(set) var first = 0
  private var suspects: [PositionSample] = []
  private var trail: [Int] = []
  private var slow = -Double.infinity
  /// Speeds that no average has counted yet, and the time of the last average.
  private var speeds: [Double] = []
  private var averaged = -Double.infinity
  private var ways: [Double] = []
  private(set) var rest = Rest()
  private(set) var blocks: [Double] = []
  private(set) var error = 0.0
  private(set) var isMoving = false
  private(set) var isSettled = false

  var last: Believed? { all.count > first ? all.last : nil }
  var earlier: Believed? { all.count > first + 1 ? all[all.count - 2] : nil }

  var scale: Double {
    var (q, n) = (0.0, 0.0)
    for block in blocks {
      (q, n) = (q + block, n + 1)
      if n > 1_440 { (q, n) = (q * 1_440 / n, 1_440) }
    }
    return min(3, max(0.4, ((60 * 4 + q) / (60 + n)).squareRoot()))
  }

  /// The usual interval before the last sample: each moves it by an eighth, three of it at most.
  var usualInterval: Double {
    var usual = 0.0
    for sample in all.dropLast() where sample.interval > 0 {
      let step = min(sample.interval, 3 * usual) - usual
      usual = usual > 0 ? usual + step / 8 : sample.interval
    }
    return usual
  }

  mutating func takeOver(from other: ReferenceReceiver) {
    rest = Rest(since: other.rest.since)
    first = all.count
    suspects = []
    (isMoving, isSettled, error) = (other.isMoving, other.isSettled, other.error)
  }

  /// The scale alone.
  func withoutTrack() -> ReferenceReceiver {
    var fresh = ReferenceReceiver()
    fresh.blocks = blocks
    return fresh
  }

  static func vector(_ position: Coordinate) -> SIMD3<Double> {
    let (a, b) = (position.latitude * .pi / 180, position.longitude * .pi / 180)
    return SIMD3(cos(a) * cos(b), cos(a) * sin(b), sin(a))
  }

  private static func metres(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
    ((a - b) * (a - b)).sum().squareRoot() * 6_371_008.8
  }

  static func claim(_ sample: PositionSample) -> Double {
    if let eph = sample.eph, eph > 0 { return eph }
    return 25
  }

  private static func isPlausible(_ a: PositionSample, _ b: PositionSample) -> Bool {
    var speed = 100.0
    if let x = a.speed, let y = b.speed { speed = max(100, min(350, 1.5 * min(x, y))) }
    let errors = min(claim(a) + claim(b), 50)
    return a.position.distance(to: b.position) <= speed * (b.time - a.time).seconds + errors
  }

  enum Belief { case follows, anew, aside }

  mutating func believe(_ sample: PositionSample) -> Belief {
    guard let last else { return .anew }
    if Self.isPlausible(last.sample, sample) {
      suspects = []
      return .follows
    }
    if let jump = suspects.last, Self.isPlausible(jump, sample) || suspects.count == 2 {
      suspects = []
      return .anew
    }
    suspects.append(sample)
    return .aside
  }

  mutating func follow(_ sample: PositionSample, isAnew: Bool) {
    let t = sample.time.seconds
    let place = Self.vector(sample.position)
    let interval = last.map { (sample.time - $0.sample.time).seconds } ?? 0
    let step = last.map { Self.metres($0.place, place) } ?? 0
    if isAnew, last != nil { rest = Rest(since: t) }
    error = scale * Self.claim(sample)
    all.append(Believed(t: t, sample: sample, place: place, step: step, interval: interval))
    isMoving = moves(sample, t, place, interval)
    if trail.last.map({ t - all[$0].t >= 7.99 - 1e-7 }) ?? true { trail.append(all.count - 1) }
    if isMoving || interval > 900 {
      rest = Rest(since: t)
    } else {
      addToRest(t, place, interval, Self.claim(sample))
    }
    isSettled = rest.since.map { t - $0 >= 300 - 1e-7 } ?? false
  }

  private mutating func moves(
    _ sample: PositionSample, _ t: Double, _ place: SIMD3<Double>, _ interval: Double
  ) -> Bool {
    let points = trail.suffix(9)
    if trail.isEmpty { slow = t }
    if let speed = sample.speed {
      ways.append((ways.last ?? 0) + speed * min(interval, 60))
      speeds.append(speed)
      if t - averaged >= 0.95 - 1e-7 {
        if speeds.reduce(0, +) / Double(speeds.count) < 1 { slow = t }
        (averaged, speeds) = (t, [])
      }
      if t - slow >= 8 - 1e-7 {
        for i in points {
          let age = t - all[i].t
          guard all[i].t >= slow, age >= 4 - 1e-7, age <= max(16, 2.2 * interval) + 1e-7 else {
            continue
          }
          let way = ways[ways.count - 1] - ways[i]
          if Self.metres(all[i].place, place) >= max(4, way / 2) { return true }
        }
      }
    } else {
      ways.append(ways.last ?? 0)
      (slow, averaged, speeds) = (t, t, [])
    }
    let limit = max(3 * error, sample.speed == nil ? 50 : 150)
    if let since = rest.since, t - since >= 300 - 1e-7, rest.weight > 0,
      Self.metres(rest.mean, place) <= limit
    {
      return false
    }
    for i in points where t - all[i].t <= max(64, 3.2 * interval) + 1e-7 {
      let largest = all[(i + 1)...].map(\.step).max() ?? 0
      if Self.metres(all[i].place, place) - largest > limit { return true }
    }
    return false
  }

  private mutating func addToRest(
    _ t: Double, _ place: SIMD3<Double>, _ interval: Double, _ claim: Double
  ) {
    if rest.since == nil { rest.since = t }
    let w = min(60, max(0.1, interval))
    if rest.weight > 0 {
      var block = rest.block ?? (t, 0, 0, 0, SIMD3())
      let r = min(Self.metres(rest.mean, place), 3 * error)
      block.w += w
      block.r += w * r * r
      block.e += w * claim * claim
      block.x += w * place
      rest.block = block
    }
    rest.weight = min(7_200, rest.weight + w)
    rest.mean += (place - rest.mean) * (w / rest.weight)
    guard let block = rest.block, t - block.start >= 60 - 1e-7 else { return }
    rest.block = nil
    if Self.metres(block.x / block.w, rest.mean) > 2 * error {
      rest = Rest(since: t)
    } else if let since = rest.since, t - since >= 600 - 1e-7 {
      blocks.append(3 * block.r / block.e)
    }
  }
}
