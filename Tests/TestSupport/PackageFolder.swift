/// The absolute path of the package's folder.
package let packageRoot = #filePath.split(separator: "/", omittingEmptySubsequences: false)
  .dropLast(3).joined(separator: "/")

/// A file as text.
package func contents(_ path: String) throws -> String {
  String(decoding: try fileBytes(path), as: UTF8.self)
}
