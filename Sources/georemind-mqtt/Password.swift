import Companion
import MQTT

/// The password for the broker.
enum Password {
  private static let maximumLength = 4_096

  /// Where the system's service has it; systemd passes it as a credential.
  private static let systemFile = "/etc/georemind/mqtt.password"

  /// The first line of `PasswordFile=`, else of the credential, else of the system's file.
  /// - Returns: nil without one, or if it is empty.
  static func read(_ settings: MQTTSettings) throws(MosquittoClient.Failure) -> String? {
    let credential = Environment.value("CREDENTIALS_DIRECTORY").map { "\($0)/mqtt-password" }
    let path = settings.passwordFile ?? credential ?? systemFile
    do throws(SecretFile.Failure) {
      let line = try SecretFile.firstLine(path, maximum: maximumLength)
      return line.isEmpty ? nil : line
    } catch {
      if error.isClosed, settings.passwordFile == nil { return nil }
      throw MosquittoClient.Failure(reason: error.description)
    }
  }
}
