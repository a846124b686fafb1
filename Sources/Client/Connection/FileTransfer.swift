import CivilTime
import Companion
import Interchange
import JSONText
import Reminders
import Storage

/// Sends files to the daemon, all or nothing.
///
/// Places are sent as they are read and stay hidden; reminders are collected. Once every file is
/// read, the reminders are added and the places published.
struct FileTransfer {
  let context: Context
  let options: CommonOptions
  /// All places get this category, whatever their file says.
  var category: String?
  /// Reminders are refused.
  var isForPlacesOnly = false

  /// Reminders as the daemon takes them; known ones are skipped.
  private var reminders: [JSONObject] = []
  private var knownReminders = 0
  /// The file of each id.
  private var origins: [String: String] = [:]
  private var daemon: DaemonConnection?
  private var upload: PlaceUpload?
  private var reports: [JSONObject] = []
  private var refusals: [String] = []
  private var refused = 0
  /// Assumptions about files, and fields without effect.
  private var notes: [String] = []

  /// Number of refusals that are printed one by one.
  private static let maximumRefusals = 20

  init(
    context: Context, options: CommonOptions, category: String? = nil,
    isForPlacesOnly: Bool = false
  ) {
    self.context = context
    self.options = options
    self.category = category
    self.isForPlacesOnly = isForPlacesOnly
  }

  /// Reads one file; an error undoes all.
  mutating func take(_ path: String) throws {
    do {
      let source = try ByteSource(path: path)
      switch try FileKind.of(source) {
      case .places(let format): try takePlaces(source, format)
      case .reminders where !isForPlacesOnly: try takeReminders(source)
      case .reminders: throw Self.wrong(source, "holds reminders; 'georemind import' takes them")
      case .calendar where !isForPlacesOnly: try takeCalendar(source)
      case .calendar: throw Self.wrong(source, "is a calendar; 'georemind import' takes it")
      case .recording:
        throw Self.wrong(source, "is a recording of a receiver; 'georemind replay' plays it")
      case .empty: throw Self.wrong(source, "is empty")
      case .unknown(let reason): throw Self.wrong(source, reason)
      }
    } catch let error {
      upload?.abandon()
      if let error = error as? InterchangeError, error.isMissing {
        throw Failure(.noInput, error.description)
      }
      throw error
    }
  }

  private static func wrong(_ source: ByteSource, _ reason: String) -> Failure {
    Failure(.badData, "\(source.name): \(reason)")
  }

  private mutating func takeReminders(_ source: ByteSource) throws {
    let bytes = try source.readAll(limit: ReminderFile.maximumSize)
    var unknownNames: Set<String> = []
    for reminder in try ReminderFile.parseWhole(bytes, file: source.name).reminders {
      if let other = origins.updateValue(source.name, forKey: reminder.id) {
        throw Self.wrong(
          source, "the id \"\(reminder.id)\" is in \(other) already; give it another")
      }
      reminders.append(reminder.json)
      unknownNames.formUnion(reminder.unknownNames)
    }
    // No field, yet read with the state `snoozed` that `export` writes beside it.
    for name in unknownNames.sorted() where name != "snoozed_until" {
      let related = ReminderField.related(to: name).map { ", which resembles '\($0)'," } ?? ""
      notes.append(
        "\(source.name): '\(name)'\(related) is no field of a reminder; it is kept, without effect")
    }
  }

  /// Reads a calendar. One-time dates more than a day past count as fired.
  private mutating func takeCalendar(_ source: ByteSource) throws {
    let document = try CalendarDocument(source)
    let reading = CalendarReading(document)
    if reading.reminders.isEmpty, reading.unalarmed.isEmpty, let first = reading.leftOut.first {
      throw Failure(
        .badData, "\(source.name):\(first.line): \(first.reason); nothing else is left of it")
    }
    let zone = try context.zone()
    for found in reading.reminders {
      var object = found.settled(at: context.now, zone: zone).reminder.json
      object["snoozed_until"] = found.snoozedUntil.map { .string($0.json) }
      // Programs that put one task into several files mean the same one.
      if origins.updateValue(source.name, forKey: found.reminder.id) == nil {
        reminders.append(object)
      }
    }
    let leftOut = (reading.leftOut + reading.unalarmed).sorted { $0.line < $1.line }
    refused += leftOut.count
    refusals += leftOut.map { "\(source.name):\($0.line): left out: \($0.reason)" }
  }

