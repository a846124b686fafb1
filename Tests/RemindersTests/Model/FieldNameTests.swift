import CivilTime
import JSONText
import TestSupport
import Testing

@testable import Reminders

/// Members of a document that no field has.
@Suite struct FieldNameTests {
  private func reminder(_ members: String) throws -> Reminder {
    let text = #"{"id":"r","title":"x","due":"2026-06-12T17:00:00Z",\#(members)}"#
    return try Reminder(json: try #require(JSONParser.parse(text).object))
  }

  /// A letter that is left out, doubled, changed or swapped in the name of any field.
  @Test func aMisspelledFieldIsNamedWithTheRightOne() throws {
    var random = SeededGenerator(seed: 48)
    let keys = Set(ReminderField.all.map(\.key))
    for key in keys where key.utf8.count > 3 {
      for _ in 0..<20 {
        var letters = Array(key)
        let index = Int.random(in: 0..<letters.count - 1, using: &random)
        switch Int.random(in: 0...3, using: &random) {
        case 0: letters.remove(at: index)
        case 1: letters.insert(letters[index], at: index)
        case 2: letters[index] = "q"
        default: letters.swapAt(index, index + 1)
        }
        let name = String(letters)
        guard !keys.contains(name), !name.hasPrefix("x") else { continue }
        let error = #expect(throws: ReminderError.self, "\(name)") {
          try reminder(#""\#(name)":1"#).checkConditions(in: .utc)
        }
        #expect(error?.field == name)
        #expect(error?.reason.contains("did you mean '") == true)
      }
    }
    let error = #expect(throws: ReminderError.self) {
      try reminder(#""evry_visit":true"#).checkNames()
    }
    #expect(error?.reason.contains("'every_visit'") == true)
  }

  @Test func otherUnknownFieldsAreStoredAndNamed() throws {
    let found = try reminder(#""min_altitude_m":90,"x_evry_visit":true,"xevery_visit":1"#)
    try found.checkConditions(in: .utc)
    #expect(found.unknownNames == ["min_altitude_m"])
    #expect(found.ignoredFields == ["min_altitude_m"])
    #expect(ReminderField.related(to: "min_altitude_m") == "min_speed_mps")
    #expect(try Reminder(json: found.json) == found)
    #expect(found.json["min_altitude_m"]?.int == 90)
  }

  /// A stored reminder with a misspelled field can still be edited, and shows the name.
  @Test func aStoredMisspellingIsNoErrorOfAnotherChange() throws {
    let old = try reminder(#""evry_visit":true"#)
    var changed = old
    changed.title = "y"
    try changed.checkConditions(in: .utc, changing: old)
    #expect(changed.ignoredFields == ["evry_visit"])
  }

  @Test func titlesAndNamesAreOnOneLine() throws {
    let found = try reminder(
      #""notes":"a\nb","category":"A\tB","place":{"name":"Wild\n camp","lat":1,"lon":2}"#)
    #expect(found.notes == "a\nb" && found.category == "A B")
    #expect(found.place?.name == "Wild camp")
  }
}
