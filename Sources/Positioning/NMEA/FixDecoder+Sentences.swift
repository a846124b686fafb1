import Geodesy

/// The sentences, field by field, as NMEA 0183 version 4.11 and "NMEA Revealed" (gpsd) describe
/// them. The span is the text between `$` and `*`; its sixth byte is the first comma.
extension FixDecoder {
  @inline(never)
  mutating func read(_ text: Span<UInt8>, as type: SentenceType, into fixes: inout [Fix]) {
    type.spec.read?(&self, text, &fixes)
    if context.options.learnsCycleEnd, type.countsForBurst {
      assembler.count(type, &context, into: &fixes)
    }
  }

  /// time, A/V, lat, N/S, lon, E/W, knots, track, ddmmyy, variation, E/W, mode, nav status
  mutating func readRMC(_ text: Span<UInt8>, _ fixes: inout [Fix]) {
    var at = 6
    guard let time = text.timeOfDay(&at) else { return }
    let status = text.letter(&at)
    guard status == UInt8(ascii: "A") || status == UInt8(ascii: "D") else {
      text.skipFields(9, &at)
      let mode = text.letter(&at)
      // The standard has V for a dead-reckoned, manual or simulated position, too.
      let isNamed = [UInt8(ascii: "E"), UInt8(ascii: "M"), UInt8(ascii: "S")].contains(mode)
      if assembler.enter(time, day: nil, isFromFix: false, &context, into: &fixes), !isNamed {
        assembler.update { $0.deniesFix = true }
      }
      return
    }
    let position = position(text, &at)
    let knots = text.value(&at, in: Self.knots)
    let track = text.value(&at, in: Self.track)
    let day = text.date(&at)
    text.skipFields(2, &at)
    let mode = text.letter(&at)
    let isFix = mode != UInt8(ascii: "N")
    guard
      assembler.enter(
        time, day: isFix && position != nil ? day : nil, isFromFix: true, &context, into: &fixes)
    else { return }
    guard isFix else { return assembler.update { $0.deniesFix = true } }
    guard let position else {
      context.statistics.note(.malformedSentence)
      return
    }
    let source =
      mode == 0 && status == UInt8(ascii: "D") ? .differential : Self.source(ofMode: mode)
    assembler.update { epoch in
      _ = epoch.offer(position, rank: .rmc, source: source)
      guard !epoch.motionIsFromRMC else { return }
      epoch.motionIsFromRMC = true
      if let knots { epoch.speed = knots * (1852.0 / 3600) }
      if let track { epoch.track = track }
    }
  }

  /// time, lat, N/S, lon, E/W, quality (GNS: modes), satellites, HDOP, altitude, M, separation, M
  /// (GNS: without the units)
  mutating func readGGA(_ text: Span<UInt8>, isGNS: Bool, _ fixes: inout [Fix]) {
    var at = 6
    guard let time = text.timeOfDay(&at),
      assembler.enter(time, day: nil, isFromFix: false, &context, into: &fixes)
    else { return }
    let position = position(text, &at)
    let source: Fix.Source?
    if isGNS {
      // One without modes is about one constellation.
      source = Self.source(ofModes: text, &at)
    } else {
      let quality = text.letter(&at)
      source = Self.source(ofQuality: quality)
      if quality == UInt8(ascii: "0") { assembler.update { $0.deniesFix = true } }
    }
    assembler.update { $0.hasGGA = true }
    guard let source else { return }
    guard let position else {
      context.statistics.note(.malformedSentence)
      return
    }
    text.skipFields(1, &at)
    let hdop = text.value(&at, in: Self.hdop)
    let altitude = text.value(&at, in: Self.altitude)
    if !isGNS { text.skipFields(1, &at) }
    let separation = text.value(&at, in: -1000...1000)
    assembler.update { epoch in
      let isTaken = epoch.offer(position, rank: .gga, source: source)
      guard isTaken || (epoch.altitude.isNaN && epoch.rank == .gga) else { return }
      if let altitude {
        epoch.altitude = altitude
        epoch.separation = separation ?? .nan
      }
      if let hdop { epoch.hdop = hdop }
    }
  }

  /// The position of a sentence; nil where it is malformed or stands for no position.
  private func position(_ text: Span<UInt8>, _ at: inout Int) -> Coordinate? {
    guard let (latitude, longitude) = text.position(&at),
      let position = Coordinate(latitude: latitude, longitude: longitude),
      !position.isPlaceholder(after: assembler.previousPosition)
    else { return nil }
    return position
  }

  /// lat, N/S, lon, E/W, time, A/V, mode
  mutating func readGLL(_ text: Span<UInt8>, _ fixes: inout [Fix]) {
    var at = 6
    let position = position(text, &at)
    guard let time = text.timeOfDay(&at),
      assembler.enter(time, day: nil, isFromFix: false, &context, into: &fixes)
    else { return }
    let status = text.letter(&at)
    let mode = text.letter(&at)
    guard status == UInt8(ascii: "A") || status == UInt8(ascii: "D"), mode != UInt8(ascii: "N")
    else { return }
    guard let position else {
      context.statistics.note(.malformedSentence)
      return
    }
    let source = Self.source(ofMode: mode)
    assembler.update { _ = $0.offer(position, rank: .gll, source: source) }
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
    let speed = knots.map { $0 * (1852.0 / 3600) } ?? kmh.map { $0 / 3.6 }
    assembler.setMotion(speed: speed ?? .nan, track: speed == nil ? .nan : track ?? .nan)
  }

