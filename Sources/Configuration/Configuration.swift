/// The merged values of several configuration files, each with its file and line.
///
/// The main file comes first, then the drop-ins. The last assignment to a scalar counts; each to a
/// list appends. An empty one resets a scalar to its default and empties a list. A line that is
/// wrong is left out and listed in ``errors``.
package struct Configuration: Sendable {
  /// The keys that are known, in the order `dump()` prints them.
  package let declared: [ConfigurationKey]
  /// Unknown sections and keys, in the order of the files, at most ``maximumWarnings``. Names that
  /// begin with `X-` are ignored, as in systemd.syntax(7).
  package let warnings: [ConfigurationWarning]
  /// Lines that are left out, at most ``maximumWarnings``: unreadable lines, then wrong values
  /// in the order they were found.
  package private(set) var errors: [ConfigurationError] = []
  /// All assignments since the last reset; of a scalar the last one counts.
  private var values: [ConfigurationKey: [ConfigurationValue]]

  /// More mistakes than this mean that the file is the wrong one.
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
        } else {
          values[key, default: []].append(value)
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
    for file in files {
      for fault in file.faults {
        report(
          ConfigurationError(
            file: file.path, line: fault.line, message: fault.message,
            concernsAccess: declared.contains { $0.concernsAccess && fault.names($0.name) }))
      }
    }
  }

  /// Adds to ``errors``. One about access is listed before the others if there are many.
  package mutating func report(_ error: ConfigurationError) {
    if errors.count < Self.maximumWarnings {
      errors.append(error)
    } else if error.concernsAccess {
      errors[0] = error
    }
  }

  /// Leaves out values for which `reason` gives an error: any of a list, and of a scalar the ones
  /// behind the last right one, which then counts.
  package mutating func leaveOut(
    _ key: ConfigurationKey, where reason: (ConfigurationValue) -> ConfigurationError?
  ) {
    guard let given = values[key] else { return }
    var right: [ConfigurationValue] = []
    var wrong: [ConfigurationError] = []
    for value in given.reversed() {
      if right.isEmpty || key.isList, let error = reason(value) {
        wrong.append(error)
      } else {
        right.append(value)
      }
    }
    for error in wrong.reversed() { report(error) }
    values[key] = right.isEmpty && !key.isList ? nil : right.reversed()
  }

  /// Back to the default.
  package mutating func reset(_ key: ConfigurationKey) { values[key] = nil }

  private struct Name: Hashable {
    let section: String
    let key: String
  }

  /// The values in force: from the files, else the defaults. A list that was emptied stays empty.
  package func values(of key: ConfigurationKey) -> [ConfigurationValue] {
    let values = values[key] ?? key.defaults.map { ConfigurationValue(text: $0, source: nil) }
    return key.isList ? values : values.suffix(1)
  }

  /// The value in force for a scalar; nil if it is neither set nor has a default.
  package func value(of key: ConfigurationKey) -> ConfigurationValue? { values(of: key).last }

  /// The values in force as a configuration file, each below a comment `# file:line` or `#
  /// default`. A comment names a key without a value.
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
