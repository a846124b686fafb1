import Companion

/// A shipped script for a hook. Its settings are lines such as `url=${NTFY_URL:-CHANGE-ME}`.
struct HookRecipe {
  struct Setting: Equatable {
    let name: String
    let fallback: String
    /// Whether the script works without: a word in capitals must be replaced.
    var isOptional: Bool {
      let capitals = fallback.utf8.map { (0x41...0x5A).contains($0) }
      return !zip(capitals, capitals.dropFirst()).contains { $0 && $1 }
    }
  }

  let name: String
  private let lines: [String]

  init(name: String, text: String) {
    self.name = name
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  var settings: [Setting] { lines.compactMap(Self.setting) }

  /// The script with these values.
  /// - Throws: `Failure` for an unknown setting, a missing one, and a value of several lines.
  func filled(_ values: [String: String]) throws(Failure) -> String {
    let settings = settings
    if let unknown = values.keys.sorted().first(where: { key in
      !settings.contains { $0.name == key }
    }) {
      throw Failure(
        .usage,
        "recipe \(name) has no setting '\(unknown)': its settings are "
          + settings.map(\.name).joined(separator: ", "))
    }
    if let missing = settings.first(where: { !$0.isOptional && values[$0.name] == nil }) {
      throw Failure(
        .usage,
        "recipe \(name) needs \(missing.name)=, in the form of \(missing.fallback)")
    }
    if let (key, _) = values.first(where: { $0.value.utf8.contains { $0 < 0x20 || $0 == 0x7F } }) {
      throw Failure(.usage, "\(key)= has a control character")
    }
    return lines.map { line in
      guard let setting = Self.setting(line), let value = values[setting.name] else { return line }
      return "\(setting.name)=\(Self.quoted(value))"
    }.joined(separator: "\n")
  }

  private static func setting(_ line: String) -> Setting? {
    guard let equals = line.firstIndex(of: "="), line.hasSuffix("}"),
      let start = line.firstRange(of: ":-")
    else { return nil }
    let name = line[..<equals]
    let variable = line[line.index(after: equals)..<start.lowerBound]
    guard !name.isEmpty, name.allSatisfy({ $0.isASCII && $0.isLowercase }),
      variable.hasPrefix("${"),
      variable.dropFirst(2).allSatisfy({ $0.isASCII && $0.isUppercase || $0 == "_" })
    else { return nil }
    return Setting(name: String(name), fallback: String(line[start.upperBound...].dropLast()))
  }

  /// One word for the shell (POSIX, 2.2.2).
  private static func quoted(_ value: String) -> String {
    "'" + value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }
}
