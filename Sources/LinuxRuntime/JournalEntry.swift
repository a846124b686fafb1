/// The name of a journal field: capital letters, digits and underscores, at most 64, beginning with
/// a letter, which is what journald accepts from a client (systemd.journal-fields(7)).
package struct JournalFieldName: Hashable, Sendable, CustomStringConvertible,
  ExpressibleByStringLiteral
{
  package let description: String

  /// Nil when journald would refuse the name.
  package init?(validating name: String) {
    guard Self.isValid(name.utf8) else { return nil }
    description = name
  }

  /// A name written in the program. Must be valid.
  package init(stringLiteral name: String) {
    assert(Self.isValid(name.utf8), "\(name) is no journal field name")
    description = name
  }

  private static func isValid(_ name: String.UTF8View) -> Bool {
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
  package static let identifier: JournalFieldName = "SYSLOG_IDENTIFIER"
}

/// How much an entry matters: the levels of syslog(3).
package enum JournalPriority: Int, Sendable, Comparable, CaseIterable {
  case emergency, alert, critical, error, warning, notice, informational, debug

  /// The more urgent is the smaller.
  package static func < (a: JournalPriority, b: JournalPriority) -> Bool {
    a.rawValue < b.rawValue
  }
}

/// One entry for the journal: fields in the order they were added, each name once.
///
/// It is kept in the form in which it is sent: the way of a firing to the journal is one of microseconds,
/// and a list of texts to make that form of took half of those that the entry takes.
package struct JournalEntry: Equatable, Sendable {
  package struct Field: Equatable, Sendable {
    package let name: JournalFieldName
    /// Any text, line ends included.
    package var value: String
  }

  private(set) var datagram = JournalDatagram()
  /// It says itself who writes it.
  private(set) var hasIdentifier = false

  /// An entry with `MESSAGE`, `PRIORITY`, `MESSAGE_ID` if given, and where in the program it was
  /// made: `sd_journal_sendv` adds no `CODE_…` of its own.
  /// - Parameter messageID: 32 hexadecimal digits, as `systemd-id128 new` prints them.
  package init(
    _ message: String, priority: JournalPriority, messageID: String? = nil,
    file: String = #fileID, line: Int = #line, function: String = #function
  ) {
    add(.message, message)
    add(.priority, "\(priority.rawValue)")
    add(.messageID, messageID)
    add("CODE_FILE", file)
    add("CODE_LINE", "\(line)")
    add("CODE_FUNC", function)
  }

  /// The fields in their order. Complexity: O(bytes).
  package var fields: [Field] { datagram.fields }

  /// A field that the entry does not have yet, if there is a value for it.
  package mutating func add(_ name: JournalFieldName, _ value: String?) {
    guard let value else { return }
    datagram.append(name, value)
    if name == .identifier { hasIdentifier = true }
  }

  /// The value of a field; nil removes it, a new one goes to the end. Complexity: O(bytes).
  package subscript(name: JournalFieldName) -> String? {
    get { fields.first { $0.name == name }?.value }
    set {
      var fields = fields
      guard let index = fields.firstIndex(where: { $0.name == name }) else {
        return add(name, newValue)
      }
      if let newValue {
        fields[index].value = newValue
      } else {
        fields.remove(at: index)
        if name == .identifier { hasIdentifier = false }
      }
      datagram = JournalDatagram()
      for field in fields { datagram.append(field.name, field.value) }
    }
  }

  package var message: String { self[.message] ?? "" }

  package var priority: JournalPriority {
    self[.priority].flatMap { Int($0) }.flatMap { JournalPriority(rawValue: $0) } ?? .informational
  }
}
