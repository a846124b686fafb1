import Glibc

/// A file descriptor with one owner; closed on `close()` or with its last reference.
package final class Descriptor {
  /// The number, or -1 once closed.
  package private(set) var raw: Int32

  package init(_ raw: Int32) { self.raw = raw }

  deinit { close() }

  /// Harmless when repeated.
  package func close() {
    guard raw >= 0 else { return }
    // On Linux the descriptor is closed even if close(2) reports EINTR: never repeat it.
    _ = Glibc.close(raw)
    raw = -1
  }
}
