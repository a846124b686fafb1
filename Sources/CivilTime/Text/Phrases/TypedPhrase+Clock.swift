/// A time of day as it was typed.
struct TypedClock: Equatable {
  /// Since midnight; a leap second may lead into the next day.
  private let typed: Int64
  /// Whether the clock of twelve hours was named by `am` or `pm`.
  private let hasHalf: Bool
  /// The word `midnight`: alone, the coming one.
  let isMidnight: Bool

  init(_ microseconds: Int64, hasHalf: Bool = false, isMidnight: Bool = false) {
    typed = microseconds
    self.hasHalf = hasHalf
    self.isMidnight = isMidnight
  }

  init(hour: Int, minute: Int, hasHalf: Bool = false) {
    self.init(Int64(hour * 60 + minute) * 60_000_000, hasHalf: hasHalf)
  }

  private var hour: Int { Int(typed / 3_600_000_000) }

  /// Since midnight, in a part of the day: seven in the evening is 19:00.
  func microseconds(
    in part: DayPart?, for phrase: TypedPhrase
  ) throws(TimeStampError) -> Int64 {
    guard let part else { return typed }
    if part.hours.contains(hour) { return typed }
    if !hasHalf, hour < 12, part.hours.contains(hour + 12) {
      return typed + 12 * 3_600_000_000
    }
    let clock = LocalDateTime(microseconds: typed).time.text(decimals: .exact).prefix(5)
    throw phrase.fault("\(clock) is not in the \(part.rawValue)")
  }
}

extension TypedPhrase {
  /// A time of day at the present word; false where there is none.
  mutating func readClock() throws(TimeStampError) -> Bool {
    switch word() {
    case "noon", "midday": try set(TypedClock(hour: 12, minute: 0), words: 1)
    case "midnight": try set(TypedClock(0, isMidnight: true), words: 1)
    case "eod": try set(TypedClock(hour: 23, minute: 59), words: 1)
    case "end" where word(1) == "of":
      let count = word(2) == "the" ? 4 : 3
      guard word(count - 1) == "day" else { return false }
      try set(TypedClock(hour: 23, minute: 59), words: count)
    default:
      let isRelative = try readPastOrTo()
      return isRelative ? true : try readDigits()
    }
    return true
  }

  /// `half past six`, `quarter to 7`, `ten past 8pm`.
  private mutating func readPastOrTo() throws(TimeStampError) -> Bool {
    let skipped = word() == "a" && word(1) == "quarter" ? 1 : 0
    let first = word(skipped)
    let minutes = ["half": 30, "quarter": 15][first] ?? TimeWords.numbers[first] ?? Int(first)
    guard let minutes, (1...30).contains(minutes), ["past", "to"].contains(word(skipped + 1)) else {
      return false
    }
    let isPast = word(skipped + 1) == "past"
    guard isPast || minutes < 30, let (hour, half, count) = try hourWord(skipped + 2) else {
      throw fault("write the time like half past six or quarter to 7")
    }
    try check(hour: hour)
    let total = (hour * 60 + (isPast ? minutes : -minutes) + 1_440) % 1_440
    try set(
      TypedClock(hour: total / 60, minute: total % 60, hasHalf: half), words: skipped + 2 + count)
    return true
  }

  /// The hour so many words on, with the `am` or `pm` behind it; not yet checked without them.
  private func hourWord(
    _ ahead: Int
  ) throws(TimeStampError) -> (hour: Int, hasHalf: Bool, words: Int)? {
    var scanner = ByteScanner(word(ahead))
    guard let hour = TimeWords.numbers[word(ahead)] ?? scanner.number(digits: 1...2) else {
      return nil
    }
    let glued = TimeWords.numbers[word(ahead)] == nil ? scanner.rest : ""
    guard let (half, extra) = half(glued, ahead + 1) else { return nil }
    return (half.isEmpty ? hour : try hourOfDay(hour, half), !half.isEmpty, 1 + extra)
  }

  /// The `am` or `pm` that ends a word, or else is the word so many places on, with the number of
  /// words that takes; empty for neither, and nil for another ending.
  private func half(_ ending: String, _ ahead: Int) -> (text: String, words: Int)? {
    let isNext = ending.isEmpty && ["am", "pm"].contains(word(ahead))
    guard ["", "am", "pm"].contains(ending) else { return nil }
    return isNext ? (word(ahead), 1) : (ending, 0)
  }

  private func check(hour: Int) throws(TimeStampError) {
    guard hour <= 23 else { throw fault("there is no hour \(hour); hours go from 00 to 23") }
  }

