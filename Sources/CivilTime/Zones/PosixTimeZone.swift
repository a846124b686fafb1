/// A kind of local time: its offset, whether it is daylight saving time, and its abbreviation.
struct LocalTimeType: Hashable, Sendable {
  /// Seconds east of UTC.
  let offset: Int
  let isDST: Bool
  let abbreviation: String
}

/// A stretch of time in which the same kind of local time holds, in seconds since the epoch.
struct ZoneSegment: Equatable, Sendable {
  /// Int64.min where it has no beginning.
  let start: Int64
  /// The first second after it; Int64.max without an end.
  let end: Int64
  let type: LocalTimeType
}

/// A rule for all years, as in the environment variable TZ (POSIX.1-2024, XBD 8.3) and the footer
/// of TZif files (RFC 9636 section 3.3.1): `CET-1CEST,M3.5.0,M10.5.0/3`.
struct PosixTimeZone: Hashable, Sendable {
  /// A day in every year.
  enum Day: Hashable, Sendable {
    /// 1...365, 29 February never counted.
    case julian(Int)
    /// 0...365, 29 February counted.
    case zeroBased(Int)
    /// The week 1...5 of a month in which a weekday (0 is Sunday) falls; 5 is the last.
    case weekday(month: Int, week: Int, day: Int)

    /// Days since 1970-01-01.
    func dayNumber(year: Int) -> Int {
      let newYear = CivilDate.dayNumber(year: year, month: 1)
      switch self {
      case .julian(let day):
        return newYear + day - (day >= 60 && CivilDate.isLeap(year) ? 0 : 1)
      case .zeroBased(let day):
        return newYear + day
      case .weekday(let month, let week, let day):
        let first = CivilDate.dayNumber(year: year, month: month)
        // Day 0 of the epoch was a Thursday, 4.
        let offset = (day - (first + 4)).flooredRemainder(7)
        let length = CivilDate.daysInMonth(month, year: year)
        var result = offset + 7 * (week - 1)
        if result >= length { result -= 7 }
        return first + result
      }
    }
  }

  struct Change: Hashable, Sendable {
    let day: Day
    /// Seconds after local midnight, up to a week either way.
    let time: Int
  }

  struct Daylight: Hashable, Sendable {
    let type: LocalTimeType
    let start: Change
    let end: Change
  }

  let standard: LocalTimeType
  let daylight: Daylight?

  /// Complexity: O(1); examines three years.
  func segment(at seconds: Int64) -> ZoneSegment {
    guard let daylight else { return ZoneSegment(start: .min, end: .max, type: standard) }
    let year = CivilDate(dayNumber: Int(seconds.flooredQuotient(86_400))).year
    var start = Int64.min
    var end = Int64.max
    var type = standard
    func visit(_ moment: Int64, _ kind: LocalTimeType) {
      if moment > seconds {
        end = min(end, moment)
      } else if moment > start || (moment == start && kind.isDST) {
        // Where one summer ends as the next begins, summer it is: all year.
        start = moment
        type = kind
      }
    }
    for candidate in year - 1...year + 1 {
      visit(Self.moment(daylight.start, year: candidate, offset: standard.offset), daylight.type)
      visit(Self.moment(daylight.end, year: candidate, offset: daylight.type.offset), standard)
    }
    return ZoneSegment(start: start, end: end, type: type)
  }

  private static func moment(_ change: Change, year: Int, offset: Int) -> Int64 {
    Int64(change.day.dayNumber(year: year) * 86_400 + change.time - offset)
  }
}

extension PosixTimeZone {
  /// nil when the text is not such a rule.
  init?(_ bytes: [UInt8]) {
    var scanner = ByteScanner(bytes)
    guard bytes.count <= 256, let name = Self.abbreviation(&scanner),
      let west = Self.time(&scanner, maximumHours: 24)
    else { return nil }
    standard = LocalTimeType(offset: -west, isDST: false, abbreviation: name)
    guard !scanner.atEnd else {
      daylight = nil
      return
    }
    guard let daylightName = Self.abbreviation(&scanner) else { return nil }
    var offset = standard.offset + 3600
    if let next = scanner.next, next != UInt8(ascii: ",") {
      guard let west = Self.time(&scanner, maximumHours: 24) else { return nil }
      offset = -west
    }
    // Without dates the rules of the United States hold, as in the C library.
    if scanner.atEnd { scanner = ByteScanner(",M3.2.0,M11.1.0") }
    guard scanner.consume(UInt8(ascii: ",")), let start = Self.change(&scanner),
      scanner.consume(UInt8(ascii: ",")), let end = Self.change(&scanner), scanner.atEnd
    else { return nil }
    daylight = Daylight(
      type: LocalTimeType(offset: offset, isDST: true, abbreviation: daylightName),
      start: start, end: end)
  }

  private static func abbreviation(_ scanner: inout ByteScanner) -> String? {
    let name: ArraySlice<UInt8>
    if scanner.consume(UInt8(ascii: "<")) {
      name = scanner.run {
        $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-")
      }
      guard scanner.consume(UInt8(ascii: ">")) else { return nil }
    } else {
      name = scanner.run(where: \.isLetter)
    }
    return name.count >= 3 ? String(decoding: name, as: UTF8.self) : nil
  }

  /// `[+-]hh[:mm[:ss]]` in seconds.
  private static func time(_ scanner: inout ByteScanner, maximumHours: Int) -> Int? {
    let negative = scanner.consume(UInt8(ascii: "-"))
    if !negative { _ = scanner.consume(UInt8(ascii: "+")) }
    guard let hours = scanner.number(digits: 1...3), hours <= maximumHours else { return nil }
    var seconds = hours * 3600
    for unit in [60, 1] {
      guard scanner.consume(UInt8(ascii: ":")) else { break }
      guard let part = scanner.number(digits: 1...2), part <= 59 else { return nil }
      seconds += part * unit
    }
    return negative ? -seconds : seconds
  }

  private static func change(_ scanner: inout ByteScanner) -> Change? {
    let day: Day
    if scanner.consume(UInt8(ascii: "M")) {
      guard let month = scanner.number(digits: 1...2), (1...12).contains(month),
        scanner.consume(UInt8(ascii: ".")), let week = scanner.number(digits: 1...1),
        (1...5).contains(week), scanner.consume(UInt8(ascii: ".")),
        let weekday = scanner.number(digits: 1...1), weekday <= 6
      else { return nil }
      day = .weekday(month: month, week: week, day: weekday)
    } else if scanner.consume(UInt8(ascii: "J")) {
      guard let number = scanner.number(digits: 1...3), (1...365).contains(number) else {
        return nil
      }
      day = .julian(number)
    } else {
      guard let number = scanner.number(digits: 1...3), number <= 365 else { return nil }
      day = .zeroBased(number)
    }
    guard scanner.consume(UInt8(ascii: "/")) else { return Change(day: day, time: 7200) }
    guard let time = time(&scanner, maximumHours: 167) else { return nil }
    return Change(day: day, time: time)
  }
}
