import Glibc

/// Reads whole files into memory.
package enum FileBytes {
  /// - Parameter path: `-` is standard input.
  package static func read(_ path: String, limit: Int) throws(InterchangeError) -> [UInt8] {
    let descriptor = path == "-" ? 0 : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw fault(path, isMissing: errno == ENOENT) }
    defer { if descriptor != 0 { close(descriptor) } }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      // The kernel writes at most `chunk.count` bytes into the array's own storage.
      let count = unsafe chunk.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw fault(path) }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else {
        throw InterchangeError(
          file: path, line: nil, reason: "is larger than \(limit >> 20) MiB; split it")
      }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  private static func fault(_ path: String, isMissing: Bool = false) -> InterchangeError {
    let code = errno
    let text = unsafe String(cString: strerror(code))
    return InterchangeError(
      file: path, line: nil, reason: "cannot be read: \(text)", isMissing: isMissing)
  }
}
