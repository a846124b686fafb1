import CivilTime
import Companion
import Configuration
import Geodesy
import JSONText
import Reminders

/// A reminder as lines to edit, `key = value`, the keys and words those of the options of `add`.
///
/// What was changed in the text is turned into the arguments that `edit` would have been given, so a form
/// can do what the options can, says the same errors and changes nothing that it does not name.
struct ReminderForm {
  /// A setting by its key, in the order of the form; a list has one line a value.
  typealias Settings = [String: [String]]

  /// A line that is no setting.
  struct Fault: Error, CustomStringConvertible {
    let line: Int
    let description: String
  }

  private struct Key {
    let name: String
    /// What stands in the form where it is not set.
    let example: String
    /// What `edit` is told where its line is gone; an empty text takes most settings away.
    var removal = ""
    var kinds: Set<Reminder.Kind> = [.location, .date, .preemptive]
    var isList = false
  }

  private static let keys = [
    Key(name: "title", example: ""),
    Key(name: "at", example: "52.52, 13.405", kinds: [.location]),
    Key(name: "near-category", example: "supermarket", kinds: [.location]),
    Key(name: "leave-for", example: "52.52, 13.405", kinds: [.preemptive]),
    Key(name: "by", example: "driving", removal: "driving", kinds: [.preemptive]),
    Key(name: "radius", example: "150m", kinds: [.location]),
    Key(name: "width", example: "40m", kinds: [.location]),
    Key(name: "on", example: "arrive", removal: "arrive", kinds: [.location]),
    Key(name: "dwell", example: "5min", kinds: [.location]),
    Key(name: "due", example: "tomorrow 18:00"),
    Key(name: "lead", example: "15min", kinds: [.date, .preemptive], isList: true),
    Key(name: "repeat", example: "weekly"),
    Key(name: "every-visit", example: "no", removal: "no", kinds: [.location]),
    Key(name: "cooldown", example: "1h", kinds: [.location]),
    Key(name: "if-inside", example: "wait", removal: "wait", kinds: [.location]),
    Key(name: "from", example: "tomorrow"),
    Key(name: "until", example: "2026-12-31"),
    Key(name: "hours", example: "08:00-18:00", kinds: [.location]),
    Key(name: "days", example: "mon..fri", kinds: [.location]),
    Key(name: "max-speed", example: "20km/h", kinds: [.location]),
    Key(name: "category", example: "Errands"),
    Key(name: "priority", example: "5", removal: "0"),
    Key(name: "notes", example: "more words"),
  ]

  let text: String
  let settings: Settings

  init(_ reminder: Reminder) {
    settings = Self.settings(of: reminder)
    var text = """
      # \(reminder.title.printable) (\(reminder.id.printable))
      #
      # One setting a line, in the words of 'georemind add --help'. Change, add or remove
      # lines; those that begin with '#' are remarks, and one that begins with a blank goes
      # on with the value above. Save and leave to apply. Nothing changed: nothing happens.


      """
    for key in Self.keys where key.kinds.contains(reminder.kind) {
      if let values = settings[key.name] {
        for value in values { text += Self.line(key.name, value) }
        if key.name == "at" || key.name == "leave-for", let place = reminder.place,
          place.name != nil
        {
          text += "#  which is at \(place.position.formatted(.decimalDegrees))\n"
        }
      } else if let remark = Self.remark(on: key.name, of: reminder) {
        text += remark
      } else {
        text += "#\(key.name) = \(key.example)\n"
      }
    }
    self.text = text
  }

  private static func line(_ key: String, _ value: String) -> String {
    let lines = value.split(separator: "\n", omittingEmptySubsequences: false)
    return "\(key) = \(lines.joined(separator: "\n  "))\n"
  }

  /// In place of an example that would not do.
  private static func remark(on key: String, of reminder: Reminder) -> String? {
    switch key {
    case "at" where reminder.area != nil:
      "#  a region: 'georemind edit ID --region FILE' gives it another shape\n"
    case "at" where reminder.nearCategory != nil,
      "near-category" where reminder.nearCategory == nil,
      "radius" where reminder.area != nil, "width" where reminder.area?.width == nil:
      ""
    default: nil
    }
  }

  private static func settings(of reminder: Reminder) -> Settings {
    var settings: Settings = [:]
    func set(_ key: String, _ value: String?) { settings[key] = value.map { [$0] } }
    func metres(_ length: Double?) -> String? {
      length.flatMap { JSONNumber($0) }.map { "\($0.text)m" }
    }
    set("title", reminder.title)
    let isPreemptive = reminder.kind == .preemptive
    set(isPreemptive ? "leave-for" : "at", reminder.place.map { ReminderSentence.name($0) })
    set("near-category", reminder.nearCategory)
    if reminder.kind == .location {
      set("radius", metres(reminder.nearRadius ?? reminder.place?.radius))
      set("width", metres(reminder.area?.width))
      set("on", reminder.trigger.rawValue)
      set("dwell", reminder.trigger == .dwell ? reminder.dwell.description : nil)
      set("every-visit", reminder.everyVisit ? "yes" : "no")
      set("if-inside", reminder.ifInside.rawValue)
    }
    if isPreemptive { set("by", reminder.transport.rawValue) }
    set("due", reminder.due?.description)
    if !reminder.leads.isEmpty { settings["lead"] = reminder.leads.map(\.description) }
    set("repeat", reminder.repeatRule?.description)
    set("cooldown", reminder.cooldown > .zero ? reminder.cooldown.description : nil)
    set("from", reminder.from?.description)
    set("until", reminder.until?.description)
    set("hours", reminder.hours?.description)
    set("days", reminder.days?.description)
    set(
      "max-speed",
      reminder.maximumSpeed.flatMap { JSONNumber($0) }.map { "\($0.text)m/s" })
    set("category", reminder.category)
    set("priority", reminder.priority > 0 ? "\(reminder.priority)" : nil)
    set("notes", reminder.notes)
    return settings
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
          throw Fault(line: index + 1, description: "it begins with a blank below no value")
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
      guard settings[name] == nil || key.isList else {
        throw Fault(line: index + 1, description: "'\(name)' is there twice; leave one")
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

  /// What `edit` is to be told for these settings in place of the form's own.
  func arguments(for new: Settings) -> [String] {
    Self.keys.flatMap { key -> [String] in
      let old = settings[key.name]
      guard let values = new[key.name] else {
        return old == nil || old == [key.removal] ? [] : Self.arguments(key.name, [key.removal])
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
    // Left to the parser, which says what is wrong with it.
    default: return values.map { "--\(key)=\($0)" }
    }
  }

  /// The line of the setting that an error's words are about.
  static func line(of message: String, in text: String) -> Int? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for key in keys.sorted(by: { $0.name.count > $1.name.count }) {
      guard message.contains("--\(key.name)") || message.contains("'\(field(of: key.name))") else {
        continue
      }
      if let index = lines.firstIndex(where: { $0.hasPrefix(key.name) }) { return index + 1 }
    }
    return nil
  }

  /// The reminder's member behind a key, which the daemon's errors name.
  private static func field(of key: String) -> String {
    switch key {
    case "at", "leave-for": "place"
    case "radius": "place.radius"
    default: key.split(separator: "-").joined(separator: "_")
    }
  }
}