  /// M/A, 1/2/3, twelve satellites, PDOP, HDOP, VDOP, system
  mutating func readGSA(_ text: Span<UInt8>) {
    var at = 6
    text.skipFields(1, &at)
    let dimension = text.letter(&at) &- UInt8(ascii: "0")
    guard dimension >= 1, dimension <= 3 else { return }
    text.skipFields(13, &at)
    let hdop = text.value(&at, in: Self.hdop)
    text.skipFields(1, &at)
    // One receiver has more satellites than the standard allows: then the DOPs are elsewhere.
    text.skipFields(1, &at)
    let isStandard = at >= text.count || text.count &- at < 3
    assembler.updateUntimed {
      $0.dimension = max($0.dimension, dimension)
      if isStandard, let hdop { $0.hdop = hdop }
    }
  }

  /// GST: time, rms, three of the ellipse, lat, lon, alt. GBS: time, lat, lon, alt. One sigma,
  /// metres.
  mutating func readErrors(
    _ text: Span<UInt8>, skipping fields: Int, isGST: Bool, _ fixes: inout [Fix]
  ) {
    var at = 6
    guard let time = text.timeOfDay(&at),
      assembler.enter(time, day: nil, isFromFix: false, &context, into: &fixes)
    else { return }
    text.skipFields(fields, &at)
    guard let latitude = text.value(&at, in: Self.error),
      let longitude = text.value(&at, in: Self.error)
    else { return }
    let sigma = (latitude * latitude + longitude * longitude).squareRoot()
    assembler.update {
      if isGST { $0.sigmaGST = sigma } else { $0.sigmaGBS = sigma }
    }
  }

  /// time, day, month, year, zone
  mutating func readZDA(_ text: Span<UInt8>, _ fixes: inout [Fix]) {
    var at = 6
    guard let time = text.timeOfDay(&at) else { return }
    var day: Int32?
    if let number = text.number(&at), let month = text.number(&at), let year = text.number(&at),
      year.whole >= 1980, year.whole < 2180, !number.isNegative, !month.isNegative
    {
      day = CivilDay.number(year: year.whole, month: month.whole, day: number.whole)
    }
    _ = assembler.enter(time, day: day, isFromFix: false, &context, into: &fixes)
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
    assembler.updateUntimed { $0.circularError = error }
  }

  /// altitude, f, 2 or 3
  mutating func readPGRMZ(_ text: Span<UInt8>) {
    var at = 6
    guard let feet = text.value(&at, in: -40_000...300_000) else { return }
    let isFeet = text.letter(&at) | 0x20 == UInt8(ascii: "f")
    let isFromFix = text.letter(&at) == UInt8(ascii: "3")
    guard isFeet else { return }
    assembler.updateUntimed {
      $0.altitude = feet * 0.3048
      $0.altitudeIsFromFix = isFromFix
    }
  }

  private static var knots: ClosedRange<Double> { 0...4000 }
  private static var track: ClosedRange<Double> { 0...360 }
  /// Any number that a receiver may write: a large one is a bad position, not an unknown one.
  private static var hdop: ClosedRange<Double> { 0...1e9 }
  private static var altitude: ClosedRange<Double> { -12_000...100_000 }
  private static var error: ClosedRange<Double> { 0...1e9 }

  /// The mode letter of RMC and GLL; versions before 2.3 have none.
  private static func source(ofMode letter: UInt8) -> Fix.Source {
    switch letter {
    case UInt8(ascii: "D"): .differential
    case UInt8(ascii: "E"): .deadReckoning
    case UInt8(ascii: "F"): .rtkFloat
    case UInt8(ascii: "M"): .manual
    case UInt8(ascii: "P"): .precise
    case UInt8(ascii: "R"): .rtkFixed
    case UInt8(ascii: "S"): .simulated
    default: .gnss
    }
  }

  /// The quality digit of GGA; nil where there is no fix. 9 is NovAtel's for satellite corrections.
  private static func source(ofQuality digit: UInt8) -> Fix.Source? {
    switch digit {
    case UInt8(ascii: "1"): .gnss
    case UInt8(ascii: "2"), UInt8(ascii: "9"): .differential
    case UInt8(ascii: "3"): .precise
    case UInt8(ascii: "4"): .rtkFixed
    case UInt8(ascii: "5"): .rtkFloat
    case UInt8(ascii: "6"): .deadReckoning
    case UInt8(ascii: "7"): .manual
    case UInt8(ascii: "8"): .simulated
    default: nil
    }
  }

  /// The mode letters of GNS, one per constellation: the best one gives the source. There is no fix
  /// only if all are N.
  private static func source(ofModes text: Span<UInt8>, _ at: inout Int) -> Fix.Source? {
    var best: Fix.Source?
    while at < text.count, text[at] != UInt8(ascii: ",") {
      let letter = text[at]
      at &+= 1
      guard letter != UInt8(ascii: "N"), letter &- UInt8(ascii: "A") < 26 else { continue }
      let source = source(ofMode: letter)
      if best.map({ merit(source) > merit($0) }) ?? true { best = source }
    }
    at &+= 1
    return best
  }

  private static func merit(_ source: Fix.Source) -> Int {
    switch source {
    case .rtkFixed: 5
    case .rtkFloat: 4
    case .precise: 3
    case .differential: 2
    case .gnss: 1
    default: 0
    }
  }
}
