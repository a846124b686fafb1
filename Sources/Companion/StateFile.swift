import Glibc
package import JSONText
package import LinuxRuntime

/// One small JSON document that survives a restart: read at the start, replaced as a whole.
///
/// It is not synced: a power failure loses the last seconds of notified firings.
package struct StateFile {
  private static let largest = 1 << 20

  package let path: String

  package init(path: String) { self.path = path }

  /// Nil where there is none, or none that can be read.
  package func read() -> JSONValue? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= Self.largest {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return try? JSONParser.parse(bytes) }
      if count > 0 {
        bytes += chunk[..<count]
      } else if errno != EINTR {
        return nil
      }
    }
    return nil
  }

  /// Replaces the document, for the user's eyes alone; its folder is made where it is missing.
  package func write(_ object: JSONObject) throws(SystemError) {
    try makeFolder()
    let temporary = path + ".new"
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
    let descriptor = open(temporary, flags, 0o600)
    guard descriptor >= 0 else { throw SystemError("write \(temporary)", code: errno) }
    defer { close(descriptor) }
    try Descriptors.write(JSONValue.object(object).line, to: descriptor, "write \(temporary)")
    guard rename(temporary, path) == 0 else { throw SystemError("write \(path)", code: errno) }
  }

  private func makeFolder() throws(SystemError) {
    var folders: [Substring] = []
    var folder = path[...]
    while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
      folder = folder[..<slash]
      if access(String(folder), F_OK) == 0 { break }
      folders.append(folder)
    }
    for folder in folders.reversed() where mkdir(String(folder), 0o700) != 0 && errno != EEXIST {
      throw SystemError("make the folder \(folder)", code: errno)
    }
  }
}
