/// What opening the store did, for the journal and for people.
package struct OpeningReport: Equatable, Sendable {
  package enum Action: Equatable, Sendable {
    case opened
    case created
    /// The schema was brought up to date; the copy of before is in `backup`.
    case upgraded(from: Int64, to: Int64, backup: String)
    /// The file was damaged: it lies in `setAside` now, and a new one has what could be read.
    case replaced(damage: String, setAside: String, recovered: [RecoveredTable])
  }

  package let path: String
  package internal(set) var action: Action
  /// Further things worth a line each.
  package internal(set) var remarks: [String] = []

  /// Whether somebody should look at it.
  package var isWarning: Bool {
    if case .replaced = action { true } else { !remarks.isEmpty }
  }

  /// A sentence each.
  package var sentences: [String] { [summary] + remarks }

  private var summary: String {
    switch action {
    case .opened: return "Opened the store \(path)"
    case .created: return "Created the store \(path)"
    case .upgraded(let old, let new, let backup):
      return "Upgraded the store \(path) from version \(old) to \(new); its copy is \(backup)"
    case .replaced(let damage, let setAside, let recovered):
      let counts = recovered.map(\.description).joined(separator: ", ")
      return "The store \(path) was damaged (\(damage)) and was set aside as \(setAside); "
        + (counts.isEmpty ? "nothing in it could be read" : "kept of it: \(counts)")
    }
  }
}

/// How much of one table was saved from a damaged file.
package struct RecoveredTable: Equatable, Sendable, CustomStringConvertible {
  package let table: String
  package internal(set) var kept = 0
  /// Rows that were read but break a rule of the schema.
  package internal(set) var refused = 0
  /// Reading met damaged pages, so rows are missing.
  package internal(set) var hasGaps = false

  package var description: String {
    "\(kept) of table \(table)" + (refused > 0 ? " (\(refused) more were not valid)" : "")
      + (hasGaps ? " (others could not be read)" : "")
  }
}
