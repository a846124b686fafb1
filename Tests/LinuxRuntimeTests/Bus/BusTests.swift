import CSystemd
import Glibc
import TestSupport
import Testing

@testable import LinuxRuntime

@Suite struct BusTests {
  private let folder: TemporaryFolder
  private let loop: EventLoop
  private static let name = "org.freedesktop.DBus"
  private static let path = "/org/freedesktop/DBus"

  init() throws {
    folder = try TemporaryFolder()
    loop = try EventLoop()
  }

  /// Calls the bus itself and waits for what it says.
  private func ask(
    _ bus: Bus, _ member: String, _ arguments: [BusValue] = []
  ) throws -> Result<[BusValue], BusError>? {
    var result: Result<[BusValue], BusError>?
    try bus.call(Self.name, Self.path, Self.name, member, arguments) { result = $0 }
    _ = try loop.runUntil { result != nil }
    return result
  }

  @Test func callsAreAnswered() throws {
    guard let server = try PrivateBus(in: folder) else { return }
    // The bus may not be there yet: its socket is waited for.
    let bus = try Bus(address: server.address, loop: loop)
    #expect(
      try ask(bus, "NameHasOwner", [.string("org.example.Nobody")]) == .success([.bool(false)]))
    guard case .success(let names)? = try ask(bus, "ListNames") else {
      Issue.record("no names")
      return
    }
    #expect(names.first?.elements?.contains(.string(Self.name)) == true)
  }

  @Test func anErrorHasItsName() throws {
    guard let server = try PrivateBus(in: folder) else { return }
    let bus = try Bus(address: server.address, loop: loop)
    guard case .failure(let error)? = try ask(bus, "GetNameOwner", [.string("org.example.Nobody")])
    else {
      Issue.record("an owner of nothing")
      return
    }
    #expect(error.name == "org.freedesktop.DBus.Error.NameHasNoOwner")
    #expect(!error.message.isEmpty)
  }

  @Test func signalsAreReceived() throws {
    guard let server = try PrivateBus(in: folder) else { return }
    let listener = try Bus(address: server.address, loop: loop)
    var heard: [BusSignal] = []
    try listener.match("type='signal',member='NameOwnerChanged',arg0='org.example.Here'") {
      heard.append($0)
    }
    _ = try ask(listener, "GetId")
    let other = try Bus(address: server.address, loop: loop)
    #expect(
      try ask(other, "RequestName", [.string("org.example.Here"), .uint32(0)])
        == .success([.uint32(1)]))
    #expect(try loop.runUntil { !heard.isEmpty })
    #expect(heard.first?.arguments.first == .string("org.example.Here"))
    #expect(heard.first?.arguments.last?.string?.hasPrefix(":") == true)
  }

  /// Everything that is sent anywhere, into a message and out again.
  @Test func valuesSurviveTheBus() throws {
    guard let server = try PrivateBus(in: folder) else { return }
    let values: [BusValue] = [
      .byte(7), .bool(true), .int32(-1), .uint32(.max), .uint64(.max), .double(52.5),
      .string("Käse 東京"), .objectPath("/a/b"), .strings([]), .bytes([0, 255]),
      .options(["urgency": .byte(2), "list": .strings(["x"])]),
      .array(of: "(sasb)", [.structure([.string("/a"), .strings(["/a"]), .bool(false)])]),
      .variant(.structure([.int32(1), .variant(.string("deep"))])),
    ]
    #expect(try carried(values, server) == values)
  }

  /// A hook of a title with one would fail until it is given up.
  @Test func charactersThatTheBusRefusesAreReplaced() throws {
    guard let server = try PrivateBus(in: folder) else { return }
    for value: UInt32 in [0, 0xFFFE, 0xFDD0, 0xFDEF, 0x1FFFE, 0x10FFFF] {
      // With an accent it is one character.
      let text = "\(try #require(Unicode.Scalar(value)))"
      let carried = try carried([.strings(["Milk\(text)", "\(text)\u{301}", "bread"])], server)
      #expect(carried == [.strings(["Milk\u{FFFD}", "\u{FFFD}\u{301}", "bread"])])
    }
    #expect(try carried([.string("\u{FDF0}\n\u{7F}")], server) == [.string("\u{FDF0}\n\u{7F}")])
  }

  /// Writes values into a message, and reads them out again as the receiver does.
  private func carried(_ values: [BusValue], _ server: PrivateBus) throws -> [BusValue] {
    var bus: OpaquePointer?
    try #require(sd_bus_new(&bus) >= 0)
    defer { sd_bus_close_unref(bus) }
    try #require(sd_bus_set_address(bus, server.address) >= 0)
    try #require(sd_bus_set_watch_bind(bus, 1) >= 0)
    try #require(sd_bus_start(bus) >= 0)
    var raw: OpaquePointer?
    try #require(sd_bus_message_new_signal(bus, &raw, "/values", "org.example.Values", "Sent") >= 0)
    defer { sd_bus_message_unref(raw) }
    let message = BusMessage(raw: try #require(raw))
    for value in values { try message.append(value) }
    try #require(sd_bus_message_seal(raw, 1, 0) >= 0)
    try #require(sd_bus_message_rewind(raw, 1) >= 0)
    return try message.values()
  }

  @Test func theAddressOfTheUsersBus() {
    func address(_ variables: [String: String]) -> String? { Bus.userAddress { variables[$0] } }
    #expect(address(["DBUS_SESSION_BUS_ADDRESS": "unix:path=/x"]) == "unix:path=/x")
    #expect(
      address(["XDG_RUNTIME_DIR": "/run/user/1000"]) == "unix:path=/run/user/1000/bus")
    #expect(address(["XDG_RUNTIME_DIR": "/tmp/a,b é"]) == "unix:path=/tmp/a%2cb%20%c3%a9/bus")
    #expect(address([:]) == nil)
  }
}
