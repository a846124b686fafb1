import Glibc
import Interchange

/// The SHA-256 of what is written to it, by a `sha256sum` process (coreutils) at the end of a pipe.
final class SHA256 {
  private let input: UnsafeMutablePointer<FILE>
  private let folder: BenchFolder
  private let output: String

  init() throws {
    folder = try BenchFolder(in: "/tmp")
    output = "\(folder.path)/digest"
    guard let input = popen("exec sha256sum >'\(output)'", "w") else {
      throw BenchError("cannot start sha256sum: \(String(cString: strerror(errno)))")
    }
    self.input = input
  }

  func update(_ text: String) { fputs(text, input) }

  /// The digest in lower-case hexadecimal; ends the process.
  func hexDigest() throws -> String {
    guard pclose(input) == 0 else { throw BenchError("sha256sum failed; it is part of coreutils") }
    return String(
      decoding: try ByteSource(path: output).readAll(limit: 1_000).prefix(64), as: UTF8.self)
  }
}
