import LinuxRuntime

/// A client of GeoClue, the location service of desktops (org.freedesktop.GeoClue2), on the system
/// bus. It asks for the best accuracy and lives as long as its connection.
final class GeoClueClient {
  /// The desktop file that GeoClue's agent shows to the user, without `.desktop`.
  static let desktopID = "georemind"

  private static let service = "org.freedesktop.GeoClue2"
  private static let managerPath = "/org/freedesktop/GeoClue2/Manager"
  private static let client = "\(service).Client"
  private static let properties = "org.freedesktop.DBus.Properties"
  /// GClueAccuracyLevel: the exact position.
  private static let exact: UInt32 = 8

  private let bus: Bus
  /// GeoClue permits the client; locations follow.
  private let onStart: () -> Void
  private let onLocation: (GeoClueLocation) -> Void
  private let onFailure: () -> Void
  /// Why no more locations come; nil while they may.
  private(set) var failure: String?
  /// GeoClue asks its agent, which may ask the user. Without an agent it waits silently.
  private(set) var isAuthorizing = false
  /// The wait for the agent was reported.
  var isWaitReported = false

  /// Connects and asks for a client. The handlers are called from the loop.
  /// - Parameters:
  ///   - address: of the system bus.
  ///   - onFailure: `failure` is set. Release the client later, not within the call.
  init(
    address: String, loop: EventLoop, onStart: @escaping () -> Void,
    onLocation: @escaping (GeoClueLocation) -> Void, onFailure: @escaping () -> Void
  ) throws(SystemError) {
    bus = try Bus(address: address, loop: loop, endsLoop: false)
    self.onStart = onStart
    self.onLocation = onLocation
    self.onFailure = onFailure
    try bus.match("type='signal',interface='org.freedesktop.DBus.Local',member='Disconnected'") {
      [weak self] _ in self?.fail("the system bus closed the connection")
    }
    try bus.match(
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
        + "member='NameOwnerChanged',arg0='\(Self.service)'"
    ) { [weak self] signal in
      guard signal.arguments.count == 3, signal.arguments[1].string?.isEmpty == false else {
        return
      }
      self?.fail("GeoClue ended")
    }
    try bus.match(
      "type='signal',sender='\(Self.service)',interface='\(Self.client)',member='LocationUpdated'"
    ) { [weak self] signal in
      guard let location = signal.arguments.last?.string else { return }
      self?.read(location)
    }
    try call(Self.managerPath, "\(Self.service).Manager", "GetClient") { client, answer in
      guard let path = answer.first?.string else { return client.fail("GeoClue gives no client") }
      client.start(path)
    }
  }

  private func start(_ path: String) {
    do throws(SystemError) {
      for (name, value) in [
        ("DesktopId", BusValue.string(Self.desktopID)),
        ("RequestedAccuracyLevel", .uint32(Self.exact)),
      ] {
        try call(
          path, Self.properties, "Set", [.string(Self.client), .string(name), .variant(value)])
      }
      isAuthorizing = true
      try call(path, Self.client, "Start", timeout: .max) { client, _ in
        client.isAuthorizing = false
        client.onStart()
      }
    } catch {
      fail(error.description)
    }
  }

  /// GeoClue removes a location when the next but one comes; its answer is an error then.
  private func read(_ path: String) {
    try? bus.call(
      Self.service, path, Self.properties, "GetAll", [.string("\(Self.service).Location")]
    ) { [weak self] result in
      guard let self, failure == nil, case .success(let answer) = result,
        let location = GeoClueLocation(answer)
      else { return }
      onLocation(location)
    }
  }

  private func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
    timeout: UInt64 = 25_000_000,
    answer: @escaping (GeoClueClient, [BusValue]) -> Void = { _, _ in }
  ) throws(SystemError) {
    try bus.call(Self.service, path, interface, member, arguments, timeout: timeout) {
      [weak self] result in
      guard let self, failure == nil else { return }
      switch result {
      case .success(let values): answer(self, values)
      case .failure(let error): fail("GeoClue refuses \(member): \(error)")
      }
    }
  }

  private func fail(_ reason: String) {
    guard failure == nil else { return }
    failure = reason
    onFailure()
  }
}
