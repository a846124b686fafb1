/// The sentences, field by field, as NMEA 0183 version 4.11 and "NMEA Revealed" (gpsd) describe
/// them. The span is the text between `$` and `*`; its sixth byte is the first comma.
extension FixDecoder {
  @inline(never)
  mutating func read(_ text: Span<UInt8>, as type: SentenceType, into fixes: inout [Fix]) {
    type.spec.read?(&self, text, &fixes)
    if context.options.learnsCycleEnd, type.countsForBurst, !(talkers.isForeign && type.hasTime) {
      talkers.assembler.count(type, &context, into: &fixes)
    }
  }

  /// true, T, magnetic, M, knots, N, km/h, K, mode; before version 2.3 without the unit letters,
  /// and so with four fields
  mutating func readVTG(_ text: Span<UInt8>) {
    var at = 6
    let track = text.value(&at, in: Self.track)
    var next = at
    let unit = text.letter(&next)
    var behind = at
    text.skipFields(4, &behind)
    if unit == UInt8(ascii: "T") || (next &- at == 1 && behind <= text.count) {
      at = next
      text.skipFields(2, &at)
      let knots = text.value(&at, in: Self.knots)
      text.skipFields(1, &at)
      let kmh = text.value(&at, in: 0...7200)
      text.skipFields(1, &at)
      let hasFix = text.letter(&at) != UInt8(ascii: "N")
      setMotion(track, hasFix ? knots : nil, hasFix ? kmh : nil)
    } else {
      text.skipFields(1, &at)
      let knots = text.value(&at, in: Self.knots)
      setMotion(track, knots, text.value(&at, in: 0...7200))
    }
  }

  private mutating func setMotion(_ track: Double?, _ knots: Double?, _ kmh: Double?) {
    let speed = knots.map { $0 * Fix.knot } ?? kmh.map { $0 / 3.6 }
    talkers.assembler.setMotion(speed: speed ?? .nan, track: speed == nil ? .nan : track ?? .nan)
  }

  /// M/A, 1/2/3, twelve satellites, PDOP, HDOP, VDOP, system
  mutating func readGSA(_ text: Span<UInt8>) {
    var at = 6
    text.skipFields(1, &at)
    let dimension = text.letter(&at) &- UInt8(ascii: "0")
    // A talker has no fix: that is true of itself alone.
    guard dimension >= (talkers.isForeign ? 2 : 1), dimension <= 3 else { return }
    text.skipFields(13, &at)
    let hdop = text.value(&at, in: Self.hdop)
    text.skipFields(1, &at)
    // One receiver has more satellites than the standard allows: then the DOPs are elsewhere.
    text.skipFields(1, &at)
    let isStandard = at >= text.count || text.count &- at < 3
    talkers.assembler.updateUntimed {
      $0.dimension = max($0.dimension, dimension)
      // One of several systems may be without a fix.
      if isStandard, dimension > 1, let hdop { $0.hdop = hdop }
    }
  }

  /// GST: time, rms, three of the ellipse, lat, lon, alt. GBS: time, lat, lon, alt. One sigma,
  /// metres.
  mutating func readErrors(
    _ text: Span<UInt8>, skipping fields: Int, isGST: Bool, _ fixes: inout [Fix]
  ) {
    var at = 6
    guard !talkers.isForeign, let time = text.timeOfDay(&at),
      talkers.assembler.enter(time, day: nil, isFromFix: false, &context, into: &fixes)
    else { return }
    text.skipFields(fields, &at)
    guard let latitude = text.value(&at, in: Self.error),
      let longitude = text.value(&at, in: Self.error)
    else { return }
    let sigma = (latitude * latitude + longitude * longitude).squareRoot()
    talkers.assembler.update {
      if isGST { $0.sigmaGST = sigma } else { $0.sigmaGBS = sigma }
    }
  }

  /// time, day, month, year, zone
  mutating func readZDA(_ text: Span<UInt8>, _ fixes: inout [Fix]) {
    var at = 6
    guard let time = text.timeOfDay(&at) else { return }
    var day: Int32?
    if let number = text.number(&at), let month = text.number(&at), let year = text.number(&at),
      CivilDay.writtenYears.contains(year.whole), !number.isNegative, !month.isNegative
    {
      day = CivilDay.number(year: year.whole, month: month.whole, day: number.whole)
    }
    if talkers.isForeign, !talkers.assembler.isWaitingForTime {
      if let day { context.dates.take(day, time, isFromFix: false) }
      return
    }
    _ = talkers.assembler.enter(time, day: day, isFromFix: false, &context, into: &fixes)
  }

  /// datum, …
  mutating func readDTM(_ text: Span<UInt8>) {
    guard text.count >= 10, text[6] != UInt8(ascii: ",") else { return }
    if text[6] != UInt8(ascii: "W") || text[7] != UInt8(ascii: "8") || text[8] != UInt8(ascii: "4")
    {
      context.statistics.foreignDatums &+= 1
    }
  }

  /// horizontal error, M, vertical, M, spherical, M; 50 %
  mutating func readPGRME(_ text: Span<UInt8>) {
    var at = 6
    guard let error = text.value(&at, in: Self.error), text.letter(&at) == UInt8(ascii: "M") else {
      return
    }
    talkers.assembler.updateUntimed { $0.circularError = error }
  }

  /// altitude, f, 2 or 3
  mutating func readPGRMZ(_ text: Span<UInt8>) {
    var at = 6
    guard let feet = text.value(&at, in: -40_000...300_000) else { return }
    let isFeet = text.letter(&at) | 0x20 == UInt8(ascii: "f")
    let isFromFix = text.letter(&at) == UInt8(ascii: "3")
    guard isFeet else { return }
    talkers.assembler.updateUntimed {
      $0.altitude = feet * 0.3048
      $0.altitudeIsFromFix = isFromFix
    }
  }

  static var knots: ClosedRange<Double> { 0...4000 }
  static var track: ClosedRange<Double> { 0...360 }
  /// Any number that a receiver may write: a large one is a bad position, not an unknown one.
  static var hdop: ClosedRange<Double> { 0...1e9 }
  static var altitude: ClosedRange<Double> { -12_000...100_000 }
  static var error: ClosedRange<Double> { 0...1e9 }
}
