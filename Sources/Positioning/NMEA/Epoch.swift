import Geodesy

/// The values of one time stamp's sentences. NaN means absent, for speed; it never leaves the
/// decoder.
struct Epoch {
  /// Source sentence of a position; a greater rank has more decimals and is preferred.
  enum Rank: UInt8 {
    case none, gll, rmc, gga
  }

  /// Milliseconds of the UTC day.
  var timeOfDay: Int32 = 0
  /// Whether a sentence gave it: some receivers leave the time of their positions empty.
  var isTimed = true
  /// The ranks of positions without a time.
  private var untimedRanks: UInt8 = 0
  /// The day since 1970-01-01 in a sentence of this epoch.
  var day: Int32?
  /// Whether `day` is from an RMC with a fix rather than from a ZDA.
  var dayIsFromFix = false

  var rank = Rank.none
  /// Voices (`TalkerTable.voice`) whose RMC, GGA or GNS of this epoch say that they have no fix.
  private var denying = InlineArray<4, UInt64>(repeating: .max)
  private var denials = 0
  var position: Coordinate?
  private var voice: UInt64 = 0
  var source = Fix.Source.unknown
  /// Estimate flag of any sentence; other sentences do not clear it.
  var estimate: Fix.Source?

  var altitude = Double.nan
  var separation = Double.nan
  /// Whether a GGA or GNS was received: either gives the altitude or its absence.
  var hasGGA = false
  var speed = Double.nan
  var track = Double.nan
  /// Whether `speed` and `track` are from an RMC, which takes precedence over a VTG.
  var motionIsFromRMC = false

  var untimed = Untimed()
  /// Whether speed and track in `untimed` came before the first sentence with this time.
  var hasMotionAhead = false
  /// HDOP of GGA or GNS.
  var hdop = Double.nan
  /// Horizontal errors in metres, one sigma, of GST and of GBS.
  var sigmaGST = Double.nan
  var sigmaGBS = Double.nan

  /// Shape of the burst so far.
  var shape = BurstShape()

  /// - Parameter timeOfDay: nil where no sentence has given it yet.
  init(timeOfDay: Int32? = 0) {
    self.timeOfDay = timeOfDay ?? 0
    isTimed = timeOfDay != nil
  }

  /// Whether the epoch has a position that its talker does not deny. Receivers that lose the sky go
  /// on with the last position in one sentence, while another says that there is no fix.
  var hasFix: Bool { rank != .none && untimed.dimension != 1 }

  /// A talker says that it has no fix, whatever its other sentences say.
  mutating func deny(_ voice: UInt64) {
    if !isDenied(voice) {
      denying[denials & 3] = voice
      denials &+= 1
    }
    if self.voice == voice { rank = .none }
  }

  private func isDenied(_ voice: UInt64) -> Bool {
    for index in denying.indices where denying[index] == voice { return true }
    return false
  }

  /// Whether a position of this rank that has no time may belong to this epoch.
  mutating func admitsUntimed(_ rank: Rank) -> Bool {
    let bit: UInt8 = 1 &<< rank.rawValue
    defer { untimedRanks |= bit }
    return untimedRanks & bit == 0
  }

  /// Takes a whole position if it has a higher rank: latitude and longitude are never mixed. Of
  /// equal ranks the first stays, but an ordinary position replaces an estimated one.
  mutating func offer(
    _ position: Coordinate, rank: Rank, source: Fix.Source, voice: UInt64
  ) -> Bool {
    guard !isDenied(voice) else { return false }
    if source.isEstimate { estimate = source }
    let better =
      self.rank == .none
      || (self.source.isEstimate == source.isEstimate
        ? rank.rawValue > self.rank.rawValue : self.source.isEstimate)
    guard better else { return false }
    self.position = position
    self.voice = voice
    self.rank = rank
    self.source = source
    return true
  }

  /// Horizontal error in metres, 95 %, or nil.
  ///
  /// GST and GBS give one sigma per axis; 1.73 times their root sum is 95 % for equal axes.
  /// Garmin's value is the 50 % circle: 2.45/1.18 sigmas of a Rayleigh distribution. Otherwise HDOP
  /// (`Fix.error`).
  func horizontalError(source: Fix.Source, hdopOfGSA: Double) -> Double? {
    if sigmaGST > 0 { return sigmaGST * 1.73 }
    if sigmaGBS > 0 { return sigmaGBS * 1.73 }
    if untimed.circularError > 0 { return untimed.circularError * (2.45 / 1.18) }
    return Fix.error(ofHDOP: hdop > 0 ? hdop : hdopOfGSA, source: source)
  }
}

/// The values of sentences without a time. They belong to the open epoch, else to the next one.
struct Untimed {
  /// GSA: 0 absent, 1 none, 2, 3. The greatest of several GSA, one for each constellation.
  var dimension: UInt8 = 0
  var hdop = Double.nan
  /// VTG.
  var speed = Double.nan
  var track = Double.nan
  /// Whether a VTG was received, even one without speed and track.
  var saysMotion = false
  /// PGRME, metres, 50 %.
  var circularError = Double.nan
  /// PGRMZ, metres.
  var altitude = Double.nan
  /// Whether PGRMZ marks its altitude as part of a three-dimensional fix.
  var altitudeIsFromFix = false

  mutating func setMotion(_ speed: Double, _ track: Double) {
    saysMotion = true
    guard !speed.isNaN else { return }
    self.speed = speed
    self.track = track
  }
}

extension Fix.Source {
  /// Whether the position was not measured by the receiver.
  var isEstimate: Bool {
    switch self {
    case .deadReckoning, .simulated, .manual: true
    default: false
    }
  }
}
