extension TimeSpan {
  /// A span as people type it: `1h 30min`, `half an hour`, `in an hour and a half`; nil for other
  /// words, for a number without a unit, and for days in words, whose length the calendar knows.
  package init?(typed text: String) {
    if text.contains(where: \.isLetter), let span = try? TimeSpan(typedWithUnit: text) {
      self = span
      return
    }
    self.init(clock: TimeWord.split(text), of: text)
  }

  /// A span of hours, minutes and seconds in words; nil for others.
  init?(clock words: [TimeWord], of text: String) {
    var phrase = TypedPhrase(
      words, of: text, now: Instant(microseconds: 0), zone: .utc, dayAlone: .usual)
    let isIn = phrase.word() == "in"
    if isIn { phrase.index += 1 }
    guard let span = try? phrase.amounts(isIn: isIn), phrase.index == phrase.words.count,
      span.months == 0, span.days == 0
    else { return nil }
    self.init(microseconds: span.microseconds)
  }
}

extension TypedPhrase {
  /// `in 20 minutes`, `2h`, `a week from now`, `an hour and a half`: the instant so much later.
  ///
  /// nil where the words begin with no span, and where a day or a time of day follows it. Then the
  /// span counts from there, or from today, and the rest of the words is still unread.
  mutating func readSpan() throws(TimeStampError) -> Instant? {
    let isIn = word() == "in" && word(1) != "the" && TimeWords.parts[word(1)] == nil
    if isIn {
      index += 1
    } else if words.count == 1, Self.isClock(word()) {
      return nil
    }
    guard var sum = try amounts(isIn: isIn) else {
      index = 0
      return nil
    }
    if isIn { _ = consume("time") }  // In two weeks' time.
    let isAgo =
      !isIn
      && (consume("ago") || consume("late") || direction == .back && index == words.count)
    if isAgo, let negative = sum.multiplied(by: -1) { sum = negative }
    let isFromNow = isAgo || consume("from", "now") || consume("hence") || consume("later")
    if index == words.count {
      guard let instant = sum.after(now, in: zone) else { throw fault("it is too far away") }
      return instant
    }
    // A week on friday, a week tomorrow.
    let isWeekOn =
      !isIn && sum.isWeeks && (consume("on") || ["today", "tomorrow"].contains(word()))
    let isFromDay = !isFromNow && (isWeekOn || consume("from") || consume("after"))
    guard isIn || isFromNow || isFromDay else {
      // `18h tomorrow`, or a slip, which the words themselves show.
      index = 0
      return nil
    }
    guard sum.microseconds == 0 else {
      throw fault("a span of hours or minutes needs no day and no time of day beside it")
    }
    span = sum
    if !isFromDay { day = .fixed(local.date) }
    guard index < words.count else {
      throw fault("a day is missing behind it; write from tomorrow")
    }
    return nil
  }

  /// `18h30`, and `18h` where the hour is one of the afternoon: no span, a time of day.
  private static func isClock(_ word: String) -> Bool {
    var scanner = ByteScanner(word)
    guard let hour = scanner.number(digits: 1...2), scanner.consume(UInt8(ascii: "h")) else {
      return false
    }
    if scanner.atEnd { return (13...23).contains(hour) }
    return scanner.number(digits: 2...2) != nil && scanner.atEnd
  }

  /// All amounts in a row; nil where the first is none.
  fileprivate mutating func amounts(isIn: Bool) throws(TimeStampError) -> CalendarSpan? {
    var total: CalendarSpan?
    while index < words.count {
      let start = index
      if total != nil { _ = consume("and") }
      guard let amount = try amount(isIn: isIn && total == nil) else {
        index = start
        break
      }
      guard let sum = (total ?? CalendarSpan()) + amount else { throw fault("it is too long") }
      total = sum
    }
    if isIn, total == nil {
      throw fault("a span stands behind in, such as in 20 minutes or in half an hour")
    }
    return total
  }

