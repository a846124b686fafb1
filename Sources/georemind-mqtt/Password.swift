import Glibc
import MQTT

/// The password for the broker.
enum Password {
  private static let maximumLength = 4_096

  /// Where the system's service has it; systemd passes it as a credential.
  private static let systemFile = "/etc/georemind/mqtt.password"

  /// The first line of `PasswordFile=`, else of the credential, else of the system's file.
  /// - Returns: nil without one, or if it is empty.
  static func read(_ settings: MQTTSettings) throws(MosquittoClient.Failure) -> String? {
    let credential = getenv("CREDENTIALS_DIRECTORY").map {
      "\(String(cString: $0))/mqtt-password"
    }
    let path = settings.passwordFile ?? credential ?? systemFile
    guard let file = fopen(path, "re") else {
      guard settings.passwordFile != nil else { return nil }
      throw MosquittoClient.Failure(
        reason: "\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: maximumLength)
    let count = fread(&bytes, 1, bytes.count, file)
    let line = bytes[..<count].prefix { $0 != 0x0A && $0 != 0x0D && $0 != 0 }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }
}
