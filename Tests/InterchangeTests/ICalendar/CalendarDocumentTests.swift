import Glibc
import TestSupport
import Testing

@testable import Interchange

@Suite struct CalendarDocumentTests {
  private func document(_ text: String) throws -> CalendarDocument {
    try CalendarDocument(Array(text.utf8), name: "f")
  }

  @Test(arguments: CalendarFixtures.all, ["\r\n", "\n", "\r"])
  func givesBackItsBytes(_ text: String, _ lineEnd: String) throws {
    let text = text.split(separator: "\r\n", omittingEmptySubsequences: false)
      .joined(separator: lineEnd)
    #expect(try document(text).bytes == Array(text.utf8))
    let marked = "\u{FEFF}\(text)\(lineEnd)\(lineEnd)\(text)"
    #expect(try document(marked).bytes == Array(marked.utf8))
    let open = String(text.dropLast(1))
    #expect(try document(open).bytes == Array(open.utf8))
  }

  /// Lines of any shape, folded anywhere, with any line ends, empty lines between them.
  @Test(arguments: 0..<200) func givesBackRandomBytes(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let ends: [[UInt8]] = [[0x0D, 0x0A], [0x0A], [0x0D]]
    let characters = Array("aZ9 ;:,=\"\\^'ü漢🚢-.".utf8)
    var bytes: [UInt8] = []
    var names: [String] = []
    func line(_ text: String) {
      for byte in text.utf8 {
        bytes.append(byte)
        if Int.random(in: 0..<30, using: &generator) == 0 {
          bytes += ends[Int.random(in: 0..<3, using: &generator)]
          bytes.append(Bool.random(using: &generator) ? 0x20 : 0x09)
        }
      }
      bytes += ends[Int.random(in: 0..<3, using: &generator)]
    }
    line("BEGIN:VCALENDAR")
    for _ in 0..<Int.random(in: 0..<40, using: &generator) {
      switch Int.random(in: 0..<6, using: &generator) {
      case 0 where names.count < 8:
        names.append(["VTODO", "vevent", "X-Any"].randomElement(using: &generator) ?? "X")
        line("BEGIN:\(names.last ?? "")")
      case 1 where !names.isEmpty: line("END:\(names.removeLast())")
      case 2: bytes += [0x0A]
      default:
        line("X-NAME;P=\"a:b;c\",d;Q=e:")
        bytes.removeLast()
        let value = (0..<Int.random(in: 0..<60, using: &generator)).compactMap { _ in
          characters.randomElement(using: &generator)
        }
        bytes += [0x0D, 0x0A] + Array("X-VALUE:".utf8) + value + [0x0D, 0x0A]
      }
    }
    while let name = names.popLast() { line("END:\(name)") }
    line("END:VCALENDAR")
    #expect(try CalendarDocument(bytes, name: "f").bytes == bytes)
  }

  @Test func takesLinesApart() throws {
    let text =
      "BEGIN:VCALENDAR\r\nX-A;P=\"a:b;c\",d^ne^^f^'g;q=:v;w:x\\, y\r\n  folded\r\n\tt"
      + "wice\r\nEND:VCALENDAR \r\n"
    let calendar = try #require(try document(text).calendars.first)
    let line = try #require(calendar["X-A"])
    #expect(line["P"] == "a:b;c,d\ne^f\"g")
    #expect(line["Q"] == "")
    #expect(line.value == "v;w:x\\, y foldedtwice")
    #expect(line.text == "v;w:x, y foldedtwice")
    #expect(line.number == 2)
  }

  @Test func newLinesAreFoldedBetweenCharacters() throws {
    let value = String(repeating: "ü漢🚢", count: 40)
    let line = ContentLine.make(
      "X-A", [ContentLine.Parameter(name: "P", values: ["a\"b,c", "d\ne^"])], value,
      lineEnd: [0x0D, 0x0A])
    for part in line.bytes.split(separator: 0x0A) {
      #expect(part.count <= 76)
      #expect(String(validating: part, as: UTF8.self) != nil)
    }
    let text = "BEGIN:VCALENDAR\r\n" + String(decoding: line.bytes, as: UTF8.self) + "END:VCALENDAR"
    let read = try #require(try document(text).calendars.first?["X-A"])
    #expect(read.value == value)
    #expect(read.parameters == line.parameters)
  }

  @Test(arguments: ["plain", "a,b;c\\d", "one\ntwo", "C:\\new", "\u{1}x", "ends with \\"])
  func textComesBack(_ text: String) {
    let escaped = CalendarText.escaped(text)
    #expect(CalendarText.unescaped(escaped) == text)
  }

  @Test func aChangeLeavesAllElseAlone() throws {
    let text = CalendarFixtures.appleGeofence
    var document = try document(text)
    document.changeCalendar { calendar in
      guard case .component(var task) = calendar.nodes[3] else { return }
      task.set("STATUS", "COMPLETED")
      task.set("SUMMARY", "Buy milk\\, eggs")
      calendar.nodes[3] = .component(task)
    }
    let expected = text.replacing("STATUS:NEEDS-ACTION", with: "STATUS:COMPLETED")
    #expect(String(decoding: document.bytes, as: UTF8.self) == expected)
  }

