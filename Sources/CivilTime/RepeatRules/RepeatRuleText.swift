/// Why a text is not a repeat rule.
package struct RepeatRuleError: Error, Equatable, CustomStringConvertible {
  package let text: String
  /// The fault and the remedy.
  package let reason: String

  package var description: String { "\(quoted(text)) is not a repeat rule: \(reason)" }
}

extension RepeatRule {
  /// Reads `FREQ=WEEKLY;BYDAY=MO,FR` in any case, with or without `RRULE:` in front, or one of the
  /// words hourly, daily, weekly, monthly, yearly.
  package init(parsing text: String) throws(RepeatRuleError) {
    var reader = RepeatRuleReader(text: text)
    self = try reader.rule()
  }
}

private struct RepeatRuleReader {
  let text: String

  func fault(_ reason: String) -> RepeatRuleError { RepeatRuleError(text: text, reason: reason) }

  mutating func rule() throws(RepeatRuleError) -> RepeatRule {
    var body = text.trimmed.uppercased()
    if body.hasPrefix("RRULE:") { body.removeFirst(6) }
    guard !body.isEmpty else { throw fault("it is empty; write daily or FREQ=DAILY;…") }
    if let frequency = frequency(body) { return RepeatRule(frequency) }
    // Some programs end every part with a semicolon.
    if body.hasSuffix(";") { body.removeLast() }
    var parts: [(name: String, value: String)] = []
    for item in body.split(separator: ";", omittingEmptySubsequences: false) {
      let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2 else {
        throw fault(
          item.isEmpty
            ? "there is a semicolon too many"
            : "\(quoted(item)) is neither a word such as daily nor a part NAME=VALUE")
      }
      let name = String(halves[0])
      guard !parts.contains(where: { $0.name == name }) else { throw fault("\(name) stands twice") }
      parts.append((name, String(halves[1])))
    }
    guard let value = parts.first(where: { $0.name == "FREQ" })?.value else {
      throw fault("FREQ is missing")
    }
    guard let frequency = frequency(value) else {
      throw fault(
        "FREQ=\(value): use SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY or YEARLY")
    }
    var rule = RepeatRule(frequency)
    for part in parts { try read(part.name, part.value, into: &rule) }
    try check(rule)
    return rule
  }

  private func frequency(_ word: String) -> RepeatRule.Frequency? {
    RepeatRule.Frequency.allCases.first { $0.name == word }
  }

  private func read(
    _ name: String, _ value: String, into rule: inout RepeatRule
  ) throws(RepeatRuleError) {
    switch name {
    case "FREQ": break
    case "INTERVAL": rule.interval = try number(name, value, 1...1_000_000_000)
    case "COUNT": rule.count = try number(name, value, 1...1_000_000_000)
    case "UNTIL":
      guard let until = CompactTime(value) else {
        throw fault("UNTIL=\(value): write it like 20261224 or 20261224T180000Z")
      }
      rule.until = until
    case "BYDAY": rule.days = try days(value)
    case "WKST":
      guard let day = Weekday(iCalendar: value) else {
        throw fault("WKST=\(value): a weekday is MO, TU, WE, TH, FR, SA or SU")
      }
      rule.weekStart = day
    case "RSCALE":
      guard value == "GREGORIAN" else {
        throw fault("the calendar \(quoted(value)) (RFC 7529) is not supported")
      }
    case "SKIP":
      guard let skip = RepeatRule.Skip(rawValue: value.lowercased()) else {
        throw fault("SKIP=\(value): use OMIT, BACKWARD or FORWARD")
      }
      rule.skip = skip
    default:
      guard let list = RepeatRule.lists.first(where: { $0.name == name }) else {
        throw fault("RFC 5545 has no part \(quoted(name))")
      }
      rule[keyPath: list.numbers] = try numbers(value, list)
    }
  }

  private func number(
    _ name: String, _ value: String, _ range: ClosedRange<Int>
  ) throws(RepeatRuleError) -> Int {
    var scanner = ByteScanner(value)
    guard let number = scanner.number(digits: 1...10), scanner.atEnd, range.contains(number) else {
      throw fault("\(name)=\(value): a whole number from \(range.lowerBound) is needed")
    }
    return number
  }

  private func numbers(
    _ value: String, _ list: RepeatRule.NumberList
  ) throws(RepeatRuleError) -> [Int] {
    var result: Set<Int> = []
    for item in value.split(separator: ",", omittingEmptySubsequences: false) {
      var scanner = ByteScanner(item)
      let negative = list.isSigned && scanner.consume(UInt8(ascii: "-"))
      if list.isSigned, !negative { _ = scanner.consume(UInt8(ascii: "+")) }
      guard let number = scanner.number(digits: 1...3), scanner.atEnd, list.range.contains(number)
      else {
        let limits = "\(list.range.lowerBound) to \(list.range.upperBound)"
        throw fault(
          "\(list.name): \(quoted(item)) is not \(limits)"
            + (list.isSigned ? ", or the same with a minus" : ""))
      }
      // The leap second is read as the one before it.
      result.insert(negative ? -number : list.name == "BYSECOND" ? min(number, 59) : number)
    }
    return result.sorted()
  }

