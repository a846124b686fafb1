import CivilTime
import Positioning

extension InputFile {
  /// Bytes of a recording that are held back until a sentence gives the date: about an hour.
  private static let longestHead = 4 << 20

  /// The time of the first fix that the recording itself dates, within its head. All bytes stay to
  /// be read.
  func firstDate() throws(Failure) -> Instant? {
    var decoder = FixDecoder()
    var fixes: [Fix] = []
    var head: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: Self.chunkSize)
    var date: Instant?
    while date == nil, head.count < Self.longestHead {
      let count = try read(into: &chunk)
      head += chunk[..<count]
      decoder.consume(chunk.span.extracting(0..<count), into: &fixes)
      if count == 0 { decoder.finish(into: &fixes) }
      date = fixes.lazy.compactMap(\.time).first
      fixes.removeAll(keepingCapacity: true)
      if count == 0 { break }
    }
    putBack(head)
    return date
  }
}

/// The times of a recording's fixes, and where they jump: it holds two dates, or a wrong one.
struct RecordedTimes {
  private(set) var first: Instant?
  private(set) var last: Instant?
  private var jump: (from: Instant, to: Instant)?
  private var jumps = 0

  /// Between two fixes, in either direction; a receiver that was off at night is no jump.
  private static let longestStep = TimeSpan.hours(24)

  mutating func add(_ time: Instant?) {
    guard let time else { return }
    if let last, max(time, last) - min(time, last) > Self.longestStep {
      if jump == nil { jump = (last, time) }
      jumps += 1
    }
    if first == nil { first = time }
    last = time
  }

  /// A note for people about the dates; nil where none is needed.
  /// - Parameter isAssumed: the recording has no date, and the file's last change gave it.
  func note(isAssumed: Bool, from began: Instant, zone: TimeZoneRules) -> String? {
    if isAssumed {
      return "the recording has no date; it is played from \(began.rfc3339(zone: zone)), by the "
        + "last change of the file; give its day with --from"
    }
    return jump.map {
      "the date jumps from \($0.from.rfc3339(zone: zone)) to \($0.to.rfc3339(zone: zone))"
        + (jumps > 1 ? ", the first of \(jumps) jumps" : "")
    }
  }
}

/// The fixes of a recording that are much older than the ones before them: they are skipped.
struct OlderFixes {
  private(set) var count = 0
  /// How much older they are at most.
  private var largest = TimeSpan.zero

  mutating func add(_ time: Instant, before now: Instant) {
    count += 1
    largest = max(largest, now - time)
  }

  /// A note for people; nil without such a fix.
  var note: String? {
    guard count > 0 else { return nil }
    return "\(counted(count, "fix", "fixes")) up to \(largest.words) older than the ones before "
      + "\(count == 1 ? "is" : "are") skipped"
  }
}
