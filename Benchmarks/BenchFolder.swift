import Glibc

/// A new folder that goes away with its files.
final class BenchFolder {
  let path: String

  init(in parent: String) throws {
    var template = Array("\(parent)/georemind-bench.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw BenchError("cannot make a folder in \(parent): \(String(cString: strerror(errno)))")
    }
    path = String(cString: made)
  }

  deinit {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
          String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        unlink("\(path)/\(name)")
      }
      closedir(folder)
    }
    rmdir(path)
  }

  /// Writes a file of the folder and answers its path.
  func file(_ name: String, _ text: String) throws -> String {
    let path = "\(path)/\(name)"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw BenchError("cannot write \(path)") }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard write(descriptor, bytes, bytes.count) == bytes.count else {
      throw BenchError("cannot write \(path)")
    }
    return path
  }
}