  private func days(_ value: String) throws(RepeatRuleError) -> [RepeatRule.Day] {
    var result: [RepeatRule.Day] = []
    for item in value.split(separator: ",", omittingEmptySubsequences: false) {
      var scanner = ByteScanner(item)
      let negative = scanner.consume(UInt8(ascii: "-"))
      let signed = negative || scanner.consume(UInt8(ascii: "+"))
      let ordinal = scanner.number(digits: 1...2)
      guard let weekday = Weekday(iCalendar: scanner.rest), ordinal != nil || !signed,
        ordinal.map({ (1...53).contains($0) }) ?? true
      else { throw fault("BYDAY: \(quoted(item)) is not a day such as MO, 1FR or -1SU") }
      let day = RepeatRule.Day(weekday, ordinal: ordinal.map { negative ? -$0 : $0 })
      if !result.contains(day) { result.append(day) }
    }
    return result
  }

  /// The combinations that RFC 5545 rules out.
  private func check(_ rule: RepeatRule) throws(RepeatRuleError) {
    let name = rule.frequency.name
    guard rule.count == nil || rule.until == nil else {
      throw fault("COUNT and UNTIL exclude each other")
    }
    guard rule.weekNumbers.isEmpty || rule.frequency == .yearly else {
      throw fault("BYWEEKNO goes with FREQ=YEARLY only, not \(name)")
    }
    guard rule.yearDays.isEmpty || ![.daily, .weekly, .monthly].contains(rule.frequency) else {
      throw fault("BYYEARDAY does not go with FREQ=\(name)")
    }
    guard rule.monthDays.isEmpty || rule.frequency != .weekly else {
      throw fault("BYMONTHDAY does not go with FREQ=WEEKLY")
    }
    if rule.days.contains(where: { $0.ordinal != nil }) {
      guard rule.frequency >= .monthly else {
        throw fault("BYDAY with a number goes with FREQ=MONTHLY or YEARLY only, not \(name)")
      }
      guard rule.weekNumbers.isEmpty else {
        throw fault("BYDAY with a number does not go with BYWEEKNO")
      }
    }
    let others = RepeatRule.lists.dropLast()
    guard
      rule.positions.isEmpty || !rule.days.isEmpty
        || others.contains(where: { !rule[keyPath: $0.numbers].isEmpty })
    else { throw fault("BYSETPOS needs another BY part to choose from") }
  }
}

extension RepeatRule: CustomStringConvertible {
  /// The rule in the form of RFC 5545, parts in the order of its grammar; reads back as the same.
  package var description: String {
    var parts = ["FREQ=\(frequency.name)"]
    if skip != .omit {
      parts = ["RSCALE=GREGORIAN"] + parts + ["SKIP=\(skip.rawValue.uppercased())"]
    }
    if let until { parts.append("UNTIL=\(until)") }
    if let count { parts.append("COUNT=\(count)") }
    if interval != 1 { parts.append("INTERVAL=\(interval)") }
    func texts(_ lists: ArraySlice<NumberList>) -> [String] {
      lists.filter { !self[keyPath: $0.numbers].isEmpty }.map {
        "\($0.name)=" + self[keyPath: $0.numbers].map(String.init).joined(separator: ",")
      }
    }
    parts += texts(Self.lists[..<3])
    if !days.isEmpty {
      parts.append(
        "BYDAY="
          + days.map { ($0.ordinal.map(String.init) ?? "") + $0.weekday.iCalendar }
          .joined(separator: ","))
    }
    parts += texts(Self.lists[3...])
    if weekStart != .monday { parts.append("WKST=\(weekStart.iCalendar)") }
    return parts.joined(separator: ";")
  }
}

extension RepeatRule {
  typealias NumberList = (
    name: String, range: ClosedRange<Int>, isSigned: Bool,
    numbers: any WritableKeyPath<RepeatRule, [Int]> & Sendable
  )

  /// The parts that are lists of numbers, in the order of the grammar; BYDAY is the fourth part.
  static let lists: [NumberList] = [
    ("BYSECOND", 0...60, false, \.seconds), ("BYMINUTE", 0...59, false, \.minutes),
    ("BYHOUR", 0...23, false, \.hours), ("BYMONTHDAY", 1...31, true, \.monthDays),
    ("BYYEARDAY", 1...366, true, \.yearDays), ("BYWEEKNO", 1...53, true, \.weekNumbers),
    ("BYMONTH", 1...12, false, \.months), ("BYSETPOS", 1...366, true, \.positions),
  ]
}

extension RepeatRule.Frequency {
  /// The word of RFC 5545.
  package var name: String { "\(self)".uppercased() }
}

extension Weekday {
  /// `MO`, `TU`, …
  var iCalendar: String { String(name.prefix(2)).uppercased() }

  init?(iCalendar: String) {
    guard let match = Weekday.allCases.first(where: { $0.iCalendar == iCalendar }) else {
      return nil
    }
    self = match
  }
}
