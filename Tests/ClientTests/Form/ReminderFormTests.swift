import ArgumentParser
import CivilTime
import Control
import Glibc
import JSONText
import Reminders
import TestSupport
import Testing

@testable import Client

@Suite struct ReminderFormTests {
  private static let milk: JSONValue = [
    "id": "2222aaaa", "kind": "location", "title": "Milk", "state": "armed", "on": "arrive",
    "place": ["name": "Rewe", "lat": .double(52.5), "lon": .double(13.4), "radius_m": 150],
    "notes": "oat\nand soy",
  ]

  private static let train: JSONValue = [
    "id": "3333", "kind": "date", "title": "Train", "due": "2026-06-14T08:00:00",
    "lead_s": [900, 300], "priority": 3, "state": "armed",
  ]

  private func form(_ json: JSONValue) throws -> ReminderForm {
    ReminderForm(try Reminder(json: json.object ?? JSONObject()))
  }

  /// What `edit` is told when a text of the form is replaced by another.
  private func arguments(
    of json: JSONValue = milk, _ old: String, _ new: String
  ) throws -> [String] {
    let form = try form(json)
    #expect(form.text.contains(old), "\(form.text)")
    return form.arguments(for: try ReminderForm.settings(in: form.text.replacing(old, with: new)))
  }

  @Test func anUntouchedFormChangesNothing() throws {
    for json in [Self.milk, Self.train] {
      let form = try form(json)
      let read = try ReminderForm.settings(in: form.text)
      #expect(read == form.settings)
      #expect(form.arguments(for: read).isEmpty)
    }
  }

