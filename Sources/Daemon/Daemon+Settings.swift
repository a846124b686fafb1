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

  /// The control socket moves with its setting; where it cannot, it stays.
  func moveSocket(from old: String) {
    let path = settings.socketPath
    guard path != old, let control else { return }
    guard !control.isPassed else {
      log.warning("Socket= is not used: systemd passes the socket; change its ListenStream=")
      return
    }
    do {
      try control.listen(at: path)
      log.notice("The control socket is \(path) now, no more \(old)")
    } catch {
      settings.socketPath = old
      log.error("The control socket stays at \(old): \(error)")
    }
  }
}
