import Glibc

/// Path of the daemon's socket.
package enum SocketPath {
  package static let system = "/run/georemind/org.georemind"

  /// The variables that name it.
  private static let variables = ["GEOREMIND_SOCKET", "XDG_RUNTIME_DIR"]

  /// For a helper with an option for the path.
  package static func find(option: String?) -> String {
    var environment: [String: String] = [:]
    for name in variables { environment[name] = Environment.value(name) }
    return find(option: option, environment: environment)
  }

  /// The option, the environment, the user's own service where it runs, else the system's.
  package static func find(
    option: String?, environment: [String: String],
    exists: (String) -> Bool = { access($0, F_OK) == 0 }
  ) -> String {
    if let option { return option }
    if let path = environment["GEOREMIND_SOCKET"], !path.isEmpty { return path }
    if let directory = environment["XDG_RUNTIME_DIR"], !directory.isEmpty {
      let path = "\(directory)/georemind/org.georemind"
      if exists(path) { return path }
    }
    return system
  }
}
