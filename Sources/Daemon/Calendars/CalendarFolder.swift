import Bytes
import CivilTime
import Glibc
import Interchange
import LinuxRuntime
import Logging
import Reminders
import Storage

/// A "vdir" folder, one task or event per calendar file, in step with the reminders made from it.
///
/// Added, changed and removed files add, change and remove reminders; completing or snoozing a
/// reminder is written into its file. `Reminder.Source.standing`, the file's last state, shows
/// which side a change comes from.
final class CalendarFolder {
  let folder: FolderFiles
  unowned let daemon: Daemon
  let log: Logger
  var watch: FolderWatch?
  var files: [String: Known] = [:] { didSet { daemon.knownCalendarDigest = nil } }
  /// Ids of the reminders of each file.
  var ids: [String: Set<String>] = [:]
  /// Failures that were logged and have not ended.
  private var said: Set<Failure> = []
  /// Changes that are still to be written, by reminder id.
  var pending: [String: CalendarChange] = [:]
  /// The last listing while files of it are still to be read, and the next of them.
  private var listing: FolderFiles.Listing?
  private var next = 0
  /// Names of the folders in it, as they were listed last.
  private(set) var folders: [String] = []
  private var turnTimer: TimerSource?

  enum Failure { case missing, readOnly, deaf, links, tooMany, notKept }

  struct Known {
    /// The version that was read.
    var stamp: FolderFiles.Stamp
    /// Why it could not be read, and whether that was said.
    var failure: String?
    var isFailureReported = false
    /// Parts of it that cannot be read.
    var leftOut: [Refusal] = []
    /// Of its reminders (`Daemon.calendarDigest`).
    var hashes: [String] = []

    init(_ stamp: FolderFiles.Stamp, _ reading: CalendarReading? = nil) {
      self.stamp = stamp
      leftOut = reading?.leftOut ?? []
      hashes = reading?.hashes ?? []
    }
  }

  /// A file that cannot be read may be half written: it is read again before that is reported.
  static let grace: Int64 = 1_000_000
  static let retryDelay: Int64 = 10_000_000

  // Others may write into the folder: these limits bound memory and time in the loop.
  static let largestFile = 4 << 20
  private static let maximumLines = 50_000
  private static let maximumReminders = 500
  /// Files that are read before the loop runs.
  private static let readAtStart = 200
  /// Limit of refusals logged per file.
  private static let maximumRefusals = 5

  init(_ path: String, daemon: Daemon, log: Logger) throws {
    folder = FolderFiles(path)
    self.daemon = daemon
    self.log = log
    _ = try daemon.store.reminders.forEach { entry in
      guard let source = entry.reminder.source, holds(source.file) else { return }
      ids[source.file, default: []].insert(entry.reminder.id)
    }
    watch = try FolderWatch(path, loop: daemon.loop) { [unowned self] in check() }
    turnTimer = try daemon.loop.addTimer(.monotonic, accuracy: 1_000) { [unowned self] _ in
      readOn()
    }
    // In turns with the clients.
    turnTimer?.setPriority(.background)
  }

  var path: String { folder.path }
  /// Files that were listed are still to be read.
  var isReading: Bool { listing != nil }

  func close() {
    watch?.close()
    turnTimer?.close()
  }

  func holds(_ file: String) -> Bool { file.hasPrefix("\(path)/") }

  var counts: (files: Int, reminders: Int, broken: Int) {
    (
      files.count, ids.values.reduce(0) { $0 + $1.count },
      files.values.count { $0.failure != nil }
    )
  }

  /// The unreadable parts until they are mended, with file, line and reason.
  var problems: [String] {
    let unreadable = files.filter { $0.value.failure != nil || !$0.value.leftOut.isEmpty }
    return unreadable.sorted { $0.key < $1.key }.flatMap { file, known in
      (known.failure.map { [$0] } ?? [])
        + known.leftOut.map { "\(file):\($0.line): left out: \($0.reason)" }
    }
  }

  // MARK: - Reading

  /// Brings the reminders in step with the files.
  func check() {
    listing = nil
    guard daemon.clock.now != nil else { return }
    if let failure = watch?.failure {
      say(.deaf, "\(path): changes are noticed on reload only: \(failure)")
    }
    guard let listing = folder.list(ending: ".ics") else {
      say(
        .missing,
        "\(path): the calendar folder cannot be read; its reminders stay as they are until it can")
      return
    }
    if said.remove(.missing) != nil { log.notice("\(path): the calendar folder can be read again") }
    if let link = listing.link {
      say(.links, "\(link): is a symbolic link; the daemon skips links in a calendar folder")
    }
    if listing.isCut {
      say(
        .tooMany,
        "\(path): has more than \(FolderFiles.maximumEntries) files; the others are skipped")
    }
    (self.listing, next, folders) = (listing, 0, listing.folders)
    readOn()
  }

