import Glibc

/// Watches the name at a path, with inotify(7): a file, link or device is made, removed or changed.
///
/// It watches the folder, because a replacement shares only the name. If the folder is missing, as
/// `/dev/serial/by-id` without receivers, it watches the nearest existing one.
package final class PathWatch {
  /// The kinds of change to report.
  package enum Changes {
    /// Something appears at the path, or its permissions change: udev sets them after the name.
    case appearance
    /// The file is written, replaced, removed or made, as by `ln -sf`, `cp` or a package's upgrade.
    case replacement
  }

  private let path: String
  private let changes: Changes
  private let loop: EventLoop
  private let onChange: () -> Void
  private var watch: FileWatch?
  /// The name in the watched folder that is waited for.
  private var awaited = ""
  /// Whether the watched folder is the parent of the path's last part.
  private var isInParent = false

  /// Reports nothing if no folder can be watched.
  /// - Parameter onChange: called from the loop, once or more for each change.
  package init(
    _ path: String, for changes: Changes, loop: EventLoop, onChange: @escaping () -> Void
  ) {
    self.path = path
    self.changes = changes
    self.loop = loop
    self.onChange = onChange
    watchNearest()
  }

  deinit { close() }

  /// Harmless when repeated.
  package func close() {
    watch?.close()
    watch = nil
  }

  /// Target of a path, links followed; nil if nothing exists there.
  package static func target(of path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }

  private var mask: UInt32 {
    let folder = IN_CREATE | IN_MOVED_TO | Int32(IN_ONLYDIR) | IN_DELETE_SELF | IN_MOVE_SELF
    return switch changes {
    case .appearance: UInt32(folder | IN_ATTRIB)
    case .replacement: UInt32(folder | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE)
    }
  }

  private func watchNearest() {
    // A folder that is made between finding and watching its parent is found by trying again.
    for _ in 0..<8 {
      close()
      guard let (folder, name) = nearest() else { return }
      awaited = name
      isInParent = path.utf8.count - name.utf8.count <= folder.utf8.count + 1
      watch = try? loop.addFileWatch(folder, mask: mask) { [unowned self] in changed($0) }
      if watch != nil, nearest()?.folder == folder { return }
    }
  }

  /// The deepest folder on the way that exists, and the part of the path that follows it.
  private func nearest() -> (folder: String, name: String)? {
    var rest = path[...]
    while let slash = rest.lastIndex(of: "/") {
      let folder = slash == rest.startIndex ? "/" : String(rest[..<slash])
      var status = stat()
      if stat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
        return (folder, String(rest[rest.index(after: slash)...]))
      }
      rest = rest[..<slash]
    }
    return nil
  }

  private func changed(_ change: FileChange) {
    if change.name.isEmpty { return watchNearest() }
    guard change.name == awaited else { return }
    if !isInParent { watchNearest() }
    var status = stat()
    if stat(path, &status) == 0 || (changes == .replacement && isInParent) { onChange() }
  }
}
