import ArgumentParser
import CivilTime
import Control
import JSONText
import Reminders
import TestSupport
import Testing

@testable import Client

/// A value for each field of the table: its example, as the form shows it, or one from here.
struct SampleFields: Sendable, CustomTestStringConvertible {
  let field: ReminderField
  let value: JSONValue

  var testDescription: String { field.option?.name ?? field.key }

  private static let values: [String: JSONValue] = [
    "id": "b", "kind": "preemptive", "title": "B", "on": "dwell", "transport": "walking",
    "place": ["lat": .double(52.5), "lon": .double(13.4), "radius_m": 80],
    "region": [
      "type": "LineString", "coordinates": [[13, 52], [13, 53]],
    ], "width_m": 40, "near_category": "shop", "radius_m": 60, "dwell_s": 60,
    "repeat_also": ["2026-06-15T08:00:00"],
    "repeat_except": ["2026-06-17T08:00:00Z", "2026-06-16"], "zone": "Europe/Berlin",
    "zone_offset_s": 3600,
    "anchor_watch": true, "every_visit": true, "if_inside": "fire", "state": "done",
    "source": ["file": "a.ics"],
    "owner": 1000, "lead_days": [1], "repeat_start": "2026-06-13",
    "due_after": ["days": 1, "s": .double(28_800)],
  ]

  /// Every row; one without a value has none here, and no example.
  static let all: [SampleFields] = ReminderField.all.compactMap { field in
    let example = field.option?.example ?? ""
    let typed =
      example.isEmpty
      ? nil
      : try? field.json(typed: [example]) {
        try TypedTime($0, now: Run.context().now, zone: .utc, dayAlone: $1 ?? .usual).stamp
      }
    return (values[field.key] ?? typed).map { SampleFields(field: field, value: $0) }
  }

  /// A reminder of a kind with this field and what it cannot do without.
  func document(_ kind: Reminder.Kind) -> JSONObject {
    var json: JSONObject = ["id": "a", "kind": .string(kind.rawValue), "title": "A"]
    json["due"] = "2026-06-14T08:00:00"
    switch field.key {
    case "region", "width_m":
      json["region"] = Self.values["region"]
      json["width_m"] = Self.values["width_m"]
    case "near_category", "radius_m": json["near_category"] = "shop"
    case "dwell_s": json["on"] = "dwell"
    case "nag_limit": json["nag_s"] = 600
    case "lead_days": json["lead_s"] = 90_000
    case "due_after": json["repeat_start"] = "2026-06-13"
    case "zone_offset_s": json["zone"] = "Nowhere/Old"
    default: break
    }
    if kind != .date, json["region"] == nil, json["near_category"] == nil {
      json["place"] = Self.values["place"]
    }
    json[field.key] = value
    return json
  }
}

/// What one row of the table says is said everywhere.
@Suite struct FieldTableTests {
  private static let options = Set(ReminderField.all.compactMap { $0.option?.name })

  @Test func everyFieldHasASample() {
    let missing = ReminderField.all.map(\.key).filter { key in
      !SampleFields.all.contains { $0.field.key == key }
    }
    #expect(missing == [], "give the option an example, or the tests a value")
  }

  @Test func everyOptionOfTheTableIsTakenAndNoOther() {
    let labels = Mirror(reflecting: ReminderOptions()).children.compactMap(\.label)
    // 'title' is an argument of 'add' and an option of 'edit'.
    let taken = Set(labels.map(TypedField.name(ofProperty:)))
    #expect(taken.symmetricDifference(Self.options) == ["title"])
  }

