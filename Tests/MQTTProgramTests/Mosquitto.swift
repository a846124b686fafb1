import Glibc
import LinuxRuntime
import TestSupport

/// A process of mosquitto(8).
final class Mosquitto {
  static let isInstalled = access(path, X_OK) == 0
  static let hasOpenSSL = access(openSSL, X_OK) == 0
  private static let path = "/usr/sbin/mosquitto"
  private static let openSSL = "/usr/bin/openssl"

  private var id: pid_t = 0

  /// - Parameters:
  ///   - certificateOf: a name; with it, the listener speaks TLS, and `certificate.pem` in the
  ///     folder is its certificate.
  ///   - permitted: what its access list permits to everybody; without, all.
  init(
    port: UInt16, in folder: TemporaryFolder, certificateOf name: String? = nil,
    permitted: [String]? = nil
  ) throws {
    var configuration = "listener \(port) 127.0.0.1\nallow_anonymous true\nuser root\n"
    if let permitted {
      let lines = permitted.map { "topic \($0)\n" }.joined()
      configuration += "acl_file \(try folder.file("acl", lines))\n"
    }
    if let name {
      let (key, certificate) = ("\(folder.path)/key.pem", "\(folder.path)/certificate.pem")
      let openSSL = try Self.start(
        Self.openSSL, "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:prime256v1", "-days", "2", "-subj", "/CN=\(name)", "-addext",
        "subjectAltName=DNS:\(name)", "-keyout", key, "-out", certificate)
      waitpid(openSSL, nil, 0)
      configuration += "keyfile \(key)\ncertfile \(certificate)\n"
    }
    id = try Self.start(Self.path, "-c", try folder.file("mosquitto.conf", configuration))
  }

  private static func start(_ path: String, _ arguments: String...) throws -> pid_t {
    var id: pid_t = 0
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // It must not hold the sockets of tests beside this one.
    for descriptor: Int32 in 3..<1_024 {
      posix_spawn_file_actions_addclose(&actions, descriptor)
    }
    let words = ([path] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    let code = posix_spawn(&id, path, &actions, nil, words + [nil], [nil])
    guard code == 0 else { throw SystemError("start \(path)", code: code) }
    return id
  }

  deinit { kill() }

  func kill() {
    guard id > 0 else { return }
    Glibc.kill(id, SIGKILL)
    waitpid(id, nil, 0)
    id = 0
  }
}
