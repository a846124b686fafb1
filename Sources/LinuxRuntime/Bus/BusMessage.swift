import CSystemd
import Glibc

/// Values into and out of a message of sd-bus(3). The message stays its owner's.
struct BusMessage {
  let raw: OpaquePointer

  // MARK: Writing

  func append(_ value: BusValue) throws(SystemError) {
    switch value {
    case .byte(let number): try append(number, "y")
    case .bool(let flag): try append(Int32(flag ? 1 : 0), "b")
    case .int32(let number): try append(number, "i")
    case .uint32(let number): try append(number, "u")
    case .uint64(let number): try append(number, "t")
    case .double(let number): try append(number, "d")
    case .string(let text): try append(text: text, "s")
    case .objectPath(let path): try append(text: path, "o")
    case .array(let element, let values): try append(values, in: "a", element)
    case .structure(let fields):
      try append(fields, in: "r", fields.map(\.signature).joined())
    case .entry(let key, let value):
      try append([key, value], in: "e", key.signature + value.signature)
    case .variant(let value): try append([value], in: "v", value.signature)
    }
  }

  private static let writing = "write a message to the bus"

  private func append<Number: BitwiseCopyable>(
    _ number: Number, _ type: Unicode.Scalar
  ) throws(SystemError) {
    let result = withUnsafePointer(to: number) {
      sd_bus_message_append_basic(raw, Self.code(type), $0)
    }
    try check(result, Self.writing)
  }

  /// A NUL and the noncharacters of Unicode are replaced: sd-bus refuses them, here and in systemd.
  private func append(text: String, _ type: Unicode.Scalar) throws(SystemError) {
    func isRefused(_ scalar: Unicode.Scalar) -> Bool {
      scalar == "\0" || scalar.properties.isNoncharacterCodePoint
    }
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { scalars.append(isRefused(scalar) ? "\u{FFFD}" : scalar) }
    let result = String(scalars).withCString {
      sd_bus_message_append_basic(raw, Self.code(type), $0)
    }
    try check(result, Self.writing)
  }

  private func append(
    _ values: [BusValue], in container: Unicode.Scalar, _ contents: String
  ) throws(SystemError) {
    try check(sd_bus_message_open_container(raw, Self.code(container), contents), Self.writing)
    for value in values { try append(value) }
    try check(sd_bus_message_close_container(raw), Self.writing)
  }

  private static func code(_ type: Unicode.Scalar) -> CChar {
    CChar(truncatingIfNeeded: type.value)
  }

  // MARK: Reading

  private static let reading = "read a message from the bus"

  /// The remaining values of the current container. sd-bus has checked the depth (64 at most).
  func values() throws(SystemError) -> [BusValue] {
    var values: [BusValue] = []
    while let value = try next() { values.append(value) }
    return values
  }

  private func next() throws(SystemError) -> BusValue? {
    var type: CChar = 0
    var contents: UnsafePointer<CChar>?
    guard try check(sd_bus_message_peek_type(raw, &type, &contents), Self.reading) > 0 else {
      return nil
    }
    let code = Unicode.Scalar(UInt8(bitPattern: type))
    switch code {
    case "y": return .byte(try read(0, type))
    case "b": return .bool(try read(Int32(0), type) != 0)
    case "i": return .int32(try read(0, type))
    case "u": return .uint32(try read(0, type))
    case "t": return .uint64(try read(0, type))
    case "d": return .double(try read(0, type))
    case "s", "g": return .string(try readText(type))
    case "o": return .objectPath(try readText(type))
    case "a", "r", "e", "v": break
    default: throw SystemError(Self.reading, code: EBADMSG)
    }
    let signature = contents.map { String(cString: $0) } ?? ""
    try check(sd_bus_message_enter_container(raw, type, contents), Self.reading)
    let inner = try values()
    try check(sd_bus_message_exit_container(raw), Self.reading)
    switch code {
    case "a": return .array(of: signature, inner)
    case "r": return .structure(inner)
    case "e" where inner.count == 2: return .entry(inner[0], inner[1])
    case "v" where inner.count == 1: return .variant(inner[0])
    default: throw SystemError(Self.reading, code: EBADMSG)
    }
  }

  private func read<Number: BitwiseCopyable>(
    _ zero: Number, _ type: CChar
  ) throws(SystemError) -> Number {
    var number = zero
    try check(sd_bus_message_read_basic(raw, type, &number), Self.reading)
    return number
  }

  private func readText(_ type: CChar) throws(SystemError) -> String {
    var text: UnsafePointer<CChar>?
    try check(sd_bus_message_read_basic(raw, type, &text), Self.reading)
    return text.map { String(cString: $0) } ?? ""
  }
}
