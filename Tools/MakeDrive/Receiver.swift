import Geodesy

#if canImport(Glibc)
  import Glibc
#endif

/// What a u-blox M9 in a car would have made of the drive: errors that wander, dilution that
/// follows the streets, silence in the tunnel, and a bad second or two after it.
struct Receiver {
  struct Epoch {
    struct Solution {
      var position: Coordinate
      var isThreeD: Bool
      var heightMSL: Double
      /// m/s
      var speed: Double
      /// Degrees true; nil where the car is too slow to tell.
      var track: Double?
      var hdop: Double
      var vdop: Double
      /// 1-sigma errors in metres.
      var sigmaHorizontal: Double
      var sigmaVertical: Double
      var usedGPS: [Int]
      var usedGalileo: [Int]
    }

    /// Nil where the receiver has no fix.
    var solution: Solution?
    /// GPS satellites above the horizon with their signal, dB-Hz; 0 where not tracked.
    var view: [(satellite: Satellite, signal: Int)]
  }

  struct Satellite {
    let number: Int
    let elevation: Int
    let azimuth: Int
  }

  /// GPS above Hamburg; half an hour hardly moves them.
  private static let sky: [Satellite] = [
    Satellite(number: 5, elevation: 31, azimuth: 66),
    Satellite(number: 11, elevation: 12, azimuth: 34),
    Satellite(number: 13, elevation: 63, azimuth: 118),
    Satellite(number: 14, elevation: 9, azimuth: 151),
    Satellite(number: 15, elevation: 74, azimuth: 232),
    Satellite(number: 18, elevation: 21, azimuth: 276),
    Satellite(number: 20, elevation: 17, azimuth: 112),
    Satellite(number: 23, elevation: 36, azimuth: 297),
    Satellite(number: 24, elevation: 44, azimuth: 171),
    Satellite(number: 29, elevation: 28, azimuth: 214),
    Satellite(number: 30, elevation: 6, azimuth: 340),
  ]

  private static let galileo = [2, 7, 8, 13, 15, 21, 26, 30]

  /// Horizontal error per axis at HDOP 1, metres.
  private static let sigma = 2.5
  /// Seconds under the sky before a position comes back.
  private static let reacquisition = 3
  /// Poor fixes after that.
  private static let poorFixes = 4

  private var generator: SeededGenerator
  private var errorEast: GaussMarkov
  private var errorNorth: GaussMarkov
  private var errorUp: GaussMarkov
  private var dilution: GaussMarkov
  /// Seconds under the sky since the tunnel, or since long ago.
  private var underSky = 3600

  init(generator: SeededGenerator) {
    var generator = generator
    errorEast = GaussMarkov(correlationTime: 60, generator: &generator)
    errorNorth = GaussMarkov(correlationTime: 60, generator: &generator)
    errorUp = GaussMarkov(correlationTime: 90, generator: &generator)
    dilution = GaussMarkov(correlationTime: 40, generator: &generator)
    self.generator = generator
  }

  mutating func observe(_ truth: Motion.State, on road: Road) -> Epoch {
    errorEast.step(&generator)
    errorNorth.step(&generator)
    errorUp.step(&generator)
    dilution.step(&generator)
    let flicker = (0..<Self.sky.count).map { _ in generator.nextNormal() }
    let whiteEast = generator.nextNormal()
    let whiteNorth = generator.nextNormal()
    let noiseSpeed = generator.nextNormal()
    let noiseTrack = generator.nextNormal()

    underSky = truth.isTunnel ? 0 : min(3600, underSky + 1)
    guard underSky > Self.reacquisition else {
      return Epoch(solution: nil, view: Self.sky.map { ($0, 0) })
    }
    let poor = max(0, Self.reacquisition + Self.poorFixes + 1 - underSky)

    let hdop: Double
    if poor > 0 {
      hdop = 2.1 + 1.4 * Double(poor)
    } else {
      hdop = max(0.7, min(1.6, 0.95 + 0.22 * dilution.value))
    }
    // Multipath of the portal's walls pushes the first positions sideways.
    let push = Double(poor * poor) * 2.5
    let sigma = Self.sigma * hdop
    let east = truth.east + errorEast.value * min(sigma, 4) + 0.15 * whiteEast + push
    let north = truth.north + errorNorth.value * min(sigma, 4) + 0.15 * whiteNorth - push / 2

    let view = Self.sky.indices.map { index in
      let satellite = Self.sky[index]
      let shade = 6 * (min(hdop, 1.6) - 0.95)
      let strength = 28 + Double(satellite.elevation) / 4 + 2 * flicker[index] - shade
      let signal = Int(strength.rounded())
      return (satellite: satellite, signal: signal > 24 ? signal : 0)
    }
    // The weaker the geometry, the fewer satellites are in the solution.
    let usable = poor > 0 ? 3 + (Self.poorFixes - poor) : 14 - Int(((hdop - 0.7) * 7).rounded())
    let byStrength = view.filter { $0.signal > 0 }.sorted {
      ($0.signal, $1.satellite.number) > ($1.signal, $0.satellite.number)
    }
    let gps = byStrength.prefix(max(3, min(9, (usable * 3 + 2) / 5))).map(\.satellite.number)
    let galileo = poor > 0 ? [] : Self.galileo.prefix(max(0, usable - gps.count))

    let speed = max(0, truth.speed + 0.05 * noiseSpeed)
    let track = truth.track + noiseTrack * min(20, 0.4 * 180 / .pi / max(1, truth.speed * 4))
    return Epoch(
      solution: Epoch.Solution(
        position: road.position(east: east, north: north), isThreeD: poor < Self.poorFixes - 1,
        heightMSL: truth.height + 1.5 + 4 * errorUp.value * max(1, hdop / 2), speed: speed,
        track: speed < 0.6 ? nil : (track + 360).truncatingRemainder(dividingBy: 360),
        hdop: hdop, vdop: hdop * 1.5, sigmaHorizontal: sigma + push * 0.6,
        sigmaVertical: sigma * 1.7, usedGPS: gps.sorted(), usedGalileo: Array(galileo)),
      view: view)
  }
}
