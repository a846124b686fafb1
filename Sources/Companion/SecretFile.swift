import Glibc

/// A file of one line, such as a token or a password.
package enum SecretFile {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
    /// The file cannot be opened: it is missing, for example.
    package let isClosed: Bool
  }

  /// The first line; empty for an empty file. A pipe or a folder is refused, without waiting.
  /// - Parameters:
  ///   - maximum: bytes of the file that are read.
  ///   - isPrivate: others than the owner and the group must have no right to it.
  package static func firstLine(
    _ path: String, maximum: Int, isPrivate: Bool = false
  ) throws(Failure) -> String {
    func failure(_ reason: String, isClosed: Bool = false) -> Failure {
      Failure(description: "\(path): \(reason)", isClosed: isClosed)
    }
    func unreadable(isClosed: Bool) -> Failure {
      failure("cannot be read: \(String(cString: strerror(errno)))", isClosed: isClosed)
    }
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw unreadable(isClosed: true) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw failure("is no file")
    }
    guard !isPrivate || status.st_mode & 0o007 == 0 else {
      throw failure("everybody can read it; run chmod o= on it")
    }
    var bytes = [UInt8](repeating: 0, count: maximum)
    let count = read(file, &bytes, maximum)
    guard count >= 0 else { throw unreadable(isClosed: false) }
    let line = bytes.prefix(count).prefix { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
    return String(decoding: line, as: UTF8.self)
  }
}
