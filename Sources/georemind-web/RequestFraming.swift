import CMicroHTTPD

/// Whether each reader of a head finds the same end of its request (RFC 9112, sections 5 and 6).
///
/// A proxy may find another end than this program. A stranger could then write the begin of the
/// next request, which may be another person's. libmicrohttpd takes the first of two lengths, and a
/// `Transfer-Encoding` before a length. Before version 1.0 it adds a folded line to the name above.
struct RequestFraming {
  private var lengths = 0
  private var encodings = 0
  private var hosts = 0
  private var isOfPlainFields = true

  init(_ connection: OpaquePointer) {
    withUnsafeMutablePointer(to: &self) { framing in
      _ = MHD_get_connection_values_n(
        connection, .HEADER_KIND,
        { framing, _, name, nameLength, value, valueLength in
          framing?.assumingMemoryBound(to: RequestFraming.self).pointee.add(
            UnsafeRawBufferPointer(start: name, count: nameLength),
            UnsafeRawBufferPointer(start: value, count: valueLength))
          return .YES
        }, framing)
    }
  }

  /// At most one length, of digits, or else the one encoding `chunked`; at most one host; names
  /// without blanks; no folded lines.
  var isPlain: Bool { isOfPlainFields && lengths + encodings <= 1 && hosts <= 1 }

  private mutating func add(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    isOfPlainFields =
      isOfPlainFields && !name.isEmpty && name.allSatisfy(Self.isOfToken)
      && Self.isOnOneLine(name, value)
    switch String(decoding: name, as: UTF8.self).lowercased() {
    case "content-length":
      lengths += 1
      isOfPlainFields = isOfPlainFields && !value.isEmpty && value.allSatisfy(Self.isDigit)
    case "host": hosts += 1
    case "transfer-encoding":
      encodings += 1
      isOfPlainFields =
        isOfPlainFields && String(decoding: value, as: UTF8.self).lowercased() == "chunked"
    default: break
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// A character of a name (RFC 9110, section 5.6.2).
  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    default: isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }

  /// The library leaves a name and its value in the buffer of the request. It moves the name behind
  /// the buffer only to lengthen it by a folded line.
  private static func isOnOneLine(
    _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) -> Bool {
    guard let name = name.baseAddress, let value = value.baseAddress else { return true }
    return name < value
  }
}
