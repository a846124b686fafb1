import Glibc

/// Sunrise and sunset by NOAA's solar calculations (Meeus, Astronomical Algorithms, with the
/// refraction of a sea-level horizon): to a minute between 72° of latitude, and some minutes beyond
/// (https://gml.noaa.gov/grad/solcalc/calcdetails.html).
package enum Sun {
  package enum Event: String, Sendable {
    case sunrise
    case sunset
  }

  /// Degrees from the zenith: the upper limb at the horizon, with the usual refraction.
  private static let zenith = 90.833
  private static let daySeconds = 86_400.0

  /// The next sunrise or sunset after a time.
  /// - Parameter seconds: since 1970, UTC.
  /// - Returns: the same; nil where the sun does not rise or set within two days.
  package static func next(
    _ event: Event, after seconds: Double, at position: Coordinate
  ) -> Double? {
    guard abs(seconds) < 1e11 else { return nil }
    // The day of the local mean sun that holds the time.
    let shift = position.longitude / 360 * daySeconds
    let midnight = ((seconds + shift) / daySeconds).rounded(.down) * daySeconds - shift
    let noon = midnight + daySeconds / 2
    for day in -1...2 {
      let near = noon + Double(day) * daySeconds
      if let time = time(of: event, noon: near, at: position), time > seconds { return time }
    }
    return nil
  }

  /// - Parameter noon: mean noon of the day at the place, seconds since 1970.
  private static func time(of event: Event, noon: Double, at position: Coordinate) -> Double? {
    var time = noon
    // The sun moves while it goes to the horizon: the second round is within a second.
    for _ in 0..<3 {
      let (declination, equation) = place(at: time)
      let latitude = SineCosine(degrees: position.latitude)
      let sun = SineCosine(degrees: declination)
      let cosine =
        SineCosine(degrees: zenith).cosine / (latitude.cosine * sun.cosine)
        - (latitude.sine / latitude.cosine) * (sun.sine / sun.cosine)
      guard cosine.magnitude <= 1 else { return nil }
      let angle = acos(cosine) * 180 / .pi
      let way = (event == .sunrise ? -angle : angle) / 360 * daySeconds
      time = noon - equation * 60 + way
    }
    return time
  }

  /// The sun's declination, degrees, and the equation of time, minutes.
  private static func place(at seconds: Double) -> (declination: Double, equation: Double) {
    // Centuries since 2000-01-01T12:00Z.
    let t = (seconds - 946_728_000) / (36_525 * daySeconds)
    let meanLongitude = 280.46646 + t * (36_000.76983 + t * 0.0003032)
    let anomaly = 357.52911 + t * (35_999.05029 - t * 0.0001537)
    let eccentricity = 0.016708634 - t * (0.000042037 + t * 0.0000001267)
    let one = SineCosine(degrees: anomaly)
    let center =
      one.sine * (1.914602 - t * (0.004817 + t * 0.000014))
      + SineCosine(degrees: 2 * anomaly).sine * (0.019993 - t * 0.000101)
      + SineCosine(degrees: 3 * anomaly).sine * 0.000289
    let node = SineCosine(degrees: 125.04 - 1_934.136 * t)
    let longitude = SineCosine(degrees: meanLongitude + center - 0.00569 - 0.00478 * node.sine)
    let seconds = 21.448 - t * (46.815 + t * (0.00059 - t * 0.001813))
    let obliquity = 23 + (26 + seconds / 60) / 60 + 0.00256 * node.cosine
    let declination = asin(SineCosine(degrees: obliquity).sine * longitude.sine) * 180 / .pi
    let half = SineCosine(degrees: obliquity / 2)
    let y = (half.sine / half.cosine) * (half.sine / half.cosine)
    let double = SineCosine(degrees: 2 * meanLongitude)
    let equation =
      y * double.sine - 2 * eccentricity * one.sine
      + 4 * eccentricity * y * one.sine * double.cosine
      - y * y * double.sine * double.cosine
      - 1.25 * eccentricity * eccentricity * SineCosine(degrees: 2 * anomaly).sine
    return (declination, 4 * equation * 180 / .pi)
  }
}
