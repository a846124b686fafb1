package import Companion
package import LinuxRuntime

/// Units of hooks at systemd's manager: started, awaited, and read for how they ended.
package final class HookUnits {
  private static let manager = "org.freedesktop.systemd1"
  private static let managerPath = "/org/freedesktop/systemd1"
  private static let interface = "org.freedesktop.systemd1.Manager"
  private static let properties = "org.freedesktop.DBus.Properties"

  private let bus: Bus
  private var isSubscribed = false

  /// systemd ended the start of a unit: `done` after a success.
  package var onEnd: (_ unit: String, _ result: String) -> Void = { _, _ in }

  package init(bus: Bus) { self.bus = bus }

  package func start() throws(SystemError) {
    // The caller of StartTransientUnit receives JobRemoved without Subscribe.
    try bus.match(
      "type='signal',path='\(Self.managerPath)',interface='\(Self.interface)',member='JobRemoved'"
    ) { [unowned self] signal in
      guard signal.arguments.count == 4, let unit = signal.arguments[2].string,
        let result = signal.arguments[3].string
      else { return }
      onEnd(unit, result)
    }
  }

  package enum StartError: Error, Equatable, Sendable {
    /// The unit exists: an earlier run of this helper has started it.
    case exists
    case other(String)
  }

  /// - Parameter answer: nil once systemd has taken the unit; its end is signalled.
  package func start(
    _ unit: String, _ properties: [BusValue], answer: @escaping (StartError?) -> Void
  ) {
    let arguments: [BusValue] = [
      .string(unit), .string("fail"), .array(of: "(sv)", properties),
      .array(of: "(sa(sv))", []),
    ]
    call(Self.managerPath, Self.interface, "StartTransientUnit", arguments) { result in
      switch result {
      case .success: answer(nil)
      case .failure(let error):
        answer(
          error.name == "org.freedesktop.systemd1.UnitExists" ? .exists : .other("\(error)"))
      }
    }
  }

  /// Whether a unit that somebody else has started runs; its end is signalled then.
  package func isRunning(_ unit: String, answer: @escaping (Bool) -> Void) {
    if !isSubscribed { call(Self.managerPath, Self.interface, "Subscribe") { _ in } }
    isSubscribed = true
    get(unit, "Unit", "ActiveState") {
      let state = $0?.string ?? ""
      answer(["activating", "active", "deactivating", "reloading"].contains(state))
    }
  }

  /// Reads how a unit ended, then removes it.
  package func outcome(of unit: String, answer: @escaping (Delivery.Outcome) -> Void) {
    var code: BusValue?
    var status: BusValue?
    get(unit, "Service", "ExecMainCode") { code = $0 }
    get(unit, "Service", "ExecMainStatus") { status = $0 }
    get(unit, "Service", "Result") { [unowned self] result in
      call(Self.managerPath, Self.interface, "ResetFailedUnit", [.string(unit)]) { _ in }
      answer(
        Self.outcome(
          result: result?.string ?? "", code: code?.int32 ?? 0, status: status?.int32 ?? 0))
    }
  }

  /// Meaning of systemd's values: systemd.service(5), waitid(2).
  static func outcome(result: String, code: Int32, status: Int32) -> Delivery.Outcome {
    guard result != "timeout" else { return .failed("it took too long and was ended") }
    switch code {
    case 1 where status == 0: return .delivered
    case 1 where status == 65: return .refused("it exited with 65")
    case 1 where status == 203: return .failed("it cannot be executed")
    case 1: return .failed("it exited with \(status)")
    case 2, 3: return .failed("it was ended by signal \(status)")
    default: return .failed("systemd does not report how it ended")
    }
  }

  private func get(
    _ unit: String, _ kind: String, _ property: String, answer: @escaping (BusValue?) -> Void
  ) {
    let arguments: [BusValue] = [
      .string("org.freedesktop.systemd1.\(kind)"), .string(property),
    ]
    call(Self.path(of: unit), Self.properties, "Get", arguments) { result in
      guard case .success(let values) = result, case .variant(let value)? = values.first else {
        return answer(nil)
      }
      answer(value)
    }
  }

  /// A unit's object: all but letters and digits as `_` and two hexadecimal digits.
  static func path(of unit: String) -> String {
    unit.utf8.reduce(into: "\(managerPath)/unit/") { text, byte in
      let scalar = Unicode.Scalar(byte)
      if byte < 0x80, scalar.properties.isAlphabetic || (0x30...0x39).contains(byte) {
        text.unicodeScalars.append(scalar)
      } else {
        text += byte < 16 ? "_0" : "_"
        text += String(byte, radix: 16)
      }
    }
  }

  private func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
    answer: @escaping (Result<[BusValue], BusError>) -> Void
  ) {
    do throws(SystemError) {
      try bus.call(Self.manager, path, interface, member, arguments, answer: answer)
    } catch {
      answer(.failure(BusError(name: "", message: error.description)))
    }
  }
}
