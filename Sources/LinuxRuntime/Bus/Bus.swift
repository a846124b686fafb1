import CSystemd
import Glibc

/// An error reply from a peer on the bus, or the reason for a missing reply.
package struct BusError: Error, Equatable, CustomStringConvertible {
  /// `org.freedesktop.DBus.Error.ServiceUnknown`, for one.
  package let name: String
  package let message: String

  package init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  package var description: String { message.isEmpty ? name : "\(message) (\(name))" }
}

/// A signal as it came.
package struct BusSignal: Equatable, Sendable {
  package let path: String
  package let member: String
  package let arguments: [BusValue]
}

/// A connection to a message bus, served by the loop: asynchronous calls, and signals. Nothing
/// blocks; calls before the connection stands are sent later.
///
/// The owner keeps it.
package final class Bus {
  private let bus: OpaquePointer
  private var matches: [OpaquePointer] = []

  /// Connects to the bus at a D-Bus address; waits for a socket that does not exist yet.
  /// - Parameter endsLoop: when the bus disconnects, the loop ends with code 1, so that the program
  ///   is started again with the next bus.
  package init(address: String, loop: EventLoop, endsLoop: Bool = true) throws(SystemError) {
    var bus: OpaquePointer?
    try check(sd_bus_new(&bus), "create a bus connection")
    guard let bus else { throw SystemError("create a bus connection", code: ENOMEM) }
    self.bus = bus
    let action = "connect to the bus at \(address)"
    try check(sd_bus_set_address(bus, address), action)
    try check(sd_bus_set_bus_client(bus, 1), action)
    try check(sd_bus_set_watch_bind(bus, 1), action)
    try check(sd_bus_set_exit_on_disconnect(bus, endsLoop ? 1 : 0), action)
    try loop.attach(bus, action)
    try check(sd_bus_start(bus), action)
  }

  deinit {
    for slot in matches { sd_bus_slot_unref(slot) }
    sd_bus_detach_event(bus)
    sd_bus_flush_close_unref(bus)
  }

  /// Address of the user's bus: from the environment, else of the user manager.
  package static func userAddress(_ environment: (String) -> String?) -> String? {
    if let address = environment("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty { return address }
    guard let folder = environment("XDG_RUNTIME_DIR"), !folder.isEmpty else { return nil }
    return "unix:path=\(escaped(folder))/bus"
  }

  /// The system's bus.
  package static let systemAddress = "unix:path=/run/dbus/system_bus_socket"

  /// Address of the system's bus: from the environment, else `systemAddress`.
  package static func systemAddress(_ environment: (String) -> String?) -> String {
    environment("DBUS_SYSTEM_BUS_ADDRESS").flatMap { $0.isEmpty ? nil : $0 } ?? systemAddress
  }

  /// A path as addresses write it: all but a few characters as `%` and two digits.
  private static func escaped(_ path: String) -> String {
    let digits = Array("0123456789abcdef")
    return path.utf8.reduce(into: "") { text, byte in
      let scalar = Unicode.Scalar(byte)
      if scalar.properties.isAlphabetic && byte < 0x80 || (0x30...0x39).contains(byte)
        || "-_/.\\*".unicodeScalars.contains(scalar)
      {
        text.unicodeScalars.append(scalar)
      } else {
        text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
      }
    }
  }

  /// Calls a method; `answer` is called once, from the loop.
  /// - Parameter timeout: in microseconds.
  package func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String,
    _ arguments: [BusValue] = [], timeout: UInt64 = 25_000_000,
    answer: @escaping (Result<[BusValue], BusError>) -> Void
  ) throws(SystemError) {
    let action = "call \(interface).\(member)"
    var raw: OpaquePointer?
    try check(
      sd_bus_message_new_method_call(bus, &raw, destination, path, interface, member), action)
    guard let raw else { throw SystemError(action, code: ENOMEM) }
    defer { sd_bus_message_unref(raw) }
    let message = BusMessage(raw: raw)
    for argument in arguments { try message.append(argument) }
    var slot: OpaquePointer?
    let context = Unmanaged.passRetained(Handler { answer(Self.result(of: $0)) })
    let result = sd_bus_call_async(
      bus, &slot, raw, { message, context, _ in Handler.deliver(message, to: context) },
      context.toOpaque(), timeout)
    guard result >= 0 else {
      context.release()
      throw SystemError(action, code: 0 &- result)
    }
    // The slot goes with the answer, or with the bus, and takes the handler along.
    sd_bus_slot_set_destroy_callback(slot) { Handler.release($0) }
    sd_bus_slot_set_floating(slot, 1)
    sd_bus_slot_unref(slot)
  }

  /// Delivers the signals that match a D-Bus rule while the connection lives.
  package func match(_ rule: String, handler: @escaping (BusSignal) -> Void) throws(SystemError) {
    var slot: OpaquePointer?
    let context = Unmanaged.passRetained(
      Handler { message in
        guard let arguments = try? message.values() else { return }
        let path = sd_bus_message_get_path(message.raw).map { String(cString: $0) }
        let member = sd_bus_message_get_member(message.raw).map { String(cString: $0) }
        handler(BusSignal(path: path ?? "", member: member ?? "", arguments: arguments))
      })
    let result = sd_bus_add_match_async(
      bus, &slot, rule, { message, context, _ in Handler.deliver(message, to: context) }, nil,
      context.toOpaque())
    guard result >= 0, let slot else {
      context.release()
      throw SystemError("listen on the bus for \(rule)", code: 0 &- result)
    }
    sd_bus_slot_set_destroy_callback(slot) { Handler.release($0) }
    matches.append(slot)
  }

  private static func result(of message: BusMessage) -> Result<[BusValue], BusError> {
    if let error = sd_bus_message_get_error(message.raw)?.pointee {
      return .failure(
        BusError(
          name: error.name.map { String(cString: $0) } ?? "",
          message: error.message.map { String(cString: $0) } ?? ""))
    }
    do throws(SystemError) {
      return .success(try message.values())
    } catch {
      return .failure(BusError(name: "", message: error.description))
    }
  }
}

/// Target of an sd-bus callback.
private final class Handler {
  private let handle: (BusMessage) -> Void

  init(_ handle: @escaping (BusMessage) -> Void) { self.handle = handle }

  static func deliver(_ message: OpaquePointer?, to context: UnsafeMutableRawPointer?) -> Int32 {
    guard let message, let context else { return 0 }
    let handler = Unmanaged<Handler>.fromOpaque(context).takeUnretainedValue()
    handler.handle(BusMessage(raw: message))
    return 0
  }

  static func release(_ context: UnsafeMutableRawPointer?) {
    if let context { Unmanaged<Handler>.fromOpaque(context).release() }
  }
}
