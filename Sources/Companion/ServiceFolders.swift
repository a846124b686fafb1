import Glibc

/// Default folders of the service or the user.
package struct ServiceFolders: Sendable {
  package static let systemConfiguration = "/etc/georemind/georemind.conf"

  package init() {}

  private func value(_ name: String) -> String? {
    Environment.value(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether this is somebody's own service, not the system's.
  package var isUserService: Bool { geteuid() != 0 && !isSystemService }

  /// Whether systemd runs this for the whole machine: the units of users have no such folder.
  package var isSystemService: Bool { value("STATE_DIRECTORY") != nil }

  private func home(_ variable: String, _ fallback: String) -> String? {
    value(variable) ?? value("HOME").map { "\($0)/\(fallback)" }
  }

  package var configurationFile: String {
    guard isUserService, let folder = home("XDG_CONFIG_HOME", ".config") else {
      return Self.systemConfiguration
    }
    return "\(folder)/georemind/georemind.conf"
  }

  /// systemd may pass several folders, parted by colons; the first is ours.
  package var stateDirectory: String? {
    if let given = value("STATE_DIRECTORY") {
      return given.split(separator: ":").first.map(String.init)
    }
    guard isUserService else { return "/var/lib/georemind" }
    return home("XDG_STATE_HOME", ".local/state").map { "\($0)/georemind" }
  }

  package var socketPath: String { "\(runtimeFolder)/org.georemind" }

  /// Socket of `georemind-route`.
  package var routeSocket: String { "\(runtimeFolder)/org.georemind.route" }

  /// Socket of `georemind-web`, which has a folder of its own.
  package var positionSocket: String {
    if let runtime = value("RUNTIME_DIRECTORY")?.split(separator: ":").first {
      return "\(runtime)/positions"
    }
    let parent = isUserService ? value("XDG_RUNTIME_DIR") : nil
    return "\(parent ?? "/run")/georemind-web/positions"
  }

  private var runtimeFolder: String {
    if let runtime = value("RUNTIME_DIRECTORY")?.split(separator: ":").first {
      return String(runtime)
    }
    if isUserService, let runtime = value("XDG_RUNTIME_DIR") { return "\(runtime)/georemind" }
    return "/run/georemind"
  }
}