  /// `18:00`, `6pm`, `6:30 pm`, `10.30`, `18h`, `18h30`, `at 9`, `nine oclock`.
  private mutating func readDigits() throws(TimeStampError) -> Bool {
    let typed = word()
    if let (hour, minute) = Self.compactClock(typed), isAfterAt || isNoYear(typed) {
      if !isAfterAt, (1900...2199).contains(Int(typed) ?? 0) {
        note = "\(typed) is the time \(hour.padded(2)):\(minute.padded(2)), not the year"
      }
      try set(TypedClock(hour: hour, minute: minute), words: 1)
      return true
    }
    var scanner = ByteScanner(typed)
    guard let hour = scanner.number(digits: 1...2) else {
      return TimeWords.numbers[typed] == nil ? false : try readHour()
    }
    switch scanner.next {
    case nil: return try readHour()
    case UInt8(ascii: ":"): return try readColons(typed)
    case UInt8(ascii: "h"), UInt8(ascii: "."):
      let separator = scanner.next
      _ = scanner.consume { $0 == separator }
      var minute = scanner.number(digits: 2...2)
      if minute == nil, separator == UInt8(ascii: "h"), scanner.atEnd { minute = 0 }
      guard let minute else { return false }
      return try setClock(hour, minute, ending: scanner.rest)
    default:
      guard ["am", "pm"].contains(scanner.rest) else { return false }
      return try setClock(hour, 0, ending: scanner.rest)
    }
  }

  /// The time of day of four digits, `0930`.
  static func compactClock(_ word: String) -> (hour: Int, minute: Int)? {
    guard word.utf8.count == 4, word.utf8.allSatisfy(\.isDigit), let number = Int(word) else {
      return nil
    }
    let (hour, minute) = number.quotientAndRemainder(dividingBy: 100)
    return hour <= 23 && minute <= 59 ? (hour, minute) : nil
  }

  /// Whether four digits can only be a time of day: `0900`, or `tomorrow 1830`, which is no year of
  /// these times.
  private func isNoYear(_ digits: String) -> Bool {
    digits.hasPrefix("0") || words.count > 1 && year(digits) == nil
  }

  /// `18:00:15.5`, with an offset or a half of the day behind it.
  private mutating func readColons(_ typed: String) throws(TimeStampError) -> Bool {
    let ending = ["am", "pm"].first { typed.hasSuffix($0) } ?? ""
    var reader = CivilReader(String(typed.dropLast(ending.utf8.count)), of: text)
    let microseconds = try reader.timeOfDay()
    offset = try reader.offset()
    try reader.checkEnd()
    guard let (half, extra) = half(ending, 1), !half.isEmpty else {
      try set(TypedClock(microseconds), words: 1)
      return true
    }
    let hour = Int(microseconds / 3_600_000_000)
    let shift = Int64(try hourOfDay(hour, half) - hour) * 3_600_000_000
    try set(TypedClock(microseconds + shift, hasHalf: true), words: 1 + extra)
    return true
  }

  private mutating func setClock(
    _ hour: Int, _ minute: Int, ending: String
  ) throws(TimeStampError) -> Bool {
    guard let (half, extra) = half(ending, 1) else { return false }
    let value = half.isEmpty ? hour : try hourOfDay(hour, half)
    try check(hour: value)
    guard minute <= 59 else { throw fault("there is no minute \(minute)") }
    try set(
      TypedClock(hour: value, minute: minute, hasHalf: !half.isEmpty), words: 1 + extra)
    return true
  }

  /// A number that is an hour by the words around it.
  private mutating func readHour() throws(TimeStampError) -> Bool {
    guard let (hour, half, count) = try hourWord(0) else { return false }
    let isOClock = word(count) == "oclock"
    guard half || isOClock || isAfterAt || isAfterPart || isAfterDay || isBeforePart(count) else {
      return false
    }
    try check(hour: hour)
    try set(
      TypedClock(hour: hour, minute: 0, hasHalf: half), words: count + (isOClock ? 1 : 0))
    return true
  }

  /// Whether a part of the day stands right before: `tomorrow evening 7`.
  private var isAfterPart: Bool {
    guard index > 0 else { return false }
    let last = words[index - 1].lower
    return last == "tonight" || TimeWords.parts[last] != nil
  }

  /// Whether digits right behind this word can only be an hour: `tomorrow 8`.
  private var isAfterDay: Bool {
    index > 0 && TimeWords.daysFromToday[words[index - 1].lower] == 1
      && word().utf8.first?.isDigit == true
  }

  /// Whether a part of the day stands so many words on: `7 in the evening`, `8 tonight`.
  private func isBeforePart(_ ahead: Int) -> Bool {
    switch word(ahead) {
    case "tonight": true
    case "in": word(ahead + 1) == "the" && TimeWords.parts[word(ahead + 2)] != nil
    case "at": word(ahead + 1) == "night"
    default: false
    }
  }

  private func hourOfDay(_ hour: Int, _ half: String) throws(TimeStampError) -> Int {
    guard (1...12).contains(hour) else {
      throw fault(
        "\(hour)\(half) is no time; write \(hour > 12 && hour < 24 ? "\(hour):00" : "12\(half)")")
    }
    return hour % 12 + (half == "pm" ? 12 : 0)
  }
}