  /// One number and its unit.
  private mutating func amount(isIn: Bool) throws(TimeStampError) -> CalendarSpan? {
    let start = index
    if let glued = try gluedAmount() { return glued }
    let isHalf = consume("half")
    let areThree = consume("three", "quarters")
    if isHalf || areThree || consume("a", "quarter") || consume("quarter") {
      if !isHalf { _ = consume("of") }
      _ = consume("an") || consume("a")
      guard let unit = TimeWords.units[word()] else {
        index = start
        return nil
      }
      return try take(unit, times: areThree ? 3 : 1, over: isHalf ? 2 : 4)
    }
    guard var (count, scale) = number() else {
      index = start
      return nil
    }
    if consume("and", "a", "half") { (count, scale) = (2 * count + scale, 2 * scale) }
    guard let unit = TimeWords.units[word()] else {
      if isIn, index < words.count, Int(word()) == nil { throw noUnit() }
      index = start
      return nil
    }
    var amount = try take(unit, times: count, over: scale)
    if consume("and", "a", "half") {
      guard let half = unit.multiplied(by: 1, over: 2), let sum = amount + half else {
        throw fault("it is too long")
      }
      amount = sum
    }
    return amount
  }

  private func noUnit() -> TimeStampError {
    let nearest = TimeWords.nearest(word()).flatMap { TimeWords.units[$0] == nil ? nil : $0 }
    let hint = nearest.map { "; did you mean '\($0)'?" }
    return fault(
      "\(quoted(words[index].typed)) is not a unit of time"
        + (hint ?? "; write for example in 20 minutes or in 3 days"))
  }

  private mutating func take(
    _ unit: CalendarSpan, times count: Int, over scale: Int
  ) throws(TimeStampError) -> CalendarSpan {
    guard let amount = unit.multiplied(by: count, over: scale) else {
      throw fault(
        unit.months == 0 ? "it is too long" : "a part of a month has no length; write days instead")
    }
    index += 1
    return amount
  }

  /// `20`, `1.5`, `two`, `a couple of` as a fraction of whole numbers.
  private mutating func number() -> (count: Int, scale: Int)? {
    if consume("a", "couple", "of") || consume("a", "couple") { return (2, 1) }
    if let fraction = Self.fractions[word()] {
      index += 1
      return fraction
    }
    let parts = word().split(separator: "-").map(String.init)
    if parts.count == 2, let number = Self.sum(of: parts[0], parts[1]) {
      index += 1
      return (number, 1)
    }
    if let number = Self.sum(of: word(), word(1)) {
      index += 2
      return (number, 1)
    }
    if let number = TimeWords.numbers[word()] {
      index += 1
      return (number, 1)
    }
    var scanner = ByteScanner(word())
    guard let number = Self.decimal(&scanner), scanner.atEnd else { return nil }
    index += 1
    guard let part = Self.fractions[word()] else { return number }
    index += 1
    return (number.count * part.scale + part.count * number.scale, number.scale * part.scale)
  }

  /// `twenty five`; nil for other words.
  private static func sum(of tens: String, _ ones: String) -> Int? {
    guard let ten = TimeWords.numbers[tens], ten >= 20, let one = TimeWords.numbers[ones],
      one < 10, ones != "a", ones != "an"
    else { return nil }
    return ten + one
  }

  private static let fractions: [String: (count: Int, scale: Int)] = [
    "1/2": (1, 2), "1/4": (1, 4), "3/4": (3, 4), "½": (1, 2), "¼": (1, 4), "¾": (3, 4),
  ]

  private static func decimal(_ scanner: inout ByteScanner) -> (count: Int, scale: Int)? {
    guard var count = scanner.number(digits: 1...6) else { return nil }
    var scale = 1
    if scanner.consume(UInt8(ascii: ".")) {
      let digits = scanner.run(where: \.isDigit)
      guard (1...3).contains(digits.count) else { return nil }
      for digit in digits {
        count = count * 10 + Int(digit - UInt8(ascii: "0"))
        scale *= 10
      }
    }
    return (count, scale)
  }

  /// `2h`, `1h30min`, `1h30`: numbers with their units in one word.
  private mutating func gluedAmount() throws(TimeStampError) -> CalendarSpan? {
    var scanner = ByteScanner(word())
    var total = CalendarSpan()
    var isHours = false
    repeat {
      guard let (count, scale) = Self.decimal(&scanner) else { return nil }
      let name = String(decoding: scanner.run(where: \.isLetter), as: UTF8.self)
      // Minutes stand behind hours without a unit.
      let unit = name.isEmpty && isHours ? TimeWords.units["min"] : TimeWords.units[name]
      guard let unit else { return nil }
      guard let amount = unit.multiplied(by: count, over: scale), let sum = total + amount else {
        throw fault("it is too long")
      }
      isHours = name == "h"
      total = sum
    } while !scanner.atEnd
    index += 1
    return total
  }
}
