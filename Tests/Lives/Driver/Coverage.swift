import ReferenceModel

/// How many reminders had each kind with each condition, and each pair of conditions.
package struct Coverage {
  private var counts: [String: Int] = [:]
  package private(set) var reminders = 0
  private var refusals: [String: Int] = [:]

  package init() {}

  package mutating func add(_ run: Run) {
    for (_, reason) in run.refused { refusals[reason, default: 0] += 1 }
    for spec in run.accepted {
      reminders += 1
      let set = Condition.allCases.filter { $0.isSet(in: spec) }
      let kind = KindName(spec).rawValue
      for condition in set {
        counts["\(kind)+\(condition)", default: 0] += 1
        for other in set where other != condition {
          counts["\(condition)+\(other)", default: 0] += 1
        }
      }
    }
  }

  private func count(_ row: String, _ column: Condition) -> Int { counts["\(row)+\(column)"] ?? 0 }

  /// The pairs that can be had and that no reminder had.
  package var missing: [String] {
    let kinds = KindName.allCases.flatMap { kind in
      Condition.allCases.filter { $0.applies(to: kind) && count(kind.rawValue, $0) == 0 }
        .map { "\(kind.rawValue) + \($0.rawValue)" }
    }
    let pairs = Condition.allCases.flatMap { row in
      Condition.allCases.filter { Self.canBePaired(row, $0) && count("\(row)", $0) == 0 }
        .map { "\(row.rawValue) + \($0.rawValue)" }
    }
    return kinds + pairs
  }

  private static func canBePaired(_ a: Condition, _ b: Condition) -> Bool {
    let exclusive: [Set<Condition>] = [[.lead, .leads], [.hours, .night], [.who, .several]]
    return a != b && !exclusive.contains([a, b])
      && !([a, b].contains(.several) && (a.isAboutMotion || b.isAboutMotion))
      && KindName.allCases.contains { a.applies(to: $0) && b.applies(to: $0) }
  }

  /// The table: a row for each kind and condition, a column for each condition.
  package var table: String {
    let columns = Condition.allCases
    func padded(_ text: String) -> String {
      String(repeating: " ", count: max(1, 12 - text.count)) + text
    }
    var lines = [padded("") + columns.map { padded($0.rawValue) }.joined()]
    for kind in KindName.allCases {
      let cells = columns.map { $0.applies(to: kind) ? "\(count(kind.rawValue, $0))" : "-" }
      lines.append(padded(kind.rawValue) + cells.map(padded).joined())
    }
    for row in columns {
      let cells = columns.map { Self.canBePaired(row, $0) ? "\(count("\(row)", $0))" : "-" }
      lines.append(padded(row.rawValue) + cells.map(padded).joined())
    }
    for (reason, count) in refusals.sorted(by: { $0.key < $1.key }) {
      lines.append("refused \(count): \(reason)")
    }
    return lines.joined(separator: "\n")
  }
}
