import CSystemd
import Testing

@testable import LinuxRuntime

/// GeoClue on a bus, as far as a client sees it, served by the client's own loop.
final class FakeGeoClue {
  /// The calls as they came: member and arguments.
  private(set) var calls: [String] = []
  /// Whether `Start` is answered at once.
  var permits = true
  /// An error to answer `Start` with.
  var refusal: String?

  private let bus: OpaquePointer
  private var waiting: OpaquePointer?
  private var client: String?
  private var locations: [[BusValue]] = []
  private static let root = "/org/freedesktop/GeoClue2"
  private static let interface = "org.freedesktop.GeoClue2.Client"

  init(address: String, loop: EventLoop) throws {
    var bus: OpaquePointer?
    try #require(sd_bus_new(&bus) >= 0)
    self.bus = try #require(bus)
    try #require(sd_bus_set_address(bus, address) >= 0)
    try #require(sd_bus_set_bus_client(bus, 1) >= 0)
    try #require(sd_bus_set_watch_bind(bus, 1) >= 0)
    try #require(sd_bus_start(bus) >= 0)
    try #require(
      sd_bus_add_fallback(
        bus, nil, Self.root,
        { message, context, _ in
          guard let message, let context else { return 0 }
          let fake = Unmanaged<FakeGeoClue>.fromOpaque(context).takeUnretainedValue()
          return (try? fake.answer(BusMessage(raw: message))) == nil ? -1 : 1
        }, Unmanaged.passUnretained(self).toOpaque()) >= 0)
    try #require(sd_bus_request_name(bus, "org.freedesktop.GeoClue2", 0) >= 0)
    try loop.attach(self.bus, "serve a fake")
  }

  deinit {
    sd_bus_message_unref(waiting)
    sd_bus_detach_event(bus)
    sd_bus_flush_close_unref(bus)
  }

  /// Answers the `Start` that waits.
  func permit() throws { try reply(to: try #require(waiting), []) }

  /// Announces a new location with these properties.
  func move(to properties: KeyValuePairs<String, BusValue>) throws {
    locations.append([.options(properties)])
    var signal: OpaquePointer?
    try #require(
      sd_bus_message_new_signal(
        bus, &signal, "\(Self.root)/Client/1", Self.interface, "LocationUpdated") >= 0)
    defer { sd_bus_message_unref(signal) }
    try #require(sd_bus_message_set_destination(signal, client) >= 0)
    let message = BusMessage(raw: try #require(signal))
    for number in [locations.count - 1, locations.count] {
      try message.append(
        .objectPath(number == 0 ? "/" : "\(Self.root)/Client/1/Location/\(number)"))
    }
    try #require(sd_bus_send(bus, signal, nil) >= 0)
  }

  private func answer(_ call: BusMessage) throws {
    let member = String(cString: try #require(sd_bus_message_get_member(call.raw)))
    let path = String(cString: try #require(sd_bus_message_get_path(call.raw)))
    let arguments = try call.values()
    switch member {
    case "GetClient":
      calls.append(member)
      client = sd_bus_message_get_sender(call.raw).map { String(cString: $0) }
      try reply(to: call.raw, [.objectPath("\(Self.root)/Client/1")])
    case "Set":
      calls.append("\(arguments[1].string ?? "?") = \(arguments[2])")
      try reply(to: call.raw, [])
    case "Start":
      calls.append(member)
      if let refusal {
        try "org.freedesktop.DBus.Error.AccessDenied".withCString { name in
          try refusal.withCString { text in
            var error = sd_bus_error(name: name, message: text, _need_free: 0)
            try #require(sd_bus_reply_method_error(call.raw, &error) >= 0)
          }
        }
      } else if permits {
        try reply(to: call.raw, [])
      } else {
        sd_bus_message_unref(waiting)
        waiting = sd_bus_message_ref(call.raw)
      }
    case "GetAll":
      let number = try #require(Int(path.split(separator: "/").last ?? ""))
      try reply(to: call.raw, locations[number - 1])
    default: Issue.record("\(member) at \(path)")
    }
  }

  private func reply(to call: OpaquePointer, _ values: [BusValue]) throws {
    var reply: OpaquePointer?
    try #require(sd_bus_message_new_method_return(call, &reply) >= 0)
    defer { sd_bus_message_unref(reply) }
    let message = BusMessage(raw: try #require(reply))
    for value in values { try message.append(value) }
    try #require(sd_bus_send(bus, reply, nil) >= 0)
  }
}
