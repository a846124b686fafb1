import Glibc

/// A folder of its own for one test; it goes away with all that is in it.
package final class TemporaryFolder: Sendable {
  package let path: String

  package init() throws(TroubleWithFiles) {
    // In memory where there is such a folder: syncing a disk is not what is tested.
    let parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(parent)/georemind-test.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw TroubleWithFiles("make", "a folder in \(parent)")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(path) }

  private static func remove(_ path: String) {
    for name in names(in: path) where unlink("\(path)/\(name)") != 0 { remove("\(path)/\(name)") }
    rmdir(path)
  }

  /// Names of what is in it, sorted.
  package var names: [String] { Self.names(in: path).sorted() }

  package static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Makes a file, or writes it anew; its path.
  @discardableResult
  package func file(_ name: String, _ text: String) throws(TroubleWithFiles) -> String {
    try file(name, Array(text.utf8))
  }

  @discardableResult
  package func file(_ name: String, _ bytes: [UInt8]) throws(TroubleWithFiles) -> String {
    let path = "\(path)/\(name)"
    try writeFile(path, bytes)
    return path
  }
}

/// What a test wanted of a file and did not get.
package struct TroubleWithFiles: Error, CustomStringConvertible {
  package let description: String

  init(_ action: String, _ path: String, code: CInt = errno) {
    description = "cannot \(action) \(path): \(String(cString: strerror(code)))"
  }
}

/// Makes a file for its owner alone, or writes it anew.
package func writeFile(_ path: String, _ bytes: [UInt8]) throws(TroubleWithFiles) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard descriptor >= 0 else { throw TroubleWithFiles("write", path) }
  defer { close(descriptor) }
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 else { throw TroubleWithFiles("write", path) }
    rest = rest.dropFirst(count)
  }
}

/// All that is in a file.
package func fileBytes(_ path: String) throws(TroubleWithFiles) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw TroubleWithFiles("open", path) }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    guard count >= 0 else { throw TroubleWithFiles("read", path) }
    if count == 0 { return bytes }
    bytes += chunk[..<count]
  }
}
