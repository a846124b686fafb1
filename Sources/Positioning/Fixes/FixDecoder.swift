package import CivilTime

/// Decodes position fixes from the bytes of a receiver, a multiplexer, a logger or gpsd.
///
/// ```swift
/// var decoder = FixDecoder()
/// var fixes: [Fix] = []
/// decoder.consume(bytes.span, into: &fixes)
/// decoder.finish(into: &fixes)
/// ```
///
/// The stream may be split anywhere: the fixes are the same. It may hold, mixed,
///
/// - NMEA 0183 sentences with any line end, TAG blocks before them, and text behind the checksum;
/// - gpsd's JSON reports, one object a line;
/// - anything else: binary messages of the receiver, lines of the logging program, damage.
///
/// A sentence begins at any `$` or `!` and ends with the second digit of its checksum, or with a
/// byte outside printable ASCII. So a false start in binary data costs only itself, and a cut
/// sentence never hides the next one. Only a correct checksum changes the decoder's state. Every
/// field is also checked for its range, since one random fault in 256 passes an XOR.
///
/// Memory is bounded: at most 1 KiB of an unfinished line is stored, or 16 KiB of JSON.
package struct FixDecoder: ~Copyable, Sendable {
  package struct Options: Sendable {
    /// Accepts sentences without `*hh`. A truncated sentence looks the same.
    package var acceptsMissingChecksum = false
    /// Date reference of undated epochs. For a live feed, the system clock, updated by the owner:
    /// an epoch gets the nearest day. For a recording, a constant: it dates the first epoch, and
    /// later ones continue from there. With nil, fixes stay undated until the stream gives a date.
    package var referenceTime: Instant?
    /// Corrects dates that differ from `referenceTime` by whole periods of 1024 weeks. For live
    /// feeds only: a recording may be that old.
    package var correctsWeekRollover = false
    /// Releases an epoch with the last sentence of its burst, once ten bursts in a row were alike,
    /// instead of with the next burst or at `quiet`. For live feeds: it saves the wait, but a
    /// longer burst loses its late values.
    package var learnsCycleEnd = false

    package init() {}
  }

  /// Maximum length of a sentence, `$` included. The standard's limit is 82; some receivers send
  /// twice that.
  static let longestSentence = 1024
  /// Maximum length of a JSON line. gpsd cuts its own at 10,240 bytes.
  package static let longestJSON = 16_384

  var talkers = TalkerTable()
  private var tag = TagBlock()
  var reports = ReportAssembler()
  var context = FixContext()

  /// The unfinished sentence or JSON line.
  private var carry: [UInt8] = []
  /// Length of the part of `carry` known to hold no line end.
  private var searched = 0
  /// Offset in the stream of the bytes being scanned.
  private var base = 0
  /// Whether the next byte is the first of a line; JSON begins only there.
  private var isLineStart = true

  package init(options: Options = Options()) { context.options = options }

  package var options: Options {
    get { context.options }
    set { context.options = newValue }
  }

  package var statistics: DecoderStatistics { context.statistics }

  /// Of the statistics alone, without a copy of them.
  package var lateSentences: Int { context.statistics.lateSentences }

  /// Whether a fix waits for the end of its epoch; `quiet` would release it.
  package var hasOpenEpoch: Bool { talkers.hasOpenEpoch || reports.hasOpenEpoch }

  /// Talkers that have said no more than that they have no position, such as `AI`.
  package var talkersWithoutPosition: [String] { talkers.namesWithoutPosition }

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

  /// Ends the line at the end of a datagram: the next one does not continue it.
  package mutating func endOfDatagram(into fixes: inout [Fix]) {
    endLine(isComplete: true, into: &fixes)
  }

  /// Completes the epoch after about 0.2 s of silence in a live feed.
  package mutating func quiet(into fixes: inout [Fix]) {
    talkers.forEach { $0.closeAll(&context, into: &fixes) }
    reports.closeAll(&context, into: &fixes)
  }

  /// Ends the data. An unterminated last line counts if it is complete: a sentence by its checksum,
  /// JSON by its syntax.
  package mutating func finish(into fixes: inout [Fix]) {
    endLine(isComplete: false, into: &fixes)
    quiet(into: &fixes)
  }

  /// Ends a lost connection: drops the partial line, releases the open epoch and retains the date.
  package mutating func disconnected(into fixes: inout [Fix]) {
    dropCarry()
    quiet(into: &fixes)
    talkers.forEach { $0.forgetBurst() }
    reports.forgetCycles()
  }

  // MARK: Lines

  private mutating func dropCarry() {
    carry.removeAll(keepingCapacity: true)
    searched = 0
    isLineStart = true
  }

  private mutating func endLine(isComplete: Bool, into fixes: inout [Fix]) {
    // A shared array would be copied when emptied, once per datagram.
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
    } else if line.first != UInt8(ascii: "\\"), !line.contains(UInt8(ascii: "*")) {
      context.statistics.note(.missingChecksum)
      if isComplete, context.options.acceptsMissingChecksum {
        accept(
          line.span.extracting(1..<line.count), isOwn: line.first == UInt8(ascii: "$"), into: &fixes
        )
      }
    }
  }

  /// Appends bytes from `start` to the line in `carry`, at most up to its end; returns the index
  /// after them.
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
    // Taken out while it is read: an access to `carry` would exclude the whole decoder.
    var line: [UInt8] = []
    swap(&line, &carry)
    base = context.statistics.bytes &- (bytes.count &- end) &- line.count
    let used = scan(line.span, into: &fixes)
    line.removeFirst(used)
    swap(&line, &carry)
    return end
  }

  /// Reads complete sentences and lines; returns the index of the first incomplete one, or the
  /// count. The result is independent of how the stream is split.
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
          // The usual line end.
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
      case UInt8(ascii: "\\"):
        let limit = min(count, index &+ TagBlock.longest)
        let end = bytes.tagBlockEnd(from: index &+ 1, to: limit)
        if end == count, limit < index &+ TagBlock.longest { return index }
        let isBlock = end < limit && bytes[end] == UInt8(ascii: "\\")
        if isBlock {
          tag.read(bytes.extracting(index &+ 1..<end), endingAt: base &+ end &+ 1)
        }
        index = isBlock ? end &+ 1 : index &+ 1
      case UInt8(ascii: "{") where index == 0 ? isLineStart : Self.endsLine(bytes[index &- 1]):
        let limit = min(count, index &+ Self.longestJSON)
        let end = bytes.lineEnd(from: index &+ (index == 0 ? min(searched, count) : 0), to: limit)
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
        // A brace starts JSON only at the start of a line.
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
    guard type.isRead else { return }
    let source = tag.source(at: context.statistics.offset)
    if talkers.select(text, type, source) { read(text, as: type, into: &fixes) }
  }
}
