/// What several configuration files say together, each value with the line that said it.
///
/// The files come in order: the main one, then the drop-ins. Of a scalar the last assignment
/// counts; a list grows by each. An empty assignment takes back what was set before it: a scalar
/// returns to its default, a list begins anew.
package struct Configuration: Sendable {
  /// The keys that are known, in the order `dump()` prints them.
  package let declared: [ConfigurationKey]
  /// Unknown sections and keys, in the order of the files. Those that begin with `X-` are left to
  /// others and not reported, as in systemd.syntax(7). At most ``maximumWarnings``.
  package let warnings: [ConfigurationWarning]
  private let values: [ConfigurationKey: [ConfigurationValue]]

  /// Who has made this many mistakes at once has passed the wrong file.
  package static let maximumWarnings = 100

  /// Complexity: O(n + u·k) for n assignments, u of them unknown, and k declared keys.
  package init(_ files: [ConfigurationFile], declared: [ConfigurationKey]) {
    var known: [Name: ConfigurationKey] = [:]
    for key in declared { known[Name(section: key.section, key: key.name)] = key }
    let sections = Set(declared.map(\.section))
    let hints = ConfigurationHints(declared)

    var values: [ConfigurationKey: [ConfigurationValue]] = [:]
    var warnings: [ConfigurationWarning] = []
    for file in files {
      for header in file.headers
      where !sections.contains(header.name) && !header.name.hasPrefix("X-")
        && warnings.count < Self.maximumWarnings
      {
        warnings.append(
          ConfigurationWarning(
            file: file.path, line: header.line, message: hints.section(header.name)))
      }
      for assignment in file.assignments where sections.contains(assignment.section) {
        let name = Name(section: assignment.section, key: assignment.key)
        guard let key = known[name] else {
          if assignment.key.hasPrefix("X-") || warnings.count >= Self.maximumWarnings { continue }
          warnings.append(
            ConfigurationWarning(
              file: file.path, line: assignment.line,
              message: hints.key(assignment.key, in: assignment.section)))
          continue
        }
        let value = ConfigurationValue(
          text: assignment.value, source: .init(file: file.path, line: assignment.line))
        if assignment.value.isEmpty {
          values[key] = key.isList ? [] : nil
        } else if key.isList {
          values[key, default: []].append(value)
        } else {
          values[key] = [value]
        }
      }
    }
    self.declared = declared
    self.values = values
    self.warnings = warnings.enumerated()
      .sorted { a, b in
        a.element.file == b.element.file
          ? (a.element.line, a.offset) < (b.element.line, b.offset) : a.offset < b.offset
      }
      .map(\.element)
  }

  private struct Name: Hashable {
    let section: String
    let key: String
  }

  /// What is in force for a key: what the files say, else the default, else nothing. A list that
  /// was emptied stays empty, whatever its default.
  package func values(of key: ConfigurationKey) -> [ConfigurationValue] {
    values[key] ?? key.defaults.map { ConfigurationValue(text: $0, source: nil) }
  }

  /// What is in force for a scalar; nil when it is neither set nor has a default.
  package func value(of key: ConfigurationKey) -> ConfigurationValue? { values(of: key).last }

  /// What is in force, as a configuration file: above each value its place, `# file:line` or
  /// `# default`; a key without a value is named in a comment.
  package func dump() -> String {
    var text = ""
    var section: String?
    for key in declared {
      if key.section != section {
        text += "\(section == nil ? "" : "\n")[\(key.section)]\n"
        section = key.section
      }
      let inForce = values(of: key)
      if inForce.isEmpty {
        text += key.defaults.isEmpty ? "# not set\n#\(key.name)=\n" : "# emptied\n\(key.name)=\n"
      }
      for value in inForce {
        // A space keeps a backslash at the end from swallowing the next line.
        let guarded = value.text.hasSuffix("\\") ? value.text + " " : value.text
        text += "# \(value.source?.description ?? "default")\n\(key.name)=\(guarded)\n"
      }
    }
    return text
  }
}