  /// Whatever the kind: what is set is in the form, and typed as it stands there it is set again.
  @Test(arguments: Reminder.Kind.allCases, SampleFields.all)
  func anUntouchedFormKeepsEveryFieldOfEveryKind(kind: Reminder.Kind, sample: SampleFields) throws {
    let json = sample.document(kind)
    guard let reminder = try? Reminder(json: json) else { return }
    let form = ReminderForm(reminder)
    let read = try ReminderForm.settings(in: form.text)
    #expect(read == form.settings)
    #expect(form.arguments(for: read).isEmpty)
    // A region comes from a file.
    guard let option = sample.field.option, option.name != "region",
      sample.field.print(reminder) != nil
    else { return }
    let values = try #require(form.settings[option.name], "\(form.text)")
    guard sample.field.parse != nil else { return }
    let arguments =
      option.name == "every-visit"
      ? ["--every-visit"] : values.map { "--\(option.name)=\($0)" }
    let command = try #require(
      try GeoremindCommand.parseAsRoot(["edit", "x"] + arguments) as? EditCommand)
    let changes = try command.changes(of: json, in: Run.context())
    #expect(changes[sample.field.key] == sample.field.print(reminder))
  }

  @Test func onlyChangedLinesBecomeArguments() throws {
    #expect(try arguments("radius = 150m", "radius = 90m") == ["--radius=90m"])
    #expect(try arguments("title = Milk", "title = Milk = 2 l") == ["--title=Milk = 2 l"])
    #expect(try arguments("every-visit = no", "every-visit = yes") == ["--every-visit"])
    #expect(try arguments("#cooldown = 1h", "cooldown = 2h") == ["--cooldown=2h"])
    #expect(try arguments("and soy", "and rice") == ["--notes=oat\nand rice"])
  }

  @Test func aRemovedLineRemovesItsSetting() throws {
    #expect(try arguments("notes = oat\n  and soy\n", "") == ["--notes", ""])
    #expect(try arguments("notes = oat\n  and soy\n", "notes =\n") == ["--notes", ""])
    #expect(try arguments("on = arrive\n", "") == [])
    #expect(try arguments(of: Self.train, "priority = 3\n", "") == ["--priority=0"])
    #expect(try arguments(of: Self.train, "lead = 5min\n", "") == ["--lead=15min"])
  }

  @Test(arguments: [
    ("radius 150m", "no '='"), ("raduis = 150m", "did you mean 'radius'?"),
    ("  150m", "continues no value"), ("title = a\ntitle = b", "twice"), ("at = Rewe", "no title"),
  ])
  func anInvalidLineIsRefusedWithItsNumber(text: String, words: String) {
    let fault = #expect(throws: ReminderForm.Fault.self) { try ReminderForm.settings(in: text) }
    #expect(fault?.description.contains(words) == true)
    #expect(fault?.line == (words == "twice" ? 2 : 1))
  }

  @Test func anErrorFindsItsLine() throws {
    let text = "title = x\nradius = soon\nmax-speed = y\n"
    #expect(ReminderForm.line(of: "--radius 'soon' is no length", in: text) == 2)
    #expect(ReminderForm.line(of: "the reminder's 'max_speed_mps' cannot be", in: text) == 3)
    #expect(ReminderForm.line(of: "disk full", in: text) == nil)
    let marked = FormSession.marked(text, "no length", at: 2)
    #expect(marked == "title = x\n#! no length\nradius = soon\nmax-speed = y\n")
    #expect(
      FormSession.marked(marked, "no speed", at: 4)
        == "title = x\nradius = soon\n#! no speed\nmax-speed = y\n")
  }

  @Test func aStayBecomesAnArrival() throws {
    var dwell = Self.milk.object ?? JSONObject()
    dwell["on"] = "dwell"
    dwell["dwell_s"] = 600
    let form = try form(.object(dwell))
    let text = form.text.replacing("on = dwell", with: "on = arrive")
      .replacing("dwell = 10min\n", with: "")
    let arguments = form.arguments(for: try ReminderForm.settings(in: text))
    #expect(arguments == ["--on=arrive", "--dwell", ""])
    let command = try #require(
      try GeoremindCommand.parseAsRoot(["edit", "x"] + arguments) as? EditCommand)
    let members = try command.reminder.members(in: Run.context(), changing: dwell)
    #expect(members["on"] == "arrive")
    #expect(members["dwell_s"] == .null)
  }

  // MARK: - With an editor

  private func edit(with script: String, folder: TemporaryFolder) throws -> Run {
    let editor = try folder.file("editor", "#!/bin/sh\n\(script)\n")
    chmod(editor, 0o700)
    let daemon = try FakeDaemon { call in
      guard call.methodName == "Edit" else {
        return [VarlinkReply(parameters: ["reminder": Self.milk])]
      }
      let radius = call.parameters["changes"]?["place"]?["radius_m"]?.double ?? 0
      return radius == 90
        ? [VarlinkReply(parameters: ["reminder": Self.milk])]
        : [
          VarlinkReply(
            GeoremindError.invalidReminder(field: "place.radius_m", reason: "too much").varlink)
        ]
    }
    defer { daemon.stop() }
    return Run(
      ["edit", "2222"],
      environment: [
        "GEOREMIND_SOCKET": daemon.path, "EDITOR": editor, "TMPDIR": folder.path,
      ])
  }

  @Test func theEditorsTextIsApplied() throws {
    let folder = try TemporaryFolder()
    let run = try edit(with: #"sed -i "s/^radius = .*/radius = 90m/" "$1""#, folder: folder)
    #expect(run.status == 0, "\(run.notes)")
    #expect(run.lines.first == "Milk")
    #expect(folder.names == ["editor"])
  }

  @Test func nothingChangedIsNothingDone() throws {
    let folder = try TemporaryFolder()
    let run = try edit(with: "true", folder: folder)
    #expect(run.status == 0)
    #expect(run.notes.contains("nothing was changed"))
    #expect(run.output.isEmpty)
  }

  /// The first try has an error, the second sees it above the line and mends it.
  @Test func anErrorIsShownAgainAboveItsLine() throws {
    let folder = try TemporaryFolder()
    let run = try edit(
      with: """
        cp "$1" "\(folder.path)/seen"
        if grep -q '^#! ' "$1"; then sed -i 's/^radius = .*/radius = 90m/' "$1"
        else sed -i 's/^radius = .*/radius = wide/' "$1"; fi
        """, folder: folder)
    #expect(run.status == 0, "\(run.notes)")
    #expect(run.lines.first == "Milk")
  }

  @Test func anAbandonedFormKeepsItsText() throws {
    let folder = try TemporaryFolder()
    let run = try edit(
      with: #"sed -i "s/^radius = .*/radius = 9000km/" "$1""#, folder: folder)
    #expect(run.status == 65)
    #expect(run.notes.contains("your text is in \(folder.path)/georemind-"))
    #expect(run.notes.filter { $0 == "\n" }.count == 1)
    #expect(folder.names.count == 2)
  }

  @Test func anEditorThatFailsChangesNothing() throws {
    let run = try edit(with: "exit 3", folder: try TemporaryFolder())
    #expect(run.status == 69)
    #expect(run.notes.contains("nothing was changed"))
  }
}
