import Glibc

/// Fields in journald's native form (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/): one datagram, ready
/// to be sent.
struct JournalDatagram: Equatable {
  private(set) var bytes: [UInt8] = []

  init() {
    // Few entries are longer, and growing copies what is there.
    bytes.reserveCapacity(1024)
  }

  /// `NAME=value` and a line end; a value that has line ends of its own stands behind its length.
  mutating func append(_ name: JournalFieldName, _ value: String) {
    var name = name.description
    var value = value
    name.withUTF8 { bytes.append(contentsOf: $0) }
    value.withUTF8 { text in
      let isOneLine = text.baseAddress.map { memchr($0, 0x0A, text.count) == nil } ?? true
      if isOneLine {
        bytes.append(UInt8(ascii: "="))
      } else {
        bytes.append(UInt8(ascii: "\n"))
        withUnsafeBytes(of: UInt64(text.count).littleEndian) { bytes.append(contentsOf: $0) }
      }
      bytes.append(contentsOf: text)
    }
    bytes.append(UInt8(ascii: "\n"))
  }

  /// The fields again, in their order. Complexity: O(bytes).
  var fields: [JournalEntry.Field] {
    var fields: [JournalEntry.Field] = []
    var rest = bytes[...]
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
      fields.append(JournalEntry.Field(name: JournalFieldName(stringLiteral: name), value: value))
      rest = rest.dropFirst(count + 1)
    }
    return fields
  }
}
