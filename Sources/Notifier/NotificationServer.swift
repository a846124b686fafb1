package import LinuxRuntime

/// `org.freedesktop.Notifications` on the user's bus: the Desktop Notifications Specification 1.2.
package final class NotificationServer {
  private static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"

  private let bus: Bus
  private let log: (String) -> Void
  private var capabilities = Notification.Capabilities([])
  /// Counts the servers there have been: an answer of an earlier one does not count.
  private var generation = 0

  package var onArrival: () -> Void = {}
  package var onDeparture: () -> Void = {}
  package var onPress: (_ id: UInt32, _ key: String) -> Void = { _, _ in }
  package var onClosing: (_ id: UInt32) -> Void = { _ in }

  package init(bus: Bus, log: @escaping (String) -> Void) {
    self.bus = bus
    self.log = log
  }

  /// Begins to listen and finds the server; the bus starts it if it can.
  package func start() throws(SystemError) {
    try bus.match(
      "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',"
        + "interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.name)'"
    ) { [unowned self] signal in
      guard let owner = signal.arguments.last?.string else { return }
      if generation > 0 {
        generation += 1
        onDeparture()
      }
      if !owner.isEmpty { try? greet() }
    }
    try bus.match(
      "type='signal',sender='\(Self.name)',path='\(Self.path)',interface='\(Self.name)'"
    ) { [unowned self] signal in
      guard let id = signal.arguments.first?.uint32 else { return }
      switch signal.member {
      case "ActionInvoked": onPress(id, signal.arguments.last?.string ?? "")
      case "NotificationClosed": onClosing(id)
      default: break
      }
    }
    try greet()
  }

  /// Asks for the server's capabilities; the answer proves that it runs.
  private func greet() throws(SystemError) {
    generation += 1
    let asked = generation
    try bus.call(Self.name, Self.path, Self.name, "GetCapabilities") { [unowned self] in
      guard asked == generation else { return }
      switch $0 {
      case .success(let values):
        capabilities = .init(values.first?.elements?.compactMap(\.string) ?? [])
        onArrival()
      case .failure(let error):
        log("No notification server yet: \(error)")
      }
    }
  }

  /// - Parameter answer: the id; nil if the server refuses. Not called if the server disconnects.
  package func show(
    _ notification: Notification, replacing: UInt32, answer: @escaping (UInt32?) -> Void
  ) {
    let asked = generation
    let arguments = notification.arguments(replacing: replacing, server: capabilities)
    do throws(SystemError) {
      try bus.call(Self.name, Self.path, Self.name, "Notify", arguments) { [unowned self] in
        guard asked == generation else { return }
        switch $0 {
        case .success(let values): answer(values.first?.uint32)
        case .failure(let error):
          log("A notification was not taken: \(error)")
          answer(nil)
        }
      }
    } catch {
      log("A notification cannot be sent: \(error)")
      answer(nil)
    }
  }

  package func close(_ id: UInt32) {
    // Ignores the error for a closed notification.
    try? bus.call(Self.name, Self.path, Self.name, "CloseNotification", [.uint32(id)]) { _ in }
  }
}