  /// Reads files of the listing, as many as one turn of the loop admits.
  private func readOn() {
    guard let now = daemon.clock.now, let listing else { return }
    let turn = LoopTurn(part: 0.5)
    var merge = CalendarMerge(daemon: daemon, now: now)
    var read: [String: Known] = [:]
    // Nobody waits before the reminders are loaded.
    let least = daemon.isLoaded ? 0 : Self.readAtStart
    while next < listing.files.count, next < least || !turn.isOver {
      let file = listing.files[next]
      next += 1
      // The next check finds a removed file.
      guard let stamp = folder.stamp(of: file) else { continue }
      guard files[file].map({ $0.stamp != stamp || $0.needsCheck }) ?? true else { continue }
      if let found = reading(of: file, stamp) {
        merge.take(found.reading, from: file, before: ids[file] ?? [])
        read[file] = Known(found.stamp, found.reading)
      }
    }
    let isWhole = next == listing.files.count
    // A removed file may have a new name, in a file that is still to be read.
    var removed: Set<String> = []
    if isWhole, !listing.isCut {
      removed = Set(files.keys).union(ids.keys).subtracting(listing.files)
      merge.removed = removed
      for file in removed.sorted() { merge.forget(ids[file] ?? [], of: file) }
    }
    guard commit(merge) else {
      self.listing = nil
      return
    }
    files.merge(read) { $1 }
    for file in removed { files[file] = nil }
    guard isWhole else { return turnTimer?.arm(in: 0) ?? () }
    self.listing = nil
    retryPending()
  }

  /// Forgets that these files were read, and reads them at the next check, which is at once.
  fileprivate func readAnew(_ again: Set<String>) {
    guard !again.isEmpty else { return }
    for file in again { files[file] = nil }
    watch?.checkAgain(in: 0)
  }

  /// Reports a failure once, until it has ended.
  func say(_ failure: Failure, _ message: String) {
    if said.insert(failure).inserted { log.warning("\(message)") }
  }

  func document(
    _ file: String
  ) throws -> (document: CalendarDocument, stamp: FolderFiles.Stamp) {
    let (bytes, stamp) = try folder.read(file, limit: Self.largestFile)
    let lines = bytes.count { $0 == 0x0A || $0 == 0x0D }
    guard lines <= Self.maximumLines else { throw Oversize(file: file, what: "lines") }
    return (try CalendarDocument(bytes, name: file), stamp)
  }

  func checked(_ reading: CalendarReading, _ file: String) throws -> CalendarReading {
    guard reading.reminders.count <= Self.maximumReminders else {
      throw Oversize(file: file, what: "reminders")
    }
    return reading
  }

  private struct Oversize: Error, CustomStringConvertible {
    let file: String
    let what: String
    var description: String {
      "\(file): has too many \(what) for a file of a calendar folder, which has one task or event; "
        + "use 'georemind import'"
    }
  }

  /// Whole components of a file that another program may be writing are read at the second check.
  private struct Cut: Error, CustomStringConvertible {
    let file: String
    var description: String { "\(file): ends within a component" }
  }

  /// Reads a file; nil on failure, which leaves its reminders unchanged.
  private func reading(
    of file: String, _ listed: FolderFiles.Stamp
  ) -> (reading: CalendarReading, stamp: FolderFiles.Stamp)? {
    // The listed stamp, until the file is read.
    var stamp = listed
    var isSecondCheck: Bool { files[file]?.stamp == stamp && files[file]?.failure != nil }
    do {
      let document: CalendarDocument
      (document, stamp) = try self.document(file)
      guard !document.isCut || isSecondCheck else { throw Cut(file: file) }
      let reading = try checked(CalendarReading(document), file)
      for refusal in reading.leftOut.prefix(Self.maximumRefusals) {
        log.warning("\(file):\(refusal.line): left out: \(refusal.reason)")
      }
      let more = reading.leftOut.count - Self.maximumRefusals
      if more > 0 { log.warning("\(file): left out: \(more) more") }
      if files[file]?.isFailureReported == true { log.notice("\(file): can be read again") }
      return (reading, stamp)
    } catch {
      // The next check finds a removed file.
      if folder.stamp(of: file) == nil { return nil }
      let isSecondCheck = isSecondCheck
      var known = files[file] ?? Known(stamp)
      known.stamp = stamp
      known.failure = "\(error)"
      if isSecondCheck {
        known.isFailureReported = true
        log.error("\(error); its earlier reminders stay")
      } else {
        known.isFailureReported = false
        watch?.checkAgain(in: Self.grace)
      }
      files[file] = known
      return nil
    }
  }

  func commit(_ merge: CalendarMerge) -> Bool {
    do {
      try merge.commit()
      said.remove(.notKept)
    } catch {
      say(.notKept, "\(path): the changes cannot be kept, they are tried again: \(error)")
      watch?.checkAgain(in: Self.retryDelay)
      return false
    }
    for refusal in merge.refusals.prefix(Self.maximumRefusals) { log.warning("\(refusal)") }
    for (file, now) in merge.idsByFile { ids[file] = now.isEmpty ? nil : now }
    for folder in daemon.calendars { folder.readAnew(merge.heirs.filter(folder.holds)) }
    let (added, changed, removed) = merge.counts
    if added + changed + removed > 0 {
      log.info("\(path): \(added) reminders added, \(changed) changed, \(removed) removed")
    }
    return true
  }
}

extension CalendarFolder.Known {
  /// Whether a failure was found and is not reported yet.
  fileprivate var needsCheck: Bool { failure != nil && !isFailureReported }
}
