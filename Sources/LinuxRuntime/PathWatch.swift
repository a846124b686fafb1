import Glibc

/// Tells when something appears at a path that is not there yet, such as the name of a receiver that
/// is not plugged in.
///
/// `/dev/serial/by-id` itself goes away with the last of its names, so the nearest folder that exists
/// is watched for the next part of the path, and the watch moves down as the folders come.
/// A change of permissions counts as well: udev sets them after the name is there.
final class PathWatch {
  private let path: String
  private let loop: EventLoop
  private let onAppearance: () -> Void
  private var watch: FileWatch?
  /// What is waited for in the watched folder.
  private var awaited = ""

  /// - Parameter onAppearance: called from the loop, once or more for each appearance.
  init(_ path: String, loop: EventLoop, onAppearance: @escaping () -> Void) {
    self.path = path
    self.loop = loop
    self.onAppearance = onAppearance
    watchNearest()
  }

  deinit { close() }

  /// Harmless when repeated.
  func close() {
    watch?.close()
    watch = nil
  }

  /// Where no folder can be watched, nothing is told: the owner tries now and then anyway.
  private func watchNearest() {
    // A folder that is made between the look and the watch is found by looking again.
    for _ in 0..<8 {
      close()
      guard let (folder, name) = nearest() else { return }
      awaited = name
      watch = try? loop.addFileWatch(
        folder,
        mask: UInt32(IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)
          | UInt32(IN_ONLYDIR)
      ) { [unowned self] in changed($0) }
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
    watchNearest()
    var status = stat()
    if stat(path, &status) == 0 { onAppearance() }
  }
}
