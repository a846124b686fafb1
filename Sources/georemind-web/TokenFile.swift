import Companion
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
    let line: String
    do throws(SecretFile.Failure) {
      line = try SecretFile.firstLine(
        path, maximum: AccessToken.lengths.upperBound + 2, isPrivate: true)
    } catch {
      throw Failure(description: error.description)
    }
    guard let token = AccessToken(line) else {
      throw Failure(
        description: "\(path): its first line must have \(AccessToken.lengths.lowerBound) to "
          + "\(AccessToken.lengths.upperBound) letters, digits or - . _ ~")
    }
    return token
  }
}
