import CivilTime
import Glibc
import Interchange
import LinuxRuntime
import Logging
import Reminders
import Storage

/// A folder of calendar files with one task or event each, as vdirsyncer keeps it ("vdir"), in step with
/// the reminders made from them.
///
/// A file that came, changed or went is a reminder that does. What is done and put off here is written
/// into its file. Which side a change comes from is told by `Reminder.Source.standing`: what the file
/// last said.
final class CalendarFolder {
  let path: String
  private unowned let daemon: Daemon
  private let log: Logger
  private var watch: FolderWatch?
  private var files: [String: Known] = [:]
  /// Ids of the reminders of each file.
  private var ids: [String: Set<String>] = [:]
  private var isMissingSaid = false
  private var isReadOnlySaid = false
  private var isDeafSaid = false
  /// What could not be written yet, by id.
  private var pending: [String: CalendarChange] = [:]

  fileprivate struct Known {
    /// The version that was looked at.
    var stamp: FolderListing.Stamp
    /// Why it could not be read, and whether that was said.
    var trouble: String?
    var isTroubleSaid = false
  }

  /// A file that cannot be read may be half written: it is looked at again before that is said.
  private static let grace: Int64 = 1_000_000
  private static let retryDelay: Int64 = 10_000_000

  init(_ path: String, daemon: Daemon, log: Logger) throws {
    self.path = path
    self.daemon = daemon
    self.log = log
    for entry in try daemon.store.reminders.all().values {
      guard let source = entry.reminder.source, holds(source.file) else { continue }
      ids[source.file, default: []].insert(entry.reminder.id)
    }
    watch = try FolderWatch(path, loop: daemon.loop) { [unowned self] in look() }
  }

  func close() { watch?.close() }

  func holds(_ file: String) -> Bool { file.hasPrefix("\(path)/") }

  var json: (files: Int, reminders: Int, broken: Int) {
    (
      files.count, ids.values.reduce(0) { $0 + $1.count },
      files.values.count { $0.trouble != nil }
    )
  }

  // MARK: - Reading

  /// Brings the reminders in step with the files.
  func look() {
    guard let now = daemon.clock.now else { return }
    if let trouble = watch?.trouble, !isDeafSaid {
      isDeafSaid = true
      log.warning("\(path): changes are noticed on reload only: \(trouble)")
    }
    guard let listed = FolderListing.files(in: path, ending: ".ics") else {
      if !isMissingSaid {
        isMissingSaid = true
        log.warning(
          "\(path): the calendar folder cannot be read; its reminders stay as they are until it can"
        )
      }
      return
    }
    if isMissingSaid {
      isMissingSaid = false
      log.notice("\(path): the calendar folder is there now")
    }
    var merge = CalendarMerge(daemon: daemon, now: now)
    var read: [(file: String, stamp: FolderListing.Stamp)] = []
    for (file, stamp) in listed where files[file].map({ $0.stamp != stamp || $0.needsLook }) ?? true
    {
      if let reading = reading(of: file, stamp) {
        merge.take(reading, from: file, before: ids[file] ?? [])
        read.append((file, stamp))
      }
    }
    let present = Set(listed.map(\.path))
    let gone = Set(files.keys).union(ids.keys).subtracting(present)
    for file in gone { merge.forget(ids[file] ?? [], of: file) }
    guard commit(merge) else { return }
    for (file, stamp) in read { files[file] = Known(stamp: stamp) }
    for file in gone { files[file] = nil }
    retryPending()
  }

