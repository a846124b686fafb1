import Geodesy

/// The sentences that give a position, or say that there is none.
extension FixDecoder {
  /// time, A/V, lat, N/S, lon, E/W, knots, track, ddmmyy, variation, E/W, mode, nav status
  mutating func readRMC(_ text: Span<UInt8>, _ fixes: inout [Fix]) {
    var at = 6
    let time = text.timeOfDay(&at)
    let status = text.letter(&at)
    guard status == UInt8(ascii: "A") || status == UInt8(ascii: "D") else {
      text.skipFields(9, &at)
      let mode = text.letter(&at)
      // The standard has V for a dead-reckoned, manual or simulated position, too.
      let isNamed = [UInt8(ascii: "E"), UInt8(ascii: "M"), UInt8(ascii: "S")].contains(mode)
      return deny(at: time, unless: isNamed, &fixes)
    }
    let position = position(text, &at)
    let knots = text.value(&at, in: Self.knots)
    let track = text.value(&at, in: Self.track)
    let day = text.date(&at)
    text.skipFields(2, &at)
    let mode = text.letter(&at)
    guard mode != UInt8(ascii: "N") else { return deny(at: time, unless: false, &fixes) }
    let source =
      mode == 0 && status == UInt8(ascii: "D") ? .differential : Self.source(ofMode: mode)
    guard enter(time, day: day, position, .rmc, source, &fixes) != nil else { return }
    talkers.assembler.update { epoch in
      guard !epoch.motionIsFromRMC else { return }
      epoch.motionIsFromRMC = true
      if let knots { epoch.speed = knots * Fix.knot }
      if let track { epoch.track = track }
    }
  }

  /// time, lat, N/S, lon, E/W, quality (GNS: modes), satellites, HDOP, altitude, M, separation, M
  /// (GNS: without the units)
  mutating func readGGA(_ text: Span<UInt8>, isGNS: Bool, _ fixes: inout [Fix]) {
    var at = 6
    let time = text.timeOfDay(&at)
    let position = position(text, &at)
    let quality = isGNS ? 0 : text.letter(&at)
    // A GNS without modes is about one constellation.
    let source = isGNS ? Self.source(ofModes: text, &at) : Self.source(ofQuality: quality)
    guard let source else {
      deny(at: time, unless: quality != UInt8(ascii: "0"), &fixes)
      if time != nil { talkers.assembler.update { $0.hasGGA = true } }
      return
    }
    text.skipFields(1, &at)
    let hdop = text.value(&at, in: Self.hdop)
    let altitude = text.value(&at, in: Self.altitude)
    if !isGNS { text.skipFields(1, &at) }
    let separation = text.value(&at, in: -1000...1000)
    guard let isTaken = enter(time, day: nil, position, .gga, source, &fixes) else { return }
    talkers.assembler.update { epoch in
      epoch.hasGGA = true
      guard isTaken || (epoch.altitude.isNaN && epoch.rank == .gga) else { return }
      if let altitude {
        epoch.altitude = altitude
        epoch.separation = separation ?? .nan
      }
      if let hdop { epoch.hdop = hdop }
    }
  }

  /// Enters the epoch of a position and offers it.
  /// - Parameters:
  ///   - time: milliseconds of the UTC day; nil where it cannot be read.
  ///   - position: nil where it is malformed or stands for none; it dates nothing then.
  /// - Returns: whether the epoch has taken the position; nil where it is none, or late.
  private mutating func enter(
    _ time: Int32?, day: Int32?, _ position: Coordinate?, _ rank: Epoch.Rank,
    _ source: Fix.Source, _ fixes: inout [Fix]
  ) -> Bool? {
    if let time {
      let day = position == nil ? nil : day
      guard
        talkers.assembler.enter(time, day: day, isFromFix: true, &context, into: &fixes)
      else { return nil }
    }
    guard let position else {
      context.statistics.note(.malformedSentence)
      return nil
    }
    if time == nil {
      talkers.assembler.enterUntimed(rank: rank, &context, into: &fixes)
    }
    let voice = talkers.voice
    var isTaken = false
    talkers.assembler.update {
      isTaken = $0.offer(position, rank: rank, source: source, voice: voice)
    }
    talkers.gavePosition()
    return isTaken
  }

  /// The talker says at a time that it has no fix, unless it says so for another reason.
  private mutating func deny(at time: Int32?, unless isNamed: Bool, _ fixes: inout [Fix]) {
    let voice = talkers.voice
    guard let time,
      talkers.assembler.enter(time, day: nil, isFromFix: false, &context, into: &fixes), !isNamed
    else { return }
    talkers.assembler.update { $0.deny(voice) }
  }

  /// The position of a sentence; nil where it is malformed or stands for no position.
  private func position(_ text: Span<UInt8>, _ at: inout Int) -> Coordinate? {
    guard let (latitude, longitude) = text.position(&at),
      let position = Coordinate(latitude: latitude, longitude: longitude),
      !position.isPlaceholder(after: talkers.assembler.previousPosition)
    else { return nil }
    return position
  }

  /// lat, N/S, lon, E/W, time, A/V, mode
  mutating func readGLL(_ text: Span<UInt8>, _ fixes: inout [Fix]) {
    var at = 6
    let position = position(text, &at)
    let time = text.timeOfDay(&at)
    let status = text.letter(&at)
    let mode = text.letter(&at)
    guard status == UInt8(ascii: "A") || status == UInt8(ascii: "D"), mode != UInt8(ascii: "N")
    else { return deny(at: time, unless: true, &fixes) }
    _ = enter(time, day: nil, position, .gll, Self.source(ofMode: mode), &fixes)
  }

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
