import Geodesy

/// What the sentences of one time stamp said, while they come in. NaN stands for "not said": these
/// values live in the hot path and are never seen outside.
struct Epoch {
  /// Which sentence a position comes from; a greater one is preferred, for it has more decimals.
  enum Rank: UInt8 {
    case none, gll, rmc, gga
  }

  /// Milliseconds of the UTC day.
  var timeOfDay: Int32 = 0
  /// The day since 1970-01-01 that a sentence of this epoch names.
  var day: Int32?
  /// Whether `day` is from an RMC that claims a fix, rather than from a ZDA.
  var dayIsFromFix = false

  var rank = Rank.none
  var latitude = 0.0
  var longitude = 0.0
  var source = Fix.Source.unknown
  /// What a sentence calls an estimate stays one, whatever the others say.
  var estimate: Fix.Source?

  var altitude = Double.nan
  var separation = Double.nan
  /// Whether a GGA or GNS has come, which says an altitude or that there is none.
  var hasGGA = false
  var speed = Double.nan
  var track = Double.nan
  /// Whether `speed` and `track` are from an RMC, which a VTG does not overrule.
  var motionIsFromRMC = false

  var untimed = Untimed()
  /// Whether what `untimed` says of speed and track is from before the first sentence with this
  /// time.
  var hasMotionAhead = false
  /// HDOP of GGA or GNS.
  var hdop = Double.nan
  /// Horizontal errors in metres, one sigma, of GST and of GBS.
  var sigmaGST = Double.nan
  var sigmaGBS = Double.nan

  /// The sentences so far, counted where the ends of bursts are learnt.
  var shape = BurstShape()

  init(timeOfDay: Int32 = 0) { self.timeOfDay = timeOfDay }

  /// Takes a position where it is better than the one there is: never the latitude of one sentence
  /// with the longitude of another. Of two sentences of one rank the first stands, except that an
  /// ordinary position replaces an estimated one.
  mutating func offer(
    _ position: (latitude: Double, longitude: Double), rank: Rank, source: Fix.Source
  ) -> Bool {
    if source.isEstimate { estimate = source }
    let better =
      self.source.isEstimate == source.isEstimate
      ? rank.rawValue > self.rank.rawValue : self.source.isEstimate || self.rank == .none
    guard better else { return false }
    latitude = position.latitude
    longitude = position.longitude
    self.rank = rank
    self.source = source
    return true
  }

  /// Horizontal error in metres, 95 %, or nil.
  ///
  /// GST and GBS give one sigma on each axis; 1.73 times their root sum is 95 % where the axes are
  /// alike. Garmin's is the circle of 50 %: 2.45/1.18 sigmas of a Rayleigh distribution. Otherwise
  /// HDOP times 19 m, or 4.75 m with corrections, gpsd's own factors (`H_UERE_NO_DGPS`,
  /// `H_UERE_WITH_DGPS`). HDOPs of 0 and of 50 or more are how receivers say that they do not know.
  func horizontalError(source: Fix.Source, hdopOfGSA: Double) -> Double? {
    if sigmaGST > 0 { return sigmaGST * 1.73 }
    if sigmaGBS > 0 { return sigmaGBS * 1.73 }
    if untimed.circularError > 0 { return untimed.circularError * (2.45 / 1.18) }
    let hdop = hdop > 0 && hdop < 50 ? hdop : hdopOfGSA
    guard hdop > 0, hdop < 50 else { return nil }
    return switch source {
    case .differential, .rtkFixed, .rtkFloat, .precise: hdop * 4.75
    default: hdop * 19
    }
  }
}

/// What the sentences without a time said: they belong to the open epoch, or, where none is open,
/// to the next one.
struct Untimed {
  /// GSA: 0 not said, 1 none, 2, 3. The greatest of several GSA, one for each constellation.
  var dimension: UInt8 = 0
  var hdop = Double.nan
  /// VTG.
  var speed = Double.nan
  var track = Double.nan
  /// A VTG has come, were it one without speed and track.
  var saysMotion = false
  /// PGRME, metres, 50 %.
  var circularError = Double.nan
  /// PGRMZ, metres.
  var altitude = Double.nan
  /// PGRMZ says that its altitude is from a three-dimensional fix.
  var altitudeIsFromFix = false

  mutating func setMotion(_ speed: Double, _ track: Double) {
    saysMotion = true
    guard !speed.isNaN else { return }
    self.speed = speed
    self.track = track
  }
}

extension Fix.Source {
  /// Whether the receiver did not measure this position.
  var isEstimate: Bool {
    switch self {
    case .deadReckoning, .simulated, .manual: true
    default: false
    }
  }
}