  /// nil where it cannot be read: then the reminders it gave before stay.
  private func reading(of file: String, _ stamp: FolderListing.Stamp) -> CalendarReading? {
    do {
      let bytes = try FileBytes.read(file, limit: CalendarDocument.maximumSize)
      let reading = try CalendarReading(bytes, file: file)
      for refusal in reading.leftOut {
        log.warning("\(file):\(refusal.line): left out: \(refusal.reason)")
      }
      if files[file]?.isTroubleSaid == true { log.notice("\(file): can be read again") }
      return reading
    } catch {
      // What is gone by now is found gone with the next look.
      if FolderListing.Stamp(path: file) == nil { return nil }
      let isSecondLook = files[file]?.stamp == stamp && files[file]?.trouble != nil
      var known = files[file] ?? Known(stamp: stamp)
      known.stamp = stamp
      known.trouble = "\(error)"
      if isSecondLook {
        known.isTroubleSaid = true
        log.error("\(error); what was read of it before stays")
      } else {
        known.isTroubleSaid = false
        watch?.lookAgain(in: Self.grace)
      }
      files[file] = known
      return nil
    }
  }

  private func commit(_ merge: CalendarMerge) -> Bool {
    do {
      try merge.commit()
    } catch {
      log.error("\(path): the changes cannot be kept, they are tried again: \(error)")
      watch?.lookAgain(in: Self.retryDelay)
      return false
    }
    for (file, now) in merge.idsByFile { ids[file] = now.isEmpty ? nil : now }
    let (added, changed, removed) = merge.counts
    if added + changed + removed > 0 {
      log.info("\(path): \(added) reminders added, \(changed) changed, \(removed) removed")
    }
    return true
  }

  // MARK: - Writing

  /// Writes into its file what a person did with a reminder.
  func carry(_ change: CalendarChange, for id: String) {
    pending[id] = nil
    for _ in 0..<3 {
      do throws(FileReplacement.Failure) {
        return try write(change, for: id)
      } catch {
        switch error {
        // Read it as it is now, and do it again there.
        case .changed: continue
        case .system(let error): return failed(error, change, id)
        }
      }
    }
    pending[id] = change
    watch?.lookAgain(in: Self.grace)
  }

  private func write(_ change: CalendarChange, for id: String) throws(FileReplacement.Failure) {
    guard let now = daemon.clock.now,
      let source = try? daemon.store.reminders.reminder(id: id)?.reminder.source,
      holds(source.file), let stamp = FolderListing.Stamp(path: source.file)
    else { return }
    let file = source.file
    let after: CalendarReading
    let bytes: [UInt8]
    do {
      var document = try CalendarDocument(
        FileBytes.read(file, limit: CalendarDocument.maximumSize), name: file)
      let before = try CalendarReading(document, file: file)
      // Gone, or done there already: the next look finds that.
      guard let found = before.reminders.first(where: { $0.reminder.id == id }),
        found.reminder.state != .done, try document.apply(change, to: found, at: now)
      else { return }
      bytes = document.bytes
      after = try CalendarReading(bytes, file: file)
    } catch {
      log.error("\(error); what was done with '\(id)' is not written there")
      return
    }
    let written = try FileReplacement.replace(file, with: bytes, expected: stamp)
    var merge = CalendarMerge(daemon: daemon, now: now)
    merge.take(after, from: file, before: ids[file] ?? [])
    if commit(merge) { files[file] = Known(stamp: written) }
  }

  private func failed(_ error: SystemError, _ change: CalendarChange, _ id: String) {
    if error.isRefusal {
      if !isReadOnlySaid {
        isReadOnlySaid = true
        log.warning("\(path): what is done and put off here stays here: \(error)")
      }
    } else {
      log.error("\(error); it is tried again")
      pending[id] = change
      watch?.lookAgain(in: Self.retryDelay)
    }
  }

  private func retryPending() {
    for (id, change) in pending { carry(change, for: id) }
  }
}

extension CalendarFolder.Known {
  /// It was found wrong and that has not been said yet.
  fileprivate var needsLook: Bool { trouble != nil && !isTroubleSaid }
}

extension SystemError {
  /// The file or its folder may not be written, now or later.
  fileprivate var isRefusal: Bool { code == EACCES || code == EPERM || code == EROFS }
}
