import Configuration
import LinuxRuntime
import Logging
import Reminders

/// Parts that follow the settings when they are read anew.
extension Daemon {
  /// Switches to the routing engine of the settings. A recording uses none.
  func useRoutes() throws {
    let path = clock.isLive ? settings.routeSocket : nil
    if path == nil { host.stopAskingRoutes() }
    guard path != routes?.path else { return }
    // Its open requests fail, and the engine may then ask the new client.
    let old = routes
    defer { old?.stop() }
    routes = nil
    guard let path else { return }
    let client = try RouteClient(path: path, loop: loop, log: log) { [unowned self] answer in
      if let now = clock.now { host.handle(.routed(answer), at: now) }
    }
    routes = client
    host.onRoute = { [weak client] in client?.ask($0) }
  }
}