  @Test func everyOptionIsALineOfTheForm() throws {
    for name in Self.options where name != "region" {
      let settings = try ReminderForm.settings(
        in: "title = x\n\(name == "title" ? "#" : "")\(name) = y")
      #expect(settings[name] != nil)
    }
  }

  /// The list of members in the interface's text.
  @Test func everyMemberIsInTheInterfaceAndNoOther() throws {
    var text = GeoremindInterface.text.split(separator: "\n").filter { $0.hasPrefix("#   ") }
      .map { $0.dropFirst(4) }.joined(separator: " ")
    for (open, close) in [("{", "}"), ("(", ")")] {
      while let start = text.firstRange(of: open), let end = text.firstRange(of: close) {
        text.removeSubrange(start.lowerBound..<end.upperBound)
      }
    }
    let members = text.split { $0 == "," || $0 == " " }.map(String.init)
    #expect(Set(members).symmetricDifference(ReminderField.all.map(\.key)) == [])
  }

  /// A property that no row reads would be lost in the store.
  @Test func everyPropertyOfAReminderHasARow() throws {
    var properties: Set<String> = []
    for sample in SampleFields.all {
      for kind in Reminder.Kind.allCases {
        let document = sample.document(kind)
        guard let reminder = try? Reminder(json: document) else { continue }
        let blank = Reminder(id: "", kind: reminder.kind == .date ? .location : .date, title: "")
        for (a, b) in zip(Mirror(reflecting: reminder).children, Mirror(reflecting: blank).children)
        where "\(a.value)" != "\(b.value)" {
          properties.insert(a.label ?? "")
        }
      }
    }
    let all = Mirror(reflecting: Reminder(id: "", kind: .date, title: "")).children.compactMap(
      \.label)
    #expect(Set(all).subtracting(properties) == ["unknown"])
  }

  @Test(arguments: Reminder.Kind.allCases, SampleFields.all)
  func everyFieldSurvivesJSON(kind: Reminder.Kind, sample: SampleFields) throws {
    let document = sample.document(kind)
    guard let reminder = try? Reminder(json: document) else { return }
    #expect(try Reminder(json: reminder.json).json == reminder.json)
    // What a kind does not print at all, such as 'on' of a date, nobody can have set.
    guard let printed = sample.field.print(reminder) else { return }
    if sample.field.key != "place", sample.field.key != "source", sample.field.key != "region" {
      #expect(printed == document[sample.field.key])
    }
  }

  /// What decides when it rings is in the sentence. The others are named here.
  @Test func everyFieldIsInTheSentenceOrSilent() throws {
    let silent: Set<String> = [
      "id", "kind", "title", "notes", "repeat_except", "zone", "state", "source", "owner",
      "repeat_start", "due_after", "zone_offset_s",
    ]
    var said: Set<String> = []
    for sample in SampleFields.all {
      for kind in Reminder.Kind.allCases {
        let document = sample.document(kind)
        var without = document
        without[sample.field.key] = nil
        guard let reminder = try? Reminder(json: document) else { continue }
        let other = try? Reminder(json: without)
        let text = ReminderSentence.text(reminder, Run.display())
        if other.map({ ReminderSentence.text($0, Run.display()) }) != text {
          said.insert(sample.field.key)
        }
      }
    }
    #expect(Set(ReminderField.all.map(\.key)).subtracting(said).subtracting(silent) == [])
  }

  /// What holds a firing back is a gate of `why`. The others are named here.
  @Test func everyFieldIsAGateOrSilent() throws {
    let silent: Set<String> = [
      "id", "kind", "title", "notes", "category", "priority", "place", "region", "width_m",
      "near_category", "radius_m", "on", "dwell_s", "anchor_watch", "nag_s", "nag_limit",
      "transport", "travel_s",
      "repeat",
      "repeat_also", "repeat_except", "repeat_start", "due_after", "lead_days", "zone",
      "zone_offset_s", "every_visit",
      "if_inside", "state", "source",
      "owner",
    ]
    func gates(_ json: JSONObject) -> [String]? {
      guard let reminder = try? Reminder(json: json) else { return nil }
      var engine = Engine(zone: .utc)
      var effects: [Effect] = []
      engine.handle(.add(reminder, nil), at: Run.now, into: &effects)
      return engine.why(reminder.id, at: Run.now)?.gates.map(\.says)
    }
    for sample in SampleFields.all where !silent.contains(sample.field.key) {
      var without = sample.document(.location)
      let with = gates(without)
      without[sample.field.key] = nil
      #expect(with != gates(without), "\(sample.field.key)")
    }
  }
}
