import Bytes
import Glibc
import Interchange
import LinuxRuntime
import Logging
import Reminders
import Storage

/// Writes the commands of people into the files of their reminders.
extension CalendarFolder {
  /// The content of a file, by its fingerprint; nil if it cannot be read.
  func fingerprint(of file: String) -> String? {
    (try? folder.read(file, limit: Self.largestFile)).map { Fingerprint($0.0).text }
  }

  /// Drops a change of this reminder that is still to be written.
  func dropPending(for id: String) { pending[id] = nil }

  /// Writes into its file what a person did with a reminder.
  func carry(_ change: CalendarChange, for id: String) {
    pending[id] = nil
    for _ in 0..<3 {
      do throws(FolderFiles.ReplacementFailure) {
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
    watch?.checkAgain(in: Self.grace)
  }

  private func write(
    _ change: CalendarChange, for id: String
  ) throws(FolderFiles.ReplacementFailure) {
    guard let now = daemon.clock.now,
      let file = try? daemon.store.reminders.reminder(id: id)?.reminder.source?.file,
      holds(file), folder.stamp(of: file) != nil
    else { return }
    let after: CalendarReading
    let bytes: [UInt8]
    let item: CalendarComponent?
    let stamp: FolderFiles.Stamp
    do {
      var document: CalendarDocument
      (document, stamp) = try self.document(file)
      let before = try checked(CalendarReading(document), file)
      // Removed or completed in the file already: the next check finds that.
      guard let found = before.reminders.first(where: { $0.reminder.id == id }),
        found.reminder.state != .done || change.isReturn
      else { return }
      item = document.item(found.item)
      guard try document.apply(change, to: found, at: now, in: daemon.host.engine.zone)
      else { return }
      bytes = document.bytes
      after = try CalendarReading(bytes, file: file)
    } catch {
      log.error("\(error); the change of '\(id)' is not written to the file")
      return
    }
    let written = try folder.replace(file, with: bytes, expected: stamp)
    var merge = CalendarMerge(daemon: daemon, now: now)
    merge.take(after, from: file, before: ids[file] ?? [])
    if let item, !change.isRestoration {
      merge.before = CalendarItemBefore(
        reminder: id, item: item.bytes, file: Fingerprint(bytes))
    }
    if commit(merge) { files[file] = Known(written, after) }
  }

  private func failed(_ error: SystemError, _ change: CalendarChange, _ id: String) {
    if error.isRefusal {
      say(.readOnly, "\(path): changes of its reminders cannot be written back: \(error)")
    } else {
      log.error("\(error); it is tried again")
      pending[id] = change
      watch?.checkAgain(in: Self.retryDelay)
    }
  }

  func retryPending() {
    for (id, change) in pending { carry(change, for: id) }
  }
}

extension SystemError {
  /// The file or its folder may not be written, now or later.
  fileprivate var isRefusal: Bool { code == EACCES || code == EPERM || code == EROFS }
}
