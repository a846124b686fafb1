import CivilTime

/// Reads RRULE and EXRULE as programs write them.
enum CalendarRule {
  /// A rule; nil where it cannot be read, which is named. So are the parts that are left out:
  /// parts of other programs, and an end that is none.
  static func read(_ line: ContentLine, _ leftOut: inout [Refusal]) -> RepeatRule? {
    // Some programs put blanks or empty parts between, or a backslash as in a text.
    let parts = line.value.trimmedText(limit: 4_000).uppercased()
      .filter { !$0.isWhitespace && $0 != "\\" }.split(separator: ";").map(String.init)
    let whole = Set(parts.map(name))
    let wanted = parts.filter { part in
      guard let reason = reason(toLeaveOut: part, of: whole) else { return true }
      leftOut.add(line.number, "\(part.shownInMessage): \(reason)")
      return false
    }
    do {
      return try RepeatRule(parsing: wanted.joined(separator: ";"))
    } catch {
      leftOut.add(line.number, "\(line.name): \(error.reason.shownInMessage); it does not repeat")
      return nil
    }
  }

  private static func name(_ part: String) -> String { String(part.prefix { $0 != "=" }) }

  private static func reason(toLeaveOut part: String, of names: Set<String>) -> String? {
    let name = name(part)
    let value = part.dropFirst(name.utf8.count + 1)
    switch name {
    case "COUNT" where Int(value).map { $0 <= 0 } ?? false: return "it repeats without an end"
    case "COUNT" where names.contains("UNTIL"): return "UNTIL is its end"
    case "INTERVAL" where Int(value).map { $0 <= 0 } ?? false: return "each interval counts"
    case "FREQ", "UNTIL", "COUNT", "INTERVAL", "WKST", "RSCALE", "SKIP": return nil
    default: return name.hasPrefix("BY") ? nil : "no part of RFC 5545"
    }
  }
}
