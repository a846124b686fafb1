package import CivilTime

/// Reads the bytes of a receiver, a multiplexer, a logger or gpsd, and gives out position fixes.
///
/// ```swift
/// var decoder = FixDecoder()
/// var fixes: [Fix] = []
/// decoder.consume(bytes.span, into: &fixes)
/// decoder.finish(into: &fixes)
/// ```
///
/// The stream may be cut into pieces anywhere: the fixes are the same. It may hold, mixed,
///
/// - NMEA 0183 sentences with any line end, TAG blocks before them, and text behind the checksum;
/// - gpsd's JSON reports, one object a line;
/// - anything else: binary messages of the receiver, lines of the logging program, damage.
///
/// A sentence begins at `$` or `!`, wherever that stands, and is done with the second digit of its
/// checksum. What is outside printable ASCII ends it. So a false start inside binary data costs no
/// more than itself, and a cut sentence never eats the next one. Only a right checksum changes the
/// decoder's state; every field is checked for its range besides, since one random fault in 256
/// passes an XOR.
///
/// Memory is bounded: of a line whose end has not come yet at most 1 KiB is kept, 16 KiB of JSON.
package struct FixDecoder: ~Copyable, Sendable {
  package struct Options: Sendable {
    /// Takes sentences without `*hh`. A sentence that was cut looks the same.
    package var acceptsMissingChecksum = false
    /// For a live feed the system clock, brought up to date by the owner: an undated epoch gets the
    /// day nearest to it. For a recording it stands still: it dates the first such epoch, and the
    /// others go on from there. Where nil, such fixes stay undated until the stream gives a date.
    package var referenceTime: Instant?
    /// Moves dates that are off by whole periods of 1024 weeks to `referenceTime`. For live feeds
    /// only: a recording may well be that old.
    package var correctsWeekRollover = false
    /// Gives out an epoch with the last sentence of its burst, once ten bursts in a row were alike,
    /// instead of when the next one begins or at `quiet`. For live feeds, where it saves the wait:
    /// a burst that turns out longer than those before loses what comes late.
    package var learnsCycleEnd = false

    package init() {}
  }

  /// The longest sentence that is read, `$` included. The standard's limit is 82; real ones of
  /// twice that length exist.
  static let longestSentence = 1024
  /// The longest line of JSON that is read. gpsd cuts its own at 10,240 bytes.
  package static let longestJSON = 16_384

  var assembler = EpochAssembler()
  var reports = ReportAssembler()
  var context = FixContext()

  /// The start of a sentence or a JSON line whose end has not come yet.
  private var carry: [UInt8] = []
  /// How much of `carry` is known to hold no line end.
  private var searched = 0
  /// Where in the stream the bytes begin that are being scanned.
  private var base = 0
  /// Whether the next byte is the first of a line, where alone JSON begins.
  private var isLineStart = true

  package init(options: Options = Options()) { context.options = options }

  package var options: Options {
    get { context.options }
    set { context.options = newValue }
  }

  package var statistics: DecoderStatistics { context.statistics }

  /// Whether a fix waits for the end of its epoch, so that `quiet` would give it out.
  package var hasOpenEpoch: Bool { assembler.hasOpenEpoch || reports.hasOpenEpoch }

  /// Bytes of an unfinished line, at most `longestJSON`.
  package var pendingBytes: Int { carry.count }

  /// Reads the next piece of the stream and appends the fixes that it completes.
  ///
  /// - Complexity: O(n). Allocates nothing but what `fixes` needs to grow.
  package mutating func consume(_ bytes: Span<UInt8>, into fixes: inout [Fix]) {
    context.statistics.bytes &+= bytes.count
    var start = 0
    while !carry.isEmpty, start < bytes.count {
      start = join(bytes, from: start, into: &fixes)
    }
    guard start < bytes.count else { return }
    let rest = bytes.extracting(start..<bytes.count)
    base = context.statistics.bytes &- rest.count
    let used = scan(rest, into: &fixes)
    for index in used..<rest.count { carry.append(rest[index]) }
  }

  /// The end of a datagram ends a line: what one datagram left unfinished, the next does not
  /// continue.
  package mutating func endOfDatagram(into fixes: inout [Fix]) {
    endLine(isComplete: true, into: &fixes)
  }

  /// The live feed has been silent for about 0.2 s: the burst is over, and its epoch complete.
  package mutating func quiet(into fixes: inout [Fix]) {
    assembler.closeAll(&context, into: &fixes)
    reports.closeAll(&context, into: &fixes)
  }

  /// The end of the data. An unterminated last line counts where it is whole: a sentence by its
  /// checksum, JSON by its syntax.
  package mutating func finish(into fixes: inout [Fix]) {
    endLine(isComplete: false, into: &fixes)
    quiet(into: &fixes)
  }

  /// The connection is lost: drops the partial line, gives out the epoch as far as it came, and
  /// keeps the date.
  package mutating func disconnected(into fixes: inout [Fix]) {
    dropCarry()
    quiet(into: &fixes)
    assembler.forgetBurst()
    reports.forgetCycles()
  }

  // MARK: Lines

  private mutating func dropCarry() {
    carry.removeAll(keepingCapacity: true)
    searched = 0
    isLineStart = true
  }

  private mutating func endLine(isComplete: Bool, into fixes: inout [Fix]) {
    // A shared array would be copied when it is emptied, once for each datagram.
    guard !carry.isEmpty else { return dropCarry() }
    let line = carry
    dropCarry()
    base = context.statistics.bytes &- line.count
    context.statistics.offset = base
    if line.first == UInt8(ascii: "{") {
      guard !readJSON(line.span, into: &fixes) else { return }
      isLineStart = false
      base &+= 1
      _ = scan(line.span.extracting(1..<line.count), into: &fixes)
      isLineStart = true
    } else if !line.contains(UInt8(ascii: "*")) {
      context.statistics.note(.missingChecksum)
      if isComplete, context.options.acceptsMissingChecksum {
        accept(
          line.span.extracting(1..<line.count), isOwn: line.first == UInt8(ascii: "$"), into: &fixes
        )
      }
    }
  }

  /// Continues the line in `carry` with bytes from `start` on, at most up to its end; returns where
  /// to go on.
  private mutating func join(_ bytes: Span<UInt8>, from start: Int, into fixes: inout [Fix]) -> Int
  {
    let limit = min(bytes.count, start &+ 256)
    var end = start
    while end < limit {
      let byte = bytes[end]
      carry.append(byte)
      end &+= 1
      if byte == 0x0A || byte == 0x0D { break }
    }
    // The array is taken out while it is read, so that reading it does not hold the decoder.
    var line: [UInt8] = []
    swap(&line, &carry)
    base = context.statistics.bytes &- (bytes.count &- end) &- line.count
    let used = scan(line.span, into: &fixes)
    line.removeFirst(used)
    swap(&line, &carry)
    return end
  }

  /// Reads whole sentences and lines; returns the index of the first byte of one that is not whole
  /// yet, or the count. What it does depends on the bytes alone, not on where a piece ends.
  private mutating func scan(_ bytes: Span<UInt8>, into fixes: inout [Fix]) -> Int {
    let used = scanLines(bytes, into: &fixes)
    if used > 0 { isLineStart = Self.endsLine(bytes[used &- 1]) }
    return used
  }

  /// Whether JSON may begin behind this byte: a line end, or the last byte of a byte order mark.
  private static func endsLine(_ byte: UInt8) -> Bool {
    byte == 0x0A || byte == 0x0D || byte == 0xBF
  }

  private mutating func scanLines(_ bytes: Span<UInt8>, into fixes: inout [Fix]) -> Int {
    let count = bytes.count
    var index = 0
    while index < count {
      let byte = bytes[index]
      context.statistics.offset = base &+ index
      switch byte {
      case UInt8(ascii: "$"), UInt8(ascii: "!"):
        let limit = min(count, index &+ Self.longestSentence)
        let text = bytes.scanSentence(from: index &+ 1, to: limit)
        guard text.end < limit else {
          if limit == count, limit < index &+ Self.longestSentence { return index }
          context.statistics.note(.overlongLine)
          index = limit
          continue
        }
        switch bytes[text.end] {
        case UInt8(ascii: "*"):
          guard text.end &+ 2 < count else { return index }
          switch bytes.checksum(at: text.end &+ 1, is: text.checksum) {
          case true?:
            accept(
              bytes.extracting(index &+ 1..<text.end), isOwn: byte == UInt8(ascii: "$"),
              into: &fixes)
          case false?: context.statistics.note(.wrongChecksum)
          case nil:
            context.statistics.note(.wrongChecksum)
            index = text.end &+ 1
            continue
          }
          index = text.end &+ 3
          // What follows almost always.
          if index < count, bytes[index] == 0x0D { index &+= 1 }
          if index < count, bytes[index] == 0x0A { index &+= 1 }
        case 0x0A, 0x0D:
          context.statistics.note(.missingChecksum)
          if context.options.acceptsMissingChecksum {
            accept(
              bytes.extracting(index &+ 1..<text.end), isOwn: byte == UInt8(ascii: "$"),
              into: &fixes)
          }
          index = text.end
        default:
          index = text.end
        }
      case UInt8(ascii: "{") where index == 0 ? isLineStart : Self.endsLine(bytes[index &- 1]):
        let limit = min(count, index &+ Self.longestJSON)
        let end = bytes.lineEnd(
          from: index &+ (index == 0 ? min(searched, count) : 0), to: limit)
        searched = 0
        if end == limit {
          if limit == count, limit < index &+ Self.longestJSON {
            searched = limit &- index
            return index
          }
          context.statistics.note(.overlongLine)
          index = limit
        } else if readJSON(bytes.extracting(index..<end), into: &fixes) {
          index = end
        } else {
          index &+= 1
        }
      default:
        // A brace in mid-line begins nothing.
        index = bytes.nextStart(
          from: byte == UInt8(ascii: "{") ? index &+ 1 : index,
          binary: &context.statistics.binaryBytes)
      }
    }
    return index
  }

  /// A sentence with a right checksum.
  private mutating func accept(_ text: Span<UInt8>, isOwn: Bool, into fixes: inout [Fix]) {
    // Sentences with ! are AIS: other ships.
    let type = isOwn ? SentenceType(of: text) : .other
    context.statistics.count(type, text)
    if type.isRead { read(text, as: type, into: &fixes) }
  }
}
