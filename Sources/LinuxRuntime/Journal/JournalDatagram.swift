import Bytes
import Glibc

/// A datagram of fields in journald's form (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/).
struct JournalDatagram: ~Copyable {
  /// Few entries are longer, and growing copies the content.
  private var writer = ByteWriter(capacity: 1024)

  /// `NAME=value` and a line end; a value that has line ends of its own stands behind its length.
  mutating func append(_ name: JournalFieldName, _ value: String) {
    let text = value.utf8.span
    let isOneLine = text.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memchr($0, 0x0A, bytes.count) == nil } ?? true
    }
    guard !isOneLine else {
      return writer.add(name.literal, separator: UInt8(ascii: "="), text, end: UInt8(ascii: "\n"))
    }
    writer.add(name.literal)
    writer.add(UInt8(ascii: "\n"), littleEndian: UInt64(text.count))
    writer.add(text)
    writer.add(UInt8(ascii: "\n"))
  }

  /// `NAME=value` and a line end; the value is added by `write`, and has no line ends.
  mutating func append(_ name: JournalFieldName, _ write: (inout ByteWriter) -> Void) {
    writer.add(name.literal)
    writer.add(UInt8(ascii: "="))
    write(&writer)
    writer.add(UInt8(ascii: "\n"))
  }

  /// Lends the bytes to send.
  func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    writer.withUnsafeBytes(body)
  }

  /// The fields again, in their order. Complexity: O(bytes).
  var fields: [JournalEntry.Field] {
    var fields: [JournalEntry.Field] = []
    var rest = writer.bytes[...]
    while let nameEnd = rest.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == 0x0A }) {
      let name = String(decoding: rest[..<nameEnd], as: UTF8.self)
      let isOneLine = rest[nameEnd] == UInt8(ascii: "=")
      rest = rest[(nameEnd + 1)...]
      var count = rest.firstIndex(of: 0x0A).map { $0 - rest.startIndex } ?? rest.count
      if !isOneLine {
        count = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
        rest = rest.dropFirst(8)
      }
      let value = String(decoding: rest.prefix(count), as: UTF8.self)
      fields.append(JournalEntry.Field(name: name, value: value))
      rest = rest.dropFirst(count + 1)
    }
    return fields
  }
}
