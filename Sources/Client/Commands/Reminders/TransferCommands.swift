import ArgumentParser
import Companion
import Control
import Geodesy
import Interchange
import JSONText
import Reminders
import Storage

/// Reminders and places from files into the daemon.
struct ImportCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Add the reminders and places of files, all or none.",
    discussion: """
      Reads reminders in the form of 'export', events and tasks of iCalendar files, and places of \
      GPX, KML, KMZ, GeoJSON, OwnTracks (.otrw), CSV, OpenStreetMap XML or Overpass JSON. It \
      recognizes the format by its content. Skips known reminders, by their ids, and known places.
      """)

  @Argument(help: "Files; - is standard input.", completion: .file())
  var files: [String]
  @OptionGroup var options: CommonOptions

  /// Bytes of one call, but for a larger reminder: others wait for the daemon meanwhile.
  private static let batchSize = VarlinkFramer.defaultLimit / 16
  private static let largestReminder = VarlinkFramer.defaultLimit * 3 / 4

  func run(in context: Context) throws {
    var transfer = FileTransfer(context: context, options: options)
    for file in files { try transfer.take(file) }
    try transfer.finish()
  }

  /// Adds reminders and answers their ids. Calls that `undo` takes back together are one change: on
  /// an error it takes back those before.
  static func add(_ reminders: [JSONObject], _ daemon: DaemonConnection) throws -> [String] {
    var ids: [String] = []
    let isOneChange = reminders.count <= UndoLog.maximumReminders
    for batch in try Self.batches(reminders) {
      do {
        let answer = try daemon.call(
          "Import",
          [
            "reminders": .array(batch),
            "continues": isOneChange && !ids.isEmpty ? true : nil,
          ])
        ids += (answer["ids"]?.array ?? []).compactMap(\.string)
      } catch let error {
        guard !ids.isEmpty, let failure = Failure(error), !takeBack(ids.count, daemon) else {
          throw error
        }
        throw Failure(
          failure.status, "\(failure.description); the first \(ids.count) reminders were imported")
      }
    }
    return ids
  }

  /// Takes back an import of so many reminders; returns false if it is not the last change.
  private static func takeBack(_ count: Int, _ daemon: DaemonConnection) -> Bool {
    guard let last = (try? daemon.call("ListUndo"))?["changes"]?.array?.first,
      last["method"]?.string == "Import", last["count"]?.int == count
    else { return false }
    return (try? daemon.call("Undo")) != nil
  }

  /// Splits reminders into calls.
  static func batches(_ reminders: [JSONObject]) throws(Failure) -> [[JSONValue]] {
    var batches: [[JSONValue]] = []
    var size = Int.max
    for reminder in reminders {
      let value = JSONValue.object(reminder)
      let length = value.line.utf8.count + 1
      guard length <= largestReminder else {
        let id = reminder["id"]?.string ?? ""
        throw Failure(.badData, "reminder \"\(id)\" is too large; shorten it")
      }
      if size > batchSize - length {
        batches.append([])
        size = 0
      }
      batches[batches.count - 1].append(value)
      size += length
    }
    return batches
  }
}

enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
  case json, ics, gpx, geojson
}

/// Reminders out of the daemon.
struct ExportCommand: ClientCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print all reminders.",
    discussion: """
      JSON (one object a line) and iCalendar are complete. GPX and GeoJSON hold the places of the \
      reminders, under the reminders' titles. 'place export' prints the places that you have named.
      """)

  @Option(help: "The format of the output.")
  var format = ExportFormat.json
  @OptionGroup var options: CommonOptions

  func run(in context: Context) throws {
    let reminders = try DaemonConnection(options, context).reminders()
    if format == .ics { return try printCalendar(reminders, context) }
    guard let places = PlaceWriter.Format(rawValue: format.rawValue), format != .json else {
      for reminder in reminders {
        var object = ReminderInput.withoutProgress(reminder)
        object["snoozed_until"] = reminder["snoozed_until"]
        try context.output.line(object)
      }
      return
    }
    var output = PlaceOutput(places, context)
    var leftOut = 0
    try output.begin()
    for reminder in reminders {
      if let entry = try Self.entry(reminder) { try output.write(entry) } else { leftOut += 1 }
    }
    try output.end()
    if leftOut > 0 {
      try context.note("left out: \(counted(leftOut, "reminder", "reminders")) without a place")
    }
    if leftOut < reminders.count {
      try context.note("\(format.rawValue) holds places: times and conditions are left out")
    }
  }

  /// The place or region of a reminder, under its title; nil where it has none.
  private static func entry(_ reminder: JSONObject) throws -> PlaceEntry? {
    let parsed = try Reminder(json: ReminderInput.withoutProgress(reminder))
    guard let position = parsed.area?.middle ?? parsed.place?.position else { return nil }
    var entry = PlaceEntry(
      name: parsed.title, position: position, radius: parsed.area?.reach ?? parsed.place?.radius,
      category: parsed.category, notes: parsed.notes)
    if let area = parsed.area {
      entry.shape = try PlaceShape(geoJSON: area.json, width: area.width)
    }
    return entry
  }
}

extension ExportCommand {
  private func printCalendar(_ reminders: [JSONObject], _ context: Context) throws {
    var writer = CalendarWriter(now: context.now, zone: try context.zone())
    for reminder in reminders {
      writer.add(
        try Reminder(json: ReminderInput.withoutProgress(reminder)),
        snoozedUntil: reminder["snoozed_until"]?.instant)
    }
    try context.output.part(String(decoding: writer.bytes, as: UTF8.self))
  }
}

/// Places in one of the formats, to the output.
struct PlaceOutput {
  private var writer: PlaceWriter
  private let context: Context
  private var text = ""

  init(_ format: PlaceWriter.Format, _ context: Context) {
    writer = PlaceWriter(format)
    self.context = context
  }

  mutating func begin() throws(Failure) {
    writer.begin(into: &text)
    try flush()
  }

  mutating func write(_ place: PlaceEntry) throws(Failure) {
    writer.write(place, into: &text)
    if text.utf8.count >= 1 << 16 { try flush() }
  }

  /// Ends the output and says what the format could not hold.
  mutating func end() throws(Failure) {
    writer.end(into: &text)
    try flush()
    let format = writer.format.rawValue
    if writer.flattened > 0 {
      try context.note(
        "\(format) holds no such shape: \(counted(writer.flattened, "place is", "places are")) "
          + "written as the circle around it")
    }
    if writer.shortened > 0 {
      try context.note(
        "\(format) holds less: of \(counted(writer.shortened, "place", "places")) the category, "
          + "colour or notes are left out")
    }
  }

  private mutating func flush() throws(Failure) {
    try context.output.part(text)
    text.removeAll(keepingCapacity: true)
  }
}
