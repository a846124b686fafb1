extension TypedPhrase {
  /// `2027-01-27`, `27.1.`, `27.01.2027`, `20270127`, `2027/01/27`, and RFC 3339 with its time of
  /// day; with the number of its words.
  mutating func numericDate() throws(TimeStampError) -> (TypedDay, words: Int)? {
    let word = word()
    guard word.utf8.first?.isDigit == true else { return nil }
    if let day = try named(word) { return (day, 1) }
    if word.utf8.prefix(8).count == 8, word.utf8.prefix(8).allSatisfy(\.isDigit) {
      return (try compact(word), 1)
    }
    if word.contains("/") { return (try slashed(word), 1) }
    if word.contains("."), let day = try dotted(word) { return (day, 1) }
    guard word.contains("-") else { return nil }
    if let day = try dashed(word) { return (day, 1) }
    var reader = CivilReader(word, of: text)
    let date = try reader.date()
    if !reader.scanner.atEnd {
      guard reader.scanner.consume(UInt8(ascii: "t")) else {
        throw fault("a blank or T stands between date and time")
      }
      try readTime(&reader)
    }
    return (.fixed(date), 1)
  }

  /// `27jan` and `27-jan-2027`; nil for other words.
  private func named(_ word: String) throws(TimeStampError) -> TypedDay? {
    var scanner = ByteScanner(word)
    guard let day = scanner.number(digits: 1...2) else { return nil }
    let hasDash = scanner.consume(UInt8(ascii: "-"))
    let name = String(decoding: scanner.run(where: \.isLetter), as: UTF8.self)
    guard let month = TimeWords.month(name) else { return nil }
    if scanner.atEnd { return try typedDay(nil, month, day) }
    guard scanner.consume(UInt8(ascii: "-")) == hasDash, let year = scanner.number(digits: 4...4),
      scanner.atEnd
    else { throw fault("the year of \(quoted(word)) should have four digits") }
    return .fixed(try checked(year: year, month: month, day: day))
  }

  /// `27-01-2027`, and of ISO 8601 the day of a week, `2026-W50-1`, and of a year, `2026-350`.
  private func dashed(_ word: String) throws(TimeStampError) -> TypedDay? {
    let parts = word.split(separator: "-", omittingEmptySubsequences: false)
    let sizes = parts.map(\.utf8.count)
    if sizes.count == 3, sizes[0] <= 2, sizes[2] == 4 {
      return try slashed(word.replacing("-", with: "/"))
    }
    guard sizes.count > 1, sizes[0] == 4, let year = Int(parts[0]),
      let january = CivilDate(year: year, month: 1, day: 1)
    else { return nil }
    if sizes == [4, 3], let number = Int(parts[1]) {
      let date = january.adding(days: number - 1)
      guard number > 0, date.year == year else { throw fault("\(year) has no day \(number)") }
      return .fixed(date)
    }
    guard parts[1].hasPrefix("w"), sizes[1] == 3, let week = Int(parts[1].dropFirst()),
      let day = parts.count == 2 ? 1 : Int(parts[2]), sizes.count == 2 || sizes == [4, 3, 1],
      (1...7).contains(day)
    else { return nil }
    // The first week is the one with 4 January.
    let fourth = january.adding(days: 3)
    let monday = fourth.adding(days: (week - 1) * 7 + 1 - fourth.weekday.rawValue)
    guard week > 0, monday.adding(days: 3).year == year else {
      throw fault("\(year) has no week \(week)")
    }
    return .fixed(monday.adding(days: day - 1))
  }

  /// The time of day and the offset that end a stamp.
  private mutating func readTime(_ reader: inout CivilReader) throws(TimeStampError) {
    try set(TypedClock(try reader.timeOfDay()), words: 0)
    offset = try reader.offset()
    try reader.checkEnd()
  }

  /// ISO 8601 without separators: `20270127`, `20270127T100000Z`.
  private mutating func compact(_ word: String) throws(TimeStampError) -> TypedDay {
    let form = "a date without separators is written like 20270127 or 20270127T100000Z"
    var scanner = ByteScanner(word)
    guard let digits = scanner.number(digits: 8...8) else { throw fault(form) }
    let date = try checked(year: digits / 10_000, month: digits / 100 % 100, day: digits % 100)
    guard !scanner.atEnd else { return .fixed(date) }
    guard scanner.consume(UInt8(ascii: "t")),
      let time = scanner.number(digits: 6...6) ?? scanner.number(digits: 4...4).map({ $0 * 100 })
    else { throw fault(form) }
    if scanner.consume(UInt8(ascii: "z")) { offset = 0 }
    guard scanner.atEnd else { throw fault(form) }
    let parts = [time / 10_000, time / 100 % 100, time % 100].map { $0.padded(2) }
    var reader = CivilReader(parts.joined(separator: ":"), of: text)
    try set(TypedClock(try reader.timeOfDay()), words: 0)
    return .fixed(date)
  }

  /// `2027/01/27`. A day and a month that could be either are refused.
  private func slashed(_ word: String) throws(TimeStampError) -> TypedDay {
    let parts = word.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.utf8.allSatisfy(\.isDigit) ? Int($0) : nil }
    guard numbers.count == parts.count, (2...3).contains(numbers.count) else {
      throw fault("\(quoted(word)) is no date; write 2027-01-27 or 27 jan")
    }
    if parts[0].utf8.count == 4, numbers.count == 3 {
      return .fixed(try checked(year: numbers[0], month: numbers[1], day: numbers[2]))
    }
    let (first, second) = (numbers[0], numbers[1])
    let year = numbers.count == 3 ? numbers[2] : nil
    if let year, year < 100 { throw fault("the year \(year) has two digits; write all four") }
    guard first <= 12, second <= 12, first != second, min(first, second) > 0 else {
      let (day, month) = first > 12 ? (first, second) : (second, first)
      return try typedDay(year, month, day)
    }
    let tail = year.map { " \($0)" } ?? ""
    let readings = [(first, second), (second, first)].map {
      "\($0.0) \(TimeWords.monthName($0.1).prefix(3))\(tail)"
    }
    throw fault("it could be \(readings[0]) or \(readings[1]); write one of them so")
  }

  /// `27.1.` and `27.01.2027`; nil for `10.30`, a time of day.
  private func dotted(_ word: String) throws(TimeStampError) -> TypedDay? {
    let parts = word.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ $0.utf8.allSatisfy(\.isDigit) }),
      let day = Int(parts[0]), let month = Int(parts[1])
    else {
      if parts.count == 2, let day = Int(parts[0]), let month = Int(parts[1]), day > 23,
        (1...12).contains(month)
      {
        throw fault("a day ends in a point: \(day).\(month). or \(day).\(month).2027")
      }
      return nil
    }
    if parts[2].isEmpty { return try typedDay(nil, month, day) }
    guard parts[2].utf8.count == 4, let year = Int(parts[2]) else {
      throw fault("the year of \(quoted(word)) should have four digits")
    }
    return .fixed(try checked(year: year, month: month, day: day))
  }
}