  /// The reminders that the daemon does not have.
  private mutating func newReminders() throws -> [JSONObject] {
    guard !reminders.isEmpty else { return [] }
    let known = Set(try connect().reminders().compactMap { $0["id"]?.string })
    let new = reminders.filter { !known.contains($0["id"]?.string ?? "") }
    knownReminders = reminders.count - new.count
    return new
  }

  private mutating func takePlaces(_ source: ByteSource, _ format: PlaceFormat) throws {
    let upload = try startUpload()
    let before = (upload.added, upload.known, upload.moved)
    var progress = ProgressNote(
      context: context, name: source.name, size: source.size, isOnlyOutput: true)
    let category = category
    let report = try PlaceFile.read(source, as: format) { place in
      var place = place
      if let category { place.category = category }
      try upload.add(place)
      try progress.update(source.bytesRead)
    }
    try upload.flush()
    try progress.finish()
    guard report.taken > 0 else {
      guard let first = report.refusals.first else { throw Self.wrong(source, "holds no place") }
      throw Failure(
        .badData, "\(source.name):\(first.line): \(first.reason); the file holds no other place")
    }
    refused += report.refused
    if let notice = report.notice { notes.append("\(source.name): \(notice)") }
    refusals += report.refusals.map { "\(source.name):\($0.line): left out: \($0.reason)" }
    reports.append([
      "file": .string(source.name), "format": .string(format.rawValue),
      "added": .int(upload.added - before.0), "known": .int(upload.known - before.1),
      "moved": .int(upload.moved - before.2), "refused": .int(report.refused),
      "refusals": .array(
        report.refusals.map { ["line": .int($0.line), "reason": .string($0.reason)] }),
    ])
  }

  private mutating func connect() throws -> DaemonConnection {
    if let daemon { return daemon }
    let connection = try DaemonConnection(options, context)
    daemon = connection
    return connection
  }

  private mutating func startUpload() throws -> PlaceUpload {
    if let upload { return upload }
    let started = try PlaceUpload(try connect())
    upload = started
    return started
  }

  /// Adds the reminders and places, and prints the result.
  mutating func finish() throws {
    var ids: [String] = []
    do {
      let new = try newReminders()
      if !new.isEmpty || upload == nil { ids = try ImportCommand.add(new, try connect()) }
      try upload?.finish()
    } catch let error {
      upload?.abandon()
      throw error
    }
    if options.json {
      for id in ids { try context.output.line(["id": .string(id)]) }
      for report in reports { try context.output.line(report) }
    } else {
      try report(ids.count)
    }
  }

  private func report(_ count: Int) throws {
    for note in notes { try context.note(note) }
    for refusal in refusals.prefix(Self.maximumRefusals) { try context.note(refusal) }
    if refused > Self.maximumRefusals {
      try context.note("… and \(refused - Self.maximumRefusals) more left out")
    }
    func say(_ added: String, moved: Int = 0, known: Int, refused: Int) throws(Failure) {
      let rest = [(moved, "moved"), (known, "known already"), (refused, "left out")]
        .filter { $0.0 > 0 }.map { ", \($0.0) \($0.1)" }
      try context.output.line("Imported \(added)\(rest.joined())")
    }
    if count > 0 || knownReminders > 0 || upload == nil {
      try say(
        counted(count, "reminder", "reminders"), known: knownReminders,
        refused: upload == nil ? refused : 0)
    }
    guard let upload else {
      if 1...UndoLog.maximumReminders ~= count { try context.noteUndo(options) }
      return
    }
    try say(
      counted(upload.added, "place", "places"), moved: upload.moved, known: upload.known,
      refused: refused)
  }
}
