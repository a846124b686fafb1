import Glibc

/// The absolute path of the package's folder.
package let packageRoot = #filePath.split(separator: "/", omittingEmptySubsequences: false)
  .dropLast(3).joined(separator: "/")

/// A file as text.
package func contents(_ path: String) throws -> String {
  String(decoding: try fileBytes(path), as: UTF8.self)
}

/// The Swift files of a folder and of those in it.
package func swiftFiles(below folder: String) -> [String] { files(below: folder, ".swift") }

/// The files of a folder and of those in it whose names have that ending.
package func files(below folder: String, _ ending: String) -> [String] {
  guard let directory = opendir(folder) else { return [] }
  defer { closedir(directory) }
  var found: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    guard !name.hasPrefix(".") else { continue }
    let path = "\(folder)/\(name)"
    if name.hasSuffix(ending) {
      found.append(path)
    } else if entry.pointee.d_type == UInt8(DT_DIR) {
      found += files(below: path, ending)
    }
  }
  return found.sorted()
}
