/// An entry in journald's native form (https://systemd.io/JOURNAL_NATIVE_PROTOCOL/).
struct JournalDatagram {
  private(set) var bytes: [UInt8] = []

  /// Ready for another entry, in the same memory.
  mutating func begin() { bytes.removeAll(keepingCapacity: true) }

  /// `NAME=value` and a line end; a value that has line ends of its own stands behind its length.
  mutating func append(_ name: JournalFieldName, _ value: String) {
    bytes.append(contentsOf: name.description.utf8)
    let separator = bytes.count
    bytes.append(UInt8(ascii: "="))
    bytes.append(contentsOf: value.utf8)
    // Few values have more than one line, so that is looked for behind the copying.
    let text = separator + 1..<bytes.count
    if bytes[text].contains(UInt8(ascii: "\n")) {
      bytes[separator] = UInt8(ascii: "\n")
      withUnsafeBytes(of: UInt64(text.count).littleEndian) {
        bytes.insert(contentsOf: $0, at: text.lowerBound)
      }
    }
    bytes.append(UInt8(ascii: "\n"))
  }
}
