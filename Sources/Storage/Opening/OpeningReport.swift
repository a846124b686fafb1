/// The result of opening the store, for the journal and for people.
package struct OpeningReport: Equatable, Sendable {
  package enum Action: Equatable, Sendable {
    case opened
    case created
    /// The schema was upgraded; `backup` holds the earlier database.
    case upgraded(from: Int64, to: Int64, backup: String)
    /// The damaged file was moved to `setAside`; a new one holds the readable rows.
    case replaced(damage: String, setAside: String, recovered: [RecoveredTable])
  }

  package let path: String
  package internal(set) var action: Action
  /// Further remarks, one line each.
  package internal(set) var remarks: [String] = []

  /// Whether the user should check the store.
  package var isWarning: Bool {
    if case .replaced = action { true } else { !remarks.isEmpty }
  }

  /// The summary and remarks, a sentence each.
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

/// Rows recovered from a table of a damaged file.
package struct RecoveredTable: Equatable, Sendable, CustomStringConvertible {
  package let table: String
  package internal(set) var kept = 0
  /// Rows read but rejected by the schema.
  package internal(set) var refused = 0
  /// Whether damaged pages were met, so that rows are missing.
  package internal(set) var hasGaps = false

  package var description: String {
    "\(kept) of table \(table)" + (refused > 0 ? " (\(refused) more were not valid)" : "")
      + (hasGaps ? " (others could not be read)" : "")
  }
}