  @Test func aFileWithoutAComponentIsRefused() {
    for text in ["", "X:y\n", "\u{1}\u{2}\n"] {
      let error = #expect(throws: InterchangeError.self) { try document(text) }
      #expect(error?.reason.contains("no BEGIN:VCALENDAR") == true)
    }
  }

  @Test(arguments: [
    ("BEGIN:VCALENDAR\n", 1, "not closed"),
    ("BEGIN:VCALENDAR\nVERSION\nEND:VCALENDAR\n", 2, "'VERSION' has no ':'"),
    ("BEGIN:VCALENDAR\nno name here\nEND:VCALENDAR\n", 2, "'NO' has no ':'"),
    ("BEGIN:VCALENDAR\n:x\nEND:VCALENDAR\n", 2, "a name and a colon"),
    ("BEGIN:VCALENDAR\nX;P=\"a:b\nEND:VCALENDAR\n", 2, "the quote of parameter P is not closed"),
    ("BEGIN:VCALENDAR\nX;=a:b\nEND:VCALENDAR\n", 2, "the name of a parameter"),
    ("BEGIN:VCALENDAR\nBEGIN:VTODO\nEND:VCALENDAR\n", 3, "BEGIN:VTODO of line 2 has no END"),
    ("BEGIN:VCALENDAR\nEND:VTODO\nEND:VCALENDAR\n", 2, "END:VTODO has no BEGIN"),
    ("X:y\nBEGIN:VCALENDAR\nEND:VCALENDAR\n", 1, "outside of BEGIN:VCALENDAR"),
    ("BEGIN:VCALENDAR\nEND:VCALENDAR\nX:y\n", 3, "outside of BEGIN:VCALENDAR"),
    ("\u{FEFF}BEGIN:VCALENDAR\r\nA:b\r\n c\r\nD\r\nEND:VCALENDAR", 4, "'D' has no ':'"),
  ]) func leavesOutWithTheLine(_ text: String, _ line: Int, _ reason: String) throws {
    let document = try document(text)
    try #require(document.damage.count == 1, "\(document.damage)")
    #expect(document.damage[0].line == line)
    #expect(document.damage[0].reason.contains(reason), "\(document.damage)")
    #expect(document.bytes == Array(text.utf8))
  }

  @Test func aMissingEndCostsNoItem() throws {
    let text = """
      BEGIN:VCALENDAR
      BEGIN:VTODO
      UID:a
      BEGIN:VALARM
      TRIGGER:PT0S
      BEGIN:VALARM
      TRIGGER:PT1H
      END:VTODO
      BEGIN:VTODO
      UID:b
      BEGIN:VTODO
      UID:c
      END:VTODO
      END:VCALENDAR
      BEGIN:VCALENDAR
      BEGIN:VTODO
      UID:d

      """
    let document = try document(text)
    let tasks = document.calendars.flatMap { $0.components("VTODO") }
    #expect(tasks.compactMap { $0["UID"]?.value } == ["a", "b", "c", "d"])
    #expect(tasks[0].components("VALARM").count == 2)
    #expect(tasks.map(\.isCut) == [false, false, false, true])
    #expect(document.damage.map(\.line) == [6, 8, 11, 16])
    #expect(document.isCut && !document.isBalanced)
    #expect(document.bytes == Array(text.utf8))
  }

  @Test func depthIsBounded() {
    let deep = String(repeating: "BEGIN:X\n", count: 200_000)
    let error = #expect(throws: InterchangeError.self) { try document(deep) }
    #expect(error?.reason.contains("deep") == true)
    #expect(error?.line == 17)
  }

  @Test(arguments: ["a", "a\n "]) func aLineIsBounded(_ part: String) throws {
    let text = "BEGIN:VCALENDAR\nX:" + String(repeating: part, count: 9 << 20)
    let document = try document("\(text)\nY:z\nEND:VCALENDAR\n")
    #expect(document.damage.map(\.line) == [2])
    #expect(document.damage.first?.reason.contains("longer than 8 MiB") == true)
    #expect(document.calendars.first?["X"] == nil && document.calendars.first?["Y"] != nil)
  }

  /// More than is taken is not read to its end.
  @Test func aStreamIsBounded() throws {
    let folder = try TemporaryFolder()
    let path = try folder.file("huge.ics", "BEGIN:VCALENDAR\nX:")
    // A hole of a gigabyte behind it.
    let size = 1 << 30
    try #require(truncateFile(path, size) == 0)
    let source = try ByteSource(path: path)
    let error = #expect(throws: InterchangeError.self) { try CalendarDocument(source) }
    #expect(error?.reason.contains("larger than 64 MiB") == true)
    #expect(source.bytesRead <= CalendarDocument.maximumSize + 2 * ByteSource.pieceSize)
  }
}

/// Gives a file this size; what is new of it is zeros that take no room.
private func truncateFile(_ path: String, _ size: Int) -> CInt { truncate(path, off_t(size)) }
