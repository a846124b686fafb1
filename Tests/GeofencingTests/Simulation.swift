import CivilTime
import Geodesy
import Geofencing
import Glibc
import TestSupport

extension SeededGenerator {
  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &self)
  }

  mutating func normal() -> Double {
    let u = 1 - Double.random(in: 0..<1, using: &self)
    return (-2 * log(u)).squareRoot() * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
  }

  /// Evenly spread over the sphere.
  mutating func place() -> Coordinate {
    Coordinate(
      clampingLatitude: asin(uniform(-1...1)) * 180 / .pi,
      wrappingLongitude: uniform(-180...180))
  }
}

/// The error of a receiver at rest: a first-order Gauss–Markov process on each axis.
struct Wander {
  let sigma: Double
  let memory: Double
  private var east: Double
  private var north: Double

  init(sigma: Double, memory: Double = exp(-1 / 60.0), using random: inout SeededGenerator) {
    self.sigma = sigma
    self.memory = memory
    east = sigma * random.normal()
    north = sigma * random.normal()
  }

  mutating func step(from place: Coordinate, using random: inout SeededGenerator) -> Coordinate {
    let fresh = sigma * (1 - memory * memory).squareRoot()
    east = memory * east + fresh * random.normal()
    north = memory * north + fresh * random.normal()
    return place.moved(east: east, north: north)
  }
}

extension Coordinate {
  func moved(east: Double, north: Double) -> Coordinate {
    destination(
      bearing: atan2(east, north) * 180 / .pi, distance: (east * east + north * north).squareRoot())
  }
}

func circle(_ center: Coordinate, _ radius: Double) -> Circle {
  guard let circle = Circle(center: center, radius: radius) else {
    preconditionFailure("a radius of \(radius) m in a test")
  }
  return circle
}

func coordinate(_ latitude: Double, _ longitude: Double) -> Coordinate {
  Coordinate(clampingLatitude: latitude, wrappingLongitude: longitude)
}

/// A monitor with one fence, and the samples of a made-up receiver.
struct Rig {
  var monitor: FenceMonitor
  var transitions: [Transition] = []
  var seconds = 1_000.0

  init(policy: MonitorPolicy = MonitorPolicy()) { monitor = FenceMonitor(policy: policy) }

  /// Gives the monitor a sample `after` seconds from the last one, and returns what it decided.
  @discardableResult
  mutating func feed(
    _ position: Coordinate, after: Double = 1, eph: Double? = 5, speed: Double? = nil
  ) -> [Transition] {
    seconds += after
    let start = transitions.count
    monitor.process(
      PositionSample(time: Instant(seconds: seconds), position: position, eph: eph, speed: speed),
      into: &transitions)
    return Array(transitions[start...])
  }
}
