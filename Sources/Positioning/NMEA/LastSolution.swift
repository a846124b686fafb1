/// Values that a receiver does not repeat in every burst: dimension and HDOP of GSA, and the mode.
struct LastSolution: Sendable {
  private var dimension: UInt8 = 0
  private var hdop = Double.nan
  private var mode = Fix.Mode.twoD
  /// Milliseconds since the last GSA and the last mode, in epoch time. A step back adds no age.
  private var ageOfGSA = Self.never
  private var ageOfMode = Self.never
  private var lastTimeOfDay: Int32 = 0

  /// Maximum age of a GSA and a mode, milliseconds.
  private static let memory: Int64 = 10_000
  private static let never = Int64.max / 2

  /// Expires all values: another receiver may follow.
  mutating func expire() {
    ageOfGSA = Self.never
    ageOfMode = Self.never
  }

  /// Ages the values; call it for each closing epoch, in order.
  mutating func advance(to epoch: Epoch) {
    let step = Int64(max(0, CivilDay.difference(epoch.timeOfDay, lastTimeOfDay)))
    lastTimeOfDay = epoch.timeOfDay
    ageOfGSA = min(ageOfGSA + step, Self.never)
    ageOfMode = min(ageOfMode + step, Self.never)
    guard epoch.untimed.dimension > 1 || !epoch.untimed.hdop.isNaN else { return }
    if epoch.untimed.dimension > 1 { dimension = epoch.untimed.dimension }
    hdop = epoch.untimed.hdop
    ageOfGSA = 0
  }

  /// Sets mode, altitude, motion and error of a fix.
  mutating func complete(_ fix: inout Fix, from epoch: Epoch) {
    let untimed = epoch.untimed
    let isGSARecent = ageOfGSA <= Self.memory
    // A GSA without a fix beside a position belongs to the next burst, or is late.
    let dimension = untimed.dimension > 1 ? untimed.dimension : isGSARecent ? self.dimension : 0
    let hasHeight = !epoch.altitude.isNaN || untimed.altitudeIsFromFix
    if dimension > 1 || hasHeight || epoch.hasGGA {
      fix.mode = dimension == 3 || (dimension != 2 && hasHeight) ? .threeD : .twoD
      mode = fix.mode
      ageOfMode = 0
    } else if ageOfMode <= Self.memory {
      // Some receivers send GGA in every second burst only.
      fix.mode = mode
    }

    if !epoch.altitude.isNaN {
      fix.altitudeMSL = epoch.altitude
      if !epoch.separation.isNaN { fix.altitudeHAE = epoch.altitude + epoch.separation }
    } else if !untimed.altitude.isNaN {
      fix.altitudeMSL = untimed.altitude
    }
    let speed = epoch.motionIsFromRMC && !epoch.speed.isNaN ? epoch.speed : untimed.speed
    let track = epoch.motionIsFromRMC && !epoch.track.isNaN ? epoch.track : untimed.track
    if !speed.isNaN { fix.speed = speed }
    if !track.isNaN { fix.track = track }
    let hdop = untimed.hdop.isNaN && isGSARecent ? self.hdop : untimed.hdop
    fix.eph = epoch.horizontalError(source: fix.source, hdopOfGSA: hdop)
  }
}
