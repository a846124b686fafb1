import CivilTime

#if canImport(Glibc)
  import Glibc
#endif

/// A file, a device or standard input (`-`), read in large pieces.
final class InputFile {
  static let chunkSize = 1 << 17

  let name: String
  /// Bytes, where it is a regular file.
  let size: Int?
  let modified: Instant
  /// A receiver's line: it falls silent between bursts and has no end.
  let isDevice: Bool
  private let descriptor: Int32
  private(set) var bytesRead = 0

  /// Fails with `noInput` where it cannot be read.
  init(path: String) throws(Failure) {
    name = path == "-" ? "standard input" : path
    descriptor = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw Self.failure(name) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Self.failure(name) }
    let kind = status.st_mode & S_IFMT
    size = kind == S_IFREG ? Int(status.st_size) : nil
    isDevice = kind == S_IFCHR
    modified = Instant(
      microseconds: Int64(status.st_mtim.tv_sec) &* 1_000_000
        &+ Int64(status.st_mtim.tv_nsec) / 1000)
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  /// Reads the next piece into the front of `chunk`; 0 is the end.
  func read(into chunk: inout [UInt8]) throws(Failure) -> Int {
    while true {
      let count = chunk.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        bytesRead += count
        return count
      }
      if errno != EINTR { throw Self.failure(name) }
    }
  }

  /// Waits for more; false where none came in `milliseconds`.
  func wait(milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) != 0
  }

  private static func failure(_ name: String) -> Failure {
    let reason = String(cString: strerror(errno))
    return Failure(.noInput, "\(name): cannot be read: \(reason); check its name and permissions")
  }
}
