import Control
import Glibc
import JSONText
import LinuxRuntime
import Reminders
import Storage
import TestSupport
import Testing

@testable import Daemon

/// `add --calendar`: reminders that are written into a followed folder.
@Suite(.serialized) struct CalendarAddingTests {
  private func rig() throws -> Rig {
    let folder = try TemporaryFolder()
    for name in ["", "/tasks", "/travel"] { mkdir("\(folder.path)/calendar\(name)", 0o750) }
    try folder.file("calendar/tasks/displayname", "Shopping\n")
    return try Rig("[Calendar]\nFolder=\(folder.path)/calendar\n", folder: folder)
  }

  private func text(_ rig: Rig, _ name: String) throws -> String {
    String(decoding: try fileBytes("\(rig.folder.path)/calendar/\(name)"), as: UTF8.self)
  }

  private func add(_ rig: Rig, _ reminder: String, _ list: String = "shopping") throws -> JSONObject
  {
    try rig.client().call("Add", #"{"reminder":\#(reminder),"calendar":"\#(list)"}"#)
  }

  private static let milk = """
    {"id":"milk","kind":"location","title":"Milk","place":{"name":"Rewe","lat":53.5,"lon":10,
     "radius_m":80},"on":"depart","every_visit":true}
    """

  @Test func aPlaceIsATaskWithItsProximity() throws {
    let rig = try rig()
    let answer = try add(rig, Self.milk)
    #expect(answer["id"]?.string == "milk")
    let source = answer["reminder"]?["source"]?["file"]?.string
    #expect(source == "\(rig.folder.path)/calendar/tasks/milk.ics")
    let written = try text(rig, "tasks/milk.ics")
    for line in ["BEGIN:VTODO", "UID:milk", "SUMMARY:Milk", "PROXIMITY:DEPART", "BEGIN:VLOCATION"] {
      #expect(written.contains("\(line)\r\n"), "\(line)")
    }
    var status = stat()
    stat("\(rig.folder.path)/calendar/tasks/milk.ics", &status)
    #expect(status.st_mode & 0o777 == 0o640)
  }

  @Test(arguments: [
    milk,
    """
    {"id":"tea","kind":"date","title":"Tea","due":"2100-01-01T10:00:00","lead_s":[600,0],
     "repeat":"FREQ=DAILY;COUNT=5","notes":"green"}
    """,
    """
    {"id":"a/b","kind":"preemptive","title":"Ferry","due":"2100-01-01T10:00:00Z","transport":"cycling",
     "place":{"name":"Pier","lat":53.5,"lon":10,"radius_m":150}}
    """,
  ]) func itIsOneReminderAtEachLaterReading(_ text: String) throws {
    let rig = try rig()
    let added = try add(rig, text, "travel")["reminder"]?.object
    rig.daemon.reloadSettings()
    try rig.settle()
    let again = try Rig(
      "[Calendar]\nFolder=\(rig.folder.path)/calendar\n", folder: rig.folder)
    for rig in [rig, again] {
      let all = try rig.daemon.store.reminders.all().values
      #expect(all.count == 1)
      let shown = try rig.client().call("Show", ["id": .string(all[0].reminder.id)])
      #expect(shown["reminder"]?.object == added)
      #expect(rig.journal.troubles(.warning) == [])
    }
    var wanted = try #require(try JSONParser.parse(text).object)
    wanted["state"] = "armed"
    for (key, value) in wanted.members { #expect(added?[key] == value, "\(key)") }
  }

  /// It is completed in its file, and `undo` of the addition removes the file.
  @Test func itIsTheOneOfItsFile() throws {
    let rig = try rig()
    let client = try rig.client()
    _ = try add(rig, Self.milk.replacing(",\"every_visit\":true", with: ""))
    _ = try client.call("Done", #"{"id":"milk"}"#)
    #expect(try text(rig, "tasks/milk.ics").contains("STATUS:COMPLETED"))
    #expect(try client.error("Remove", #"{"id":"milk"}"#).name.hasSuffix("RefusedByPolicy"))
    _ = try client.call("Undo")
    #expect(try text(rig, "tasks/milk.ics").contains("STATUS:NEEDS-ACTION"))
    // The file is another one since.
    #expect(try client.error("Undo").name.hasSuffix("ChangedSince"))
    _ = try add(rig, Self.milk.replacing("milk", with: "bread"))
    _ = try client.call("Undo")
    #expect(access("\(rig.folder.path)/calendar/tasks/bread.ics", F_OK) != 0)
    rig.daemon.reloadSettings()
    #expect(rig.daemon.host.engine.reminder("bread") == nil)
  }

  /// Another program reads the same times and place.
  @Test func pythonReadsItBack() throws {
    let rig = try rig()
    _ = try add(rig, Self.milk)
    let tea =
      #"{"id":"tea","kind":"date","title":"Tea","due":"2100-01-01T10:00:00Z","lead_s":[600]}"#
    _ = try add(rig, tea)
    let script = """
      import icalendar, sys
      for name in ("milk", "tea"):
          text = open(f"{sys.argv[1]}/calendar/tasks/{name}.ics", "rb").read()
          [task] = icalendar.Calendar.from_ical(text).walk("VTODO")
          alarm = task.walk("VALARM")[0]
          print(task["UID"], task["SUMMARY"], getattr(task.get("DUE"), "dt", None),
                alarm["TRIGGER"].dt, alarm.get("PROXIMITY"))
      """
    let file = try rig.folder.file("read.py", script)
    let pipe = try #require(
      popen(
        """
        for python in python3 /usr/bin/python3; do
          $python -c 'import icalendar' 2>/dev/null && exec $python \(file) \(rig.folder.path)
        done
        """, "r"))
    var output = ""
    var line: UnsafeMutablePointer<CChar>?
    var size = 0
    while getline(&line, &size, pipe) > 0, let line { output += String(cString: line) }
    free(line)
    pclose(pipe)
    guard !output.isEmpty else {
      return print("python3-icalendar is not installed: the comparison with it is left out")
    }
    #expect(
      output == """
        milk Milk None 1976-04-01 00:55:45+00:00 DEPART
        tea Tea 2100-01-01 10:00:00+00:00 -1 day, 23:50:00 None

        """)
  }

  @Test func thePhonesChangeCounts() throws {
    let rig = try rig()
    _ = try add(rig, Self.milk)
    let file = "\(rig.folder.path)/calendar/tasks/milk.ics"
    try rig.folder.file(
      "calendar/tasks/new.tmp",
      try text(rig, "tasks/milk.ics").replacing("SUMMARY:Milk", with: "SUMMARY:Oat milk"))
    rename("\(rig.folder.path)/calendar/tasks/new.tmp", file)
    try rig.run { rig.daemon.host.engine.reminder("milk")?.title == "Oat milk" }
    unlink(file)
    try rig.run { rig.daemon.host.engine.reminder("milk") == nil }
  }

  @Test func whatCannotBeWrittenIsRefused() throws {
    let rig = try rig()
    let client = try rig.client()
    func reason(_ reminder: String, _ list: String, _ method: String = "Add") throws -> String {
      let call = #"{"reminder":\#(reminder),"calendar":"\#(list)"}"#
      return try client.error(method, call).parameters["reason"]?.string ?? ""
    }
    for method in ["Add", "Check"] {
      #expect(
        try reason(Self.milk, "x", method) == "there is no list 'x'; there are: Shopping, travel")
    }
    let near = #"{"kind":"location","title":"T","near_category":"shop"}"#
    for method in ["Add", "Check"] {
      #expect(try reason(near, "travel", method).contains("add it without --calendar"))
    }
    try rig.folder.file("calendar/travel/milk.ics", "")
    #expect(try reason(Self.milk, "travel").contains("exists already"))
    mkdir("\(rig.folder.path)/calendar/more", 0o700)
    try rig.folder.file("calendar/more/displayname", "Travel")
    #expect(try reason(Self.milk, "travel").hasPrefix("there are several lists 'travel': "))
    #expect(try rig.daemon.store.reminders.all().values.isEmpty)
    try rig.configure("[Feed]\nFeed=\n")
    rig.daemon.reloadSettings()
    #expect(try reason(Self.milk, "travel").contains("no folder is followed"))
  }

  /// A folder without folders is a list by its own name.
  @Test func aFlatFolderIsAList() throws {
    let folder = try TemporaryFolder()
    mkdir("\(folder.path)/Home", 0o700)
    let rig = try Rig("[Calendar]\nFolder=\(folder.path)/Home\n", folder: folder)
    _ = try add(rig, Self.milk, "home")
    #expect(access("\(folder.path)/Home/milk.ics", F_OK) == 0)
    let folders = try rig.client().call("Status")["status"]?["calendars"]?.array
    #expect(folders?.first?["lists"] == ["Home"])
  }
}
