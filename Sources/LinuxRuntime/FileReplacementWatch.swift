import Glibc

/// Tells when a file is written, replaced, removed or made: whatever becomes of its name, the link or
/// the file behind it, as in `ln -sf`, `cp`, `timedatectl` or a package's upgrade.
///
/// The folder is watched, not the file: what replaces a file has nothing of it but the name.
package final class FileReplacementWatch {
  private var watch: FileWatch?

  /// nil where the folder cannot be watched.
  package init?(_ path: String, loop: EventLoop, onChange: @escaping () -> Void) {
    guard let slash = path.lastIndex(of: "/") else { return nil }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    let name = String(path[path.index(after: slash)...])
    let mask =
      UInt32(IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE)
      | UInt32(IN_ONLYDIR)
    watch = try? loop.addFileWatch(folder, mask: mask) { change in
      if change.name == name { onChange() }
    }
    if watch == nil { return nil }
  }

  deinit { watch?.close() }

  /// Where a path leads to, links followed; nil where there is nothing.
  package static func target(of path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}
