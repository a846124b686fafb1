import Bytes
import CivilTime
import Companion
import Configuration
import Geodesy
import JSONText
import Reminders

/// A reminder as lines `key = value` to edit, with the keys and words of the options of `add`.
///
/// Changed lines become arguments of `edit`, so a form has its abilities and errors, and settings
/// without a change stay as they are.
struct ReminderForm {
  /// A setting by its key, in the order of the form; a list has one line a value.
  typealias Settings = [String: [String]]

  /// A line that is no setting.
  struct Fault: Error, CustomStringConvertible {
    let line: Int
    let description: String
  }

  /// A row of the form: a field with an option, by its name.
  private static let keys = ReminderField.all.compactMap { field in
    field.option.map { (name: $0.name, option: $0, field: field) }
  }

  let text: String
  let settings: Settings

  /// Every field that is set is shown, whatever the kind.
  init(_ reminder: Reminder) {
    var settings: Settings = [:]
    var text = """
      # \(reminder.title.printable) (\(reminder.id.printable))
      #
      # One setting a line, in the words of 'georemind add --help'. Change, add or remove
      # lines. A line that begins with '#' is a remark; a line that begins with a blank
      # continues the value above. Save and leave to apply. Without a change nothing happens.


      """
    for key in Self.keys {
      let isOffered = key.option.kinds.contains(reminder.kind)
      var values = key.field.texts(reminder)
      // A choice is shown with its default.
      if values.isEmpty, isOffered, !key.field.words.isEmpty { values = [key.field.removal] }
      for value in values { text += Self.line(key.name, value) }
      if !values.isEmpty {
        settings[key.name] = values
      } else if isOffered {
        text += Self.remark(on: key.option, of: reminder)
      }
      if key.field.key == "place", !values.isEmpty, let place = reminder.place, place.name != nil {
        text += "#  which is at \(place.position.formatted(.decimalDegrees))\n"
      }
    }
    self.settings = settings
    self.text = text
  }

  private static func line(_ key: String, _ value: String) -> String {
    let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
    return "\(key) = \(lines.joined(separator: "\n  "))\n"
  }

  /// Remark for a setting without a value: an example, where one helps.
  private static func remark(on option: ReminderField.Option, of reminder: Reminder) -> String {
    switch option.name {
    case "at" where reminder.area != nil:
      "#  a region: 'georemind edit ID --region FILE' gives it another shape\n"
    case "at" where reminder.nearCategory != nil, "radius" where reminder.area != nil: ""
    default: option.example.isEmpty ? "" : "#\(option.name) = \(option.example)\n"
    }
  }

  // MARK: - Reading

  /// The settings of an edited text.
  static func settings(in text: String) throws(Fault) -> Settings {
    var settings: Settings = [:]
    var last: String?
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let trimmed = trimmed(line)
      if line.hasPrefix("#") || trimmed.isEmpty { continue }
      if line.first == " " || line.first == "\t" {
        guard let last, var values = settings[last], let value = values.popLast() else {
          throw Fault(line: index + 1, description: "it begins with a blank and continues no value")
        }
        values.append("\(value)\n\(trimmed)")
        settings[last] = values
        continue
      }
      guard let sign = line.firstIndex(of: "=") else {
        throw Fault(line: index + 1, description: "it has no '='; write it like 'radius = 150m'")
      }
      let name = Self.trimmed(line[..<sign])
      guard let key = keys.first(where: { $0.name == name }) else {
        let hint = NearestWord.find(name, in: keys.map(\.name)).map { "; did you mean '\($0)'?" }
        throw Fault(
          line: index + 1, description: "there is no setting '\(name)'\(hint ?? "")")
      }
      let value = Self.trimmed(line[line.index(after: sign)...])
      guard settings[name] == nil || key.field.isList else {
        throw Fault(line: index + 1, description: "'\(name)' occurs twice; remove one")
      }
      last = name
      // An empty value is a setting that is taken away.
      if !value.isEmpty { settings[name, default: []].append(value) }
    }
    guard settings["title"] != nil else {
      throw Fault(line: 1, description: "there is no title; write 'title = …'")
    }
    return settings
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text.drop { $0 == " " || $0 == "\t" || $0 == "\r" }
    while let last = text.last, last == " " || last == "\t" || last == "\r" { text.removeLast() }
    return String(text)
  }

  /// Arguments of `edit` that turn the form's settings into these.
  func arguments(for new: Settings) -> [String] {
    Self.keys.flatMap { key -> [String] in
      let old = settings[key.name]
      let removal = key.field.removal
      guard let values = new[key.name] else {
        return old == nil || old == [removal] ? [] : Self.arguments(key.name, [removal])
      }
      return values == old ? [] : Self.arguments(key.name, values)
    }
  }

  private static func arguments(_ key: String, _ values: [String]) -> [String] {
    // The parser takes `--key=` for a key without a value.
    guard key == "every-visit" else {
      return values.flatMap { $0.isEmpty ? ["--\(key)", ""] : ["--\(key)=\($0)"] }
    }
    switch values.first?.lowercased() {
    case "yes", "true", "on", "1": return ["--every-visit"]
    case "no", "false", "off", "0": return ["--no-every-visit"]
    // The parser reports errors in it.
    default: return values.map { "--\(key)=\($0)" }
    }
  }

  /// The line of the setting that an error's words are about.
  static func line(of message: String, in text: String) -> Int? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for key in keys.sorted(by: { $0.name.count > $1.name.count }) {
      let parts = key.name == "radius" ? ["'place.radius_m", "'radius_m"] : ["'\(key.field.key)"]
      guard (["--\(key.name)"] + parts).contains(where: message.contains) else { continue }
      if let index = lines.firstIndex(where: { $0.hasPrefix(key.name) }) { return index + 1 }
    }
    return nil
  }
}
