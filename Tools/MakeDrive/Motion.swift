#if canImport(Glibc)
  import Glibc
#endif

/// Where the car is and how it moves, once a second.
struct Motion {
  struct State {
    var east: Double
    var north: Double
    var height: Double
    /// m/s
    var speed: Double
    /// Degrees true, 0..<360.
    var track: Double
    var isTunnel: Bool
  }

  private(set) var states: [State] = []

  /// An unhurried driver: m/s².
  private static let acceleration = 1.4
  private static let braking = 1.7
  private static let sideways = 2.4

  init(along road: Road, generator: inout SeededGenerator) {
    let samples = road.samples
    let spacing = samples.indices.map { index in
      index == 0
        ? 0
        : hypot(
          samples[index].east - samples[index - 1].east,
          samples[index].north - samples[index - 1].north)
    }
    let headings = Self.headings(of: samples)
    let speeds = Self.speeds(
      on: samples, headings: headings, spacing: spacing, generator: &generator)

    // Walk the samples and note the state at each full second.
    var clock = 0.0
    func note(_ a: Int, _ b: Int, _ share: Double, speed: Double) {
      states.append(
        State(
          east: samples[a].east + (samples[b].east - samples[a].east) * share,
          north: samples[a].north + (samples[b].north - samples[a].north) * share,
          height: samples[a].height + (samples[b].height - samples[a].height) * share,
          speed: speed, track: headings[a], isTunnel: samples[a].isTunnel))
    }
    for index in samples.indices {
      if index > 0 {
        let (from, to) = (speeds[index - 1], speeds[index])
        let duration = 2 * spacing[index] / max(0.5, from + to)
        let start = clock
        clock += duration
        while Double(states.count) < clock {
          let share = (Double(states.count) - start) / duration
          note(index - 1, index, share, speed: from + (to - from) * share)
        }
      }
      if samples[index].stop > 0 {
        clock += samples[index].stop
        while Double(states.count) < clock { note(index, index, 0, speed: 0) }
      }
    }
  }

  /// Direction of travel at every sample, degrees true, over some metres to either side.
  private static func headings(of samples: [Road.Sample]) -> [Double] {
    samples.indices.map { index in
      let a = samples[max(0, index - 3)]
      let b = samples[min(samples.count - 1, index + 3)]
      let degrees = atan2(b.east - a.east, b.north - a.north) * 180 / .pi
      return degrees < 0 ? degrees + 360 : degrees
    }
  }

  /// The quickest speed that keeps to the limits, to the comfort of passengers in a curve, and to
  /// what engine and brakes do; forwards for the one, backwards for the other.
  private static func speeds(
    on samples: [Road.Sample], headings: [Double], spacing: [Double],
    generator: inout SeededGenerator
  ) -> [Double] {
    var mood = GaussMarkov(correlationTime: 300, generator: &generator)
    var speeds = samples.indices.map { index in
      mood.step(&generator)
      let sample = samples[index]
      if sample.stop > 0 { return 0.0 }
      let before = headings[max(0, index - 5)]
      let after = headings[min(samples.count - 1, index + 5)]
      let turn = abs((after - before + 540).truncatingRemainder(dividingBy: 360) - 180)
      let curvature = turn * .pi / 180 / 10
      let inCurve = curvature > 1e-4 ? (sideways / curvature).squareRoot() : .infinity
      let temper = max(0.88, min(1.06, 1 + 0.04 * mood.value))
      return max(1.5, min(sample.limit * temper, inCurve))
    }
    for index in speeds.indices.dropFirst() {
      let reachable = speeds[index - 1] * speeds[index - 1] + 2 * acceleration * spacing[index]
      speeds[index] = min(speeds[index], reachable.squareRoot())
    }
    for index in speeds.indices.dropLast().reversed() {
      let bearable = speeds[index + 1] * speeds[index + 1] + 2 * braking * spacing[index + 1]
      speeds[index] = min(speeds[index], bearable.squareRoot())
    }
    return speeds
  }
}
