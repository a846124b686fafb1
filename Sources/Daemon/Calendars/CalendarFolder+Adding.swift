import Bytes
import CivilTime
import Control
import Glibc
import Interchange
import LinuxRuntime
import Logging
import Reminders
import Storage

/// A list of a calendar folder: the folder itself, or a folder of files in it.
struct CalendarList {
  let folder: CalendarFolder
  let path: String
  /// The content of its file `displayname`, which vdirsyncer stores, and the folder's own name.
  let names: [String]
}

/// Writes new reminders into calendar folders, as tasks.
extension CalendarFolder {
  /// - Parameter folders: names of the folders in it, of the last listing or of now.
  func lists(_ folders: [String]) -> [CalendarList] {
    let inner = folders.map { name in
      let title = try? folder.read("\(path)/\(name)/displayname", limit: 4_096).0
      let shown = title.map {
        String(decoding: $0, as: UTF8.self).onOneLine.trimmedText(limit: 200)
      }
      return CalendarList(
        folder: self, path: "\(path)/\(name)", names: [shown ?? "", name].filter { !$0.isEmpty })
    }
    let own = String(path.split(separator: "/").last ?? "")
    return inner.isEmpty ? [CalendarList(folder: self, path: path, names: [own])] : inner
  }

  /// Writes a reminder into a new file of a list, and follows it.
  func add(
    _ reminder: Reminder, to list: CalendarList, at now: Instant, by origin: UserCommand?
  )
    throws
  {
    try Self.checkForm(of: reminder)
    let bytes = Self.file(of: reminder, at: now, in: daemon.host.engine.zone)
    let file = "\(list.path)/\(Self.name(of: reminder.id)).ics"
    let reading = try CalendarReading(bytes, file: file)
    var merge = CalendarMerge(daemon: daemon, now: now)
    merge.origin = origin
    merge.before = CalendarItemBefore(
      reminder: reminder.id, item: [], file: Fingerprint(bytes))
    merge.take(reading, from: file, before: [])
    guard merge.idsByFile[file] == [reminder.id] else {
      throw GeoremindError.refusedByPolicy(
        reason: merge.refusals.first ?? "a task of a calendar cannot hold this reminder")
    }
    let stamp: FolderFiles.Stamp
    do {
      stamp = try folder.replace(file, with: bytes, expected: nil)
    } catch {
      throw GeoremindError.refusedByPolicy(
        reason: error == .changed
          ? "\(file) exists already; give another --id"
          : "the calendar list cannot be written: \(error)")
    }
    do {
      try merge.commit()
    } catch {
      try? folder.remove(file)
      throw error
    }
    ids[file] = [reminder.id]
    files[file] = Known(stamp, reading)
  }

  /// Refuses what a task cannot hold.
  static func checkForm(of reminder: Reminder) throws(GeoremindError) {
    let field =
      reminder.nearCategory != nil
      ? "near_category"
      : reminder.area != nil ? "region" : reminder.trigger == .silent ? "on" : nil
    guard let field else { return }
    throw .invalidReminder(
      field: field, reason: "has no form in a task of a calendar; add it without --calendar")
  }

  /// The content of the file; the reminder's owner has no place in it.
  private static func file(
    of reminder: Reminder, at now: Instant, in zone: TimeZoneRules
  ) -> [UInt8] {
    var task = reminder
    task.owner = nil
    var writer = CalendarWriter(now: now, zone: zone)
    writer.add(task)
    return writer.bytes
  }

  /// The name of its file: the id, or a number where the id is no name of a file.
  private static func name(of id: String) -> String {
    let isName =
      id.utf8.count <= 200
      && id.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    return isName ? id : Fingerprint(id.utf8).text
  }

  /// Removes the file of a reminder that was added here and taken back.
  func remove(_ file: String) {
    do {
      try folder.remove(file)
      (files[file], ids[file]) = (nil, nil)
    } catch {
      log.error("\(error); the reminder comes back with its file")
    }
  }
}

extension Daemon {
  /// The list of this name or path.
  func calendarList(named name: String) throws(GeoremindError) -> CalendarList {
    let all = calendars.flatMap { $0.lists($0.folder.folders) }
    let wanted = name.lowercased()
    let found = all.filter { list in
      list.path == name || list.names.contains { $0.lowercased() == wanted }
    }
    if let list = found.first, found.count == 1 { return list }
    func reason(_ text: String) -> GeoremindError {
      .invalidReminder(field: "calendar", reason: text)
    }
    guard found.isEmpty else {
      throw reason(
        "there are several lists '\(name)': \(found.map(\.path).joined(separator: ", "))")
    }
    guard !all.isEmpty else {
      throw reason("no folder is followed; set Folder= of [Calendar] in georemind.conf")
    }
    throw reason(
      "there is no list '\(name)'; there are: "
        + all.compactMap(\.names.first).joined(separator: ", "))
  }
}
