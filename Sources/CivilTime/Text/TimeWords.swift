import Bytes

/// A part of the day that people name without an hour.
enum DayPart: String, CaseIterable {
  case morning, afternoon, evening, night

  /// Where it stands without an hour.
  var hour: Int {
    switch self {
    case .morning: 9
    case .afternoon: 15
    case .evening: 18
    case .night: 20
    }
  }

  /// The hours of the clock that belong to it.
  var hours: ClosedRange<Int> {
    switch self {
    case .morning: 0...11
    case .afternoon: 12...18
    case .evening: 16...23
    case .night: 18...23
    }
  }
}

/// The vocabulary of times as people type them: English, in lower case, independent of the locale.
enum TimeWords {
  static let daysFromToday = [
    "today": 0, "tod": 0, "tomorrow": 1, "tom": 1, "tmr": 1, "tmrw": 1, "yesterday": -1,
  ]

  static let parts = Dictionary(uniqueKeysWithValues: DayPart.allCases.map { ($0.rawValue, $0) })

  static let numbers: [String: Int] = {
    let small = [
      "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
      "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
      "twenty",
    ]
    var numbers = [
      "a": 1, "an": 1, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
      "eighty": 80, "ninety": 90,
    ]
    for (index, word) in small.enumerated() { numbers[word] = index + 1 }
    return numbers
  }()

  /// The units of spans. `m` is a minute, as in systemd.time(7).
  static let units: [String: CalendarSpan] = {
    var units: [String: CalendarSpan] = [:]
    func add(_ span: CalendarSpan, _ names: String...) { for name in names { units[name] = span } }
    add(CalendarSpan(microseconds: 1_000_000), "s", "sec", "secs", "second", "seconds")
    add(CalendarSpan(microseconds: 60_000_000), "m", "min", "mins", "minute", "minutes")
    add(CalendarSpan(microseconds: 3_600_000_000), "h", "hr", "hrs", "hour", "hours")
    add(CalendarSpan(days: 1), "d", "day", "days")
    add(CalendarSpan(days: 7), "w", "wk", "wks", "week", "weeks")
    add(CalendarSpan(days: 14), "fortnight", "fortnights")
    add(CalendarSpan(months: 1), "mo", "month", "months")
    add(CalendarSpan(months: 12), "y", "yr", "yrs", "year", "years")
    return units
  }()

  private static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  /// 1...12 for `january`, `jan` and `sept`.
  static func month(_ word: String) -> Int? {
    let name = word == "sept" ? "sep" : word
    return months.firstIndex { $0 == name || $0.prefix(3) == name }.map { $0 + 1 }
  }

  /// `february`
  static func monthName(_ month: Int) -> String { months[month - 1] }

  /// The full name, its first three letters, `tues`, `weds`, `thur` and `thurs`.
  static func weekday(_ word: String) -> Weekday? {
    ["tues": .tuesday, "weds": .wednesday, "thur": .thursday, "thurs": .thursday][word]
      ?? Weekday(name: word)
  }

  /// 1...31 of `1st`, `22nd`, `3rd`, `27th`; nil with a wrong ending.
  static func ordinal(_ word: String) -> Int? {
    var scanner = ByteScanner(word)
    guard let day = scanner.number(digits: 1...2), (1...31).contains(day) else { return nil }
    return scanner.rest == ending(ofDay: day) ? day : nil
  }

  /// Places in a month by their words; -1 is the last.
  static let ordinals = [
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "last": -1,
  ]

  /// `st` of `1st`.
  static func ending(ofDay day: Int) -> String {
    switch day {
    case 1, 21, 31: "st"
    case 2, 22: "nd"
    case 3, 23: "rd"
    default: "th"
    }
  }

  /// Words that join others and mean nothing alone.
  private static let others = [
    "at", "on", "the", "of", "in", "this", "next", "coming", "and", "from", "after", "now", "hence",
    "later", "half", "quarter", "past", "to", "couple", "am", "pm", "oclock", "noon", "midday",
    "midnight", "tonight", "weekend", "end", "start", "beginning", "quarters", "time", "eod", "eow",
    "eom", "eoy", "sow", "som", "soy",
  ]

  /// Every word that some form of a time has.
  static let all: [String] =
    (Array(daysFromToday.keys) + Array(parts.keys) + Array(numbers.keys) + Array(units.keys)
    + months + months.map { String($0.prefix(3)) } + ["sept", "tues", "weds", "thur", "thurs"]
    + Weekday.allCases.flatMap { [$0.name, $0.shortName] } + Array(ordinals.keys) + others)
    .sorted()

  private static let known = Set(all)

  static func contains(_ word: String) -> Bool { known.contains(word) }

  /// The nearest word of three letters or more to a mistyped one.
  static func nearest(_ word: String) -> String? {
    NearestWord.find(word, in: all.filter { $0.utf8.count > 2 })
  }
}

/// A word of a typed time, as it was typed and in lower case.
struct TimeWord {
  let typed: String
  let lower: String

  init(_ typed: String) {
    self.typed = typed
    var lower = typed.lowercased()
    if lower.hasPrefix("o") && lower.hasSuffix("clock") { lower = "oclock" }
    for (dotted, plain) in [("a.m.", "am"), ("p.m.", "pm"), ("a.m", "am"), ("p.m", "pm")]
    where lower.hasSuffix(dotted) {
      lower = lower.dropLast(dotted.utf8.count) + plain
    }
    // In an hour's time, in two weeks' time.
    for ending in ["'s", "’s", "'", "’"] where lower.hasSuffix(ending) {
      let unit = String(lower.dropLast(ending.count))
      if TimeWords.units[unit] != nil { lower = unit }
    }
    if lower == "&" { lower = "and" }
    // 11a and 6:30p.
    if lower.hasSuffix("a") || lower.hasSuffix("p"), lower.utf8.first?.isDigit == true,
      lower.utf8.dropLast().allSatisfy({ $0.isDigit || $0 == UInt8(ascii: ":") })
    {
      lower += "m"
    }
    self.lower = lower
  }

  /// Splits at white space of any kind and at commas; a comma within a time of day stays. An `@`
  /// counts as `at`.
  static func split(_ text: String) -> [TimeWord] {
    var words: [String] = []
    var word = ""
    func finish() {
      if !word.isEmpty { words.append(word) }
      word = ""
    }
    for character in text {
      if character.isWhitespace || character == "," && !word.contains(":") {
        finish()
      } else if character == "@" {
        finish()
        words.append("at")
      } else {
        word.append(character)
      }
    }
    finish()
    return words.map {
      var word = $0
      while word.hasSuffix(",") { word.removeLast() }
      return TimeWord(word)
    }.filter { !$0.typed.isEmpty }
  }
}
