package import Bytes

/// The name of a journal field: at most 64 capital letters, digits and underscores, the first a
/// letter (systemd.journal-fields(7)).
package struct JournalFieldName: Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  let literal: StaticString

  /// Must be a name that journald takes.
  package init(stringLiteral name: StaticString) {
    assert(Self.isValid("\(name)".utf8), "\(name) is no journal field name")
    literal = name
  }

  package var description: String { literal.description }

  static func isValid(_ name: String.UTF8View) -> Bool {
    guard let first = name.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first),
      name.count <= 64
    else { return false }
    return name.allSatisfy {
      switch $0 {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }
  }

  package static let message: JournalFieldName = "MESSAGE"
  package static let priority: JournalFieldName = "PRIORITY"
  package static let messageID: JournalFieldName = "MESSAGE_ID"
}

/// Importance of an entry: the levels of syslog(3).
package enum JournalPriority: Int, Sendable, Comparable, CaseIterable {
  case emergency, alert, critical, error, warning, notice, informational, debug

  /// The more urgent is the smaller.
  package static func < (a: JournalPriority, b: JournalPriority) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// One journal entry: fields in order of addition, each name once. The sink adds the identifier.
///
/// Stored in its wire format: building that from a list of texts took half of an entry's time.
package struct JournalEntry: ~Copyable {
  private(set) var datagram = JournalDatagram()

  /// An entry with `MESSAGE`, `PRIORITY`, `MESSAGE_ID` if given, and the source location, which
  /// `sd_journal_sendv` does not add.
  /// - Parameter messageID: 32 hexadecimal digits, as `systemd-id128 new` prints them.
  package init(
    _ message: String, priority: JournalPriority, messageID: String? = nil,
    file: StaticString = #fileID, line: Int = #line, function: StaticString = #function
  ) {
    begin(message, priority, messageID)
    add("CODE_FILE") { $0.add(file) }
    add("CODE_LINE") { $0.add(decimal: line) }
    add("CODE_FUNC") { $0.add(function) }
  }

  /// The same for a place in the program that another library names.
  package init(
    _ message: String, priority: JournalPriority, file: String, line: Int, function: String
  ) {
    begin(message, priority, nil)
    add("CODE_FILE", file)
    add("CODE_LINE") { $0.add(decimal: line) }
    add("CODE_FUNC", function)
  }

  private mutating func begin(
    _ message: String, _ priority: JournalPriority, _ messageID: String?
  ) {
    add(.message, message)
    add(.priority) { $0.add(decimal: priority.rawValue) }
    add(.messageID, messageID)
  }

  /// A field that the entry does not have yet, if there is a value for it.
  package mutating func add(_ name: JournalFieldName, _ value: String?) {
    guard let value else { return }
    datagram.append(name, value)
  }

  /// A field that the entry does not have yet, with a value of one line that `write` adds.
  package mutating func add(_ name: JournalFieldName, _ write: (inout ByteWriter) -> Void) {
    datagram.append(name, write)
  }

  /// The fields, for tests and the terminal. Complexity: O(bytes).
  package var contents: Contents { Contents(fields: datagram.fields) }

  package struct Field: Equatable, Sendable {
    package let name: String
    /// Any text, line ends included.
    package let value: String
  }

  package struct Contents: Equatable, Sendable {
    /// In the order they were added.
    package let fields: [Field]

    package subscript(name: JournalFieldName) -> String? {
      fields.first { $0.name == name.description }?.value
    }

    package var message: String { self[.message] ?? "" }

    package var priority: JournalPriority {
      self[.priority].flatMap { Int($0) }.flatMap { JournalPriority(rawValue: $0) }
        ?? .informational
    }
  }
}
