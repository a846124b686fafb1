import Glibc
import Phones

/// The file of the token, which a fault of the settings must not open to others.
enum TokenFile {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// - Parameters:
  ///   - name: an absolute path, or the name of a credential.
  ///   - credentials: the folder of systemd's credentials.
  static func read(_ name: String, credentials: String?) throws(Failure) -> AccessToken {
    let path = name.hasPrefix("/") ? name : "\(credentials ?? "")/\(name)"
    guard name.hasPrefix("/") || credentials != nil else {
      throw Failure(
        description: "TokenFile=\(name) is no absolute path, and the service has no credentials")
    }
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      throw Failure(description: "\(path): cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(description: "\(path): is no file")
    }
    guard status.st_mode & 0o007 == 0 else {
      throw Failure(description: "\(path): everybody can read it; run chmod o= on it")
    }
    var bytes = [UInt8](repeating: 0, count: AccessToken.lengths.upperBound + 2)
    let count = Glibc.read(file, &bytes, bytes.count)
    let line = bytes.prefix(max(0, count)).prefix { $0 != 0x0A && $0 != 0x0D }
    guard let token = AccessToken(String(decoding: line, as: UTF8.self)) else {
      throw Failure(
        description: "\(path): its first line must have \(AccessToken.lengths.lowerBound) to "
          + "\(AccessToken.lengths.upperBound) letters, digits or - . _ ~")
    }
    return token
  }
}
