import Glibc

/// Reports, after a short delay, changes to files in a folder or in the folders in it. The folder
/// may be missing, removed or made again.
///
/// Quick changes are reported together, at most a second after the first. A lost or overrun event
/// does no harm, since a report only asks for a new check.
package final class FolderWatch {
  /// Microseconds without a change before a report.
  package static let quiet: Int64 = 150_000
  /// A change is reported after this time at the latest.
  package static let timeout: Int64 = 1_000_000

  private let path: String
  private let loop: EventLoop
  private let onChange: () -> Void
  private var root: FileWatch?
  private var inner: [String: FileWatch] = [:]
  private var appearance: PathWatch?
  private var timer: TimerSource?
  private var firstChange: Int64?
  /// Why changes are not noticed by themselves; nil where they are.
  package private(set) var failure: SystemError?

  /// Watches are few: a user has some ten thousand in all (inotify(7)).
  private static let maximumFolders = 256

  private static let mask =
    UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB)
    | UInt32(IN_DELETE_SELF | IN_MOVE_SELF) | UInt32(IN_ONLYDIR)

  package init(
    _ path: String, loop: EventLoop, onChange: @escaping () -> Void
  ) throws(SystemError) {
    self.path = path
    self.loop = loop
    self.onChange = onChange
    timer = try loop.addTimer(.monotonic, accuracy: 20_000) { [unowned self] _ in report() }
    watch()
  }

  deinit { close() }

  /// Harmless when repeated.
  package func close() {
    root?.close()
    for watch in inner.values { watch.close() }
    inner = [:]
    appearance?.close()
    timer?.close()
    (root, appearance, timer) = (nil, nil, nil)
  }

  /// Reports again after this many microseconds, even without a change.
  package func checkAgain(in delay: Int64) {
    if firstChange == nil { timer?.arm(in: delay) }
  }

  private func watch() {
    failure = nil
    root?.close()
    root = nil
    do throws(SystemError) {
      root = try loop.addFileWatch(path, mask: Self.mask) { [unowned self] in changed($0) }
    } catch  where error.code == ENOENT || error.code == ENOTDIR {
      appearance =
        appearance ?? PathWatch(path, for: .appearance, loop: loop) { [unowned self] in appeared() }
      return
    } catch {
      failure = error
      return
    }
    appearance?.close()
    appearance = nil
    watchInner()
  }

  /// Watches the folders that exist.
  private func watchInner() {
    guard root != nil else { return }
    let folders = Set(FolderFiles(path).folders)
    for (name, watch) in inner where !folders.contains(name) {
      watch.close()
      inner[name] = nil
    }
    for name in folders where inner[name] == nil && inner.count < Self.maximumFolders {
      do throws(SystemError) {
        inner[name] = try loop.addFileWatch("\(path)/\(name)", mask: Self.mask) {
          [unowned self] change in
          if change.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) != 0 {
            // A folder of the same name may be in its place by now.
            inner[name]?.close()
            inner[name] = nil
          }
          noteChange()
        }
      } catch {
        if error.code != ENOENT, error.code != ENOTDIR { failure = error }
      }
    }
  }

  private func appeared() {
    watch()
    noteChange()
  }

  private func changed(_ change: FileChange) {
    if change.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) != 0 {
      root?.close()
      root = nil
      for watch in inner.values { watch.close() }
      inner = [:]
    }
    noteChange()
  }

  private func noteChange() {
    let now = SystemClock.monotonic.microseconds
    let first = firstChange ?? now
    firstChange = first
    timer?.arm(in: max(0, min(Self.quiet, first + Self.timeout - now)))
  }

  private func report() {
    firstChange = nil
    if root == nil { watch() } else { watchInner() }
    onChange()
  }
}
