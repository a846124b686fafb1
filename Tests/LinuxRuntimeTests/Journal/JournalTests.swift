import Bytes
import Glibc
import TestSupport
import Testing

@testable import LinuxRuntime

@Suite struct JournalQueueTests {
  /// A journald that hangs: nobody reads what is sent to its socket.
  @Test func theQueueIsFullWithoutAReader() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/journal"
    let address = try SocketAddress(unixPath: path)
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue)
    let queue = JournalQueue(path: path)
    #expect(!queue.isFull, "without a socket there is nothing to wait for")
    let reader = Descriptor(socket(AF_UNIX, type, 0))
    try #require(address.withPointer { bind(reader.raw, $0, $1) } == 0)
    #expect(!queue.isFull)

    let writer = Descriptor(socket(AF_UNIX, type, 0))
    try #require(address.withPointer { connect(writer.raw, $0, $1) } == 0)
    while send(writer.raw, "entry", 5, 0) == 5 {}
    #expect(queue.isFull)
    #expect(queue.isFull)
    let sink = SystemJournal(identifier: "test", socketPath: path)
    #expect(throws: JournalError.busy) { try sink.write(JournalEntry("x", priority: .debug)) }
    let room = try #require(sink.roomDescriptor())
    func hasRoom() -> Bool {
      var entry = pollfd(fd: room.raw, events: Int16(POLLOUT), revents: 0)
      return poll(&entry, 1, 0) > 0
    }
    #expect(!hasRoom())
    var bytes = [UInt8](repeating: 0, count: 16)
    #expect(recv(reader.raw, &bytes, bytes.count, 0) > 0)
    #expect(hasRoom())
    while recv(reader.raw, &bytes, bytes.count, 0) > 0 {}
    #expect(!queue.isFull)
  }

  /// The socket of the new one is another file of the same name.
  @Test func followsAJournaldThatIsStartedAnew() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/journal"
    let address = try SocketAddress(unixPath: path)
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue)
    let queue = JournalQueue(path: path)
    for _ in 0..<2 {
      let reader = Descriptor(socket(AF_UNIX, type, 0))
      try #require(address.withPointer { bind(reader.raw, $0, $1) } == 0)
      let writer = Descriptor(socket(AF_UNIX, type, 0))
      try #require(address.withPointer { connect(writer.raw, $0, $1) } == 0)
      #expect(!queue.isFull)
      #expect([UInt8(1)].withUnsafeBytes { queue.send($0) } == 0)
      while send(writer.raw, "entry", 5, 0) == 5 {}
      #expect(queue.isFull)
      #expect([UInt8(1)].withUnsafeBytes { queue.send($0) } == EAGAIN)
      reader.close()
      #expect([UInt8(1)].withUnsafeBytes { queue.send($0) } == ENOENT)
      unlink(path)
      #expect([UInt8(1)].withUnsafeBytes { queue.send($0) } == ENOENT)
    }
  }
}

@Suite struct JournalEntryTests {
  @Test(
    arguments: [
      ("MESSAGE", true), ("GEOREMIND_FIX_TIME", true), ("A1", true),
      (String(repeating: "A", count: 64), true), (String(repeating: "A", count: 65), false),
      ("", false), ("_PID", false), ("1A", false), ("lower", false), ("A B", false),
      ("A=B", false), ("A\n", false), ("Ä", false),
    ])
  func namesAreThoseOfTheJournal(name: String, valid: Bool) {
    #expect(JournalFieldName.isValid(name.utf8) == valid)
  }

  @Test func keepsOrderAndPlace() {
    var entry = JournalEntry(
      "hello", priority: .notice, messageID: "d0a8d1ef7bb94de0a5ce2d4b5a1c2d3e",
      file: "daemon/Main.swift", line: 12, function: "start()")
    entry.add("GEOREMIND_KIND", "location")
    entry.add("GEOREMIND_PLACE", nil)
    entry.add("GEOREMIND_LATE_S") { $0.add(decimal: 12) }
    entry.add("GEOREMIND_TITLE", "two\nlines")
    let contents = entry.contents
    #expect(
      contents.fields.map { "\($0.name)=\($0.value)" } == [
        "MESSAGE=hello", "PRIORITY=5", "MESSAGE_ID=d0a8d1ef7bb94de0a5ce2d4b5a1c2d3e",
        "CODE_FILE=daemon/Main.swift", "CODE_LINE=12", "CODE_FUNC=start()",
        "GEOREMIND_KIND=location", "GEOREMIND_LATE_S=12", "GEOREMIND_TITLE=two\nlines",
      ])
    #expect(contents["GEOREMIND_TITLE"] == "two\nlines" && contents["GEOREMIND_PLACE"] == nil)
    #expect(contents.message == "hello" && contents.priority == .notice)
  }

  @Test func saysWhereItWasMade() {
    let entry = JournalEntry("here", priority: .debug).contents
    #expect(entry["CODE_FILE"] == "LinuxRuntimeTests/JournalTests.swift")
    #expect(entry["CODE_LINE"] == "\(#line - 2)")
    #expect(entry["CODE_FUNC"] == "saysWhereItWasMade()")
  }
}

@Suite struct TerminalJournalTests {
  @Test(
    arguments: [
      ("plain", "p: plain\n"),
      ("one\ntwo\n", "p: one\n   two\n   \n"),
      ("esc \u{1B}[2J\u{7}\u{7F}", "p: esc \\x1b[2J\\x07\\x7f\n"),
      ("c1 \u{9B}2J", "p: c1 \\x9b2J\n"),
      ("\ttab, Grüße 🙂\r", "p: \ttab, Grüße 🙂\\x0d\n"),
      ("", "p: \n"),
    ])
  func keepsTheTerminalSafe(message: String, text: String) {
    #expect(TerminalJournal.lines(message, after: "p: ") == text)
  }

  @Test func printsLikeJournalctl() throws {
    let pipe = try Pipe()
    var moment = tm()
    (moment.tm_year, moment.tm_mon, moment.tm_mday) = (126, 10, 1)
    (moment.tm_hour, moment.tm_min, moment.tm_sec, moment.tm_isdst) = (9, 3, 7, -1)
    let time = Int64(mktime(&moment)) * 1_000_000 + 999_999
    let journal = TerminalJournal(
      descriptor: pipe.writer, identifier: "georemindd", hostName: "boat", processID: 42,
      now: { time })
    try journal.write(JournalEntry("Buy milk: arrived\nat Rewe", priority: .notice))
    let indent = String(repeating: " ", count: "Nov 01 09:03:07 boat georemindd[42]: ".count)
    #expect(
      pipe.readText()
        == "Nov 01 09:03:07 boat georemindd[42]: Buy milk: arrived\n\(indent)at Rewe\n")
  }

  @Test func reportsAClosedTerminal() {
    let journal = TerminalJournal(descriptor: -1, identifier: "georemindd")
    #expect(throws: JournalError.notWritten(code: EBADF)) {
      try journal.write(JournalEntry("lost", priority: .error))
    }
  }
}

@Suite struct SystemJournalTests {
  /// The bytes of https://systemd.io/JOURNAL_NATIVE_PROTOCOL/, in one datagram.
  @Test func speaksTheNativeProtocol() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/journal"
    let address = try SocketAddress(unixPath: path)
    let type = Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue)
    let reader = Descriptor(socket(AF_UNIX, type, 0))
    try #require(address.withPointer { bind(reader.raw, $0, $1) } == 0)
    let journal = SystemJournal(identifier: "georemindd", socketPath: path)
    var entry = JournalEntry(
      "hello", priority: .notice, file: "a/B.swift", line: 7, function: "f()")
    entry.add("GEOREMIND_TITLE", "two\nlines")
    entry.add("GEOREMIND_PLACE", "")
    try journal.write(entry)
    try journal.write(JournalEntry("again", priority: .debug))
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = recv(reader.raw, &bytes, bytes.count, 0)
    #expect(
      String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        == "MESSAGE=hello\nPRIORITY=5\nCODE_FILE=a/B.swift\nCODE_LINE=7\nCODE_FUNC=f()\n"
        + "GEOREMIND_TITLE\n\u{9}\0\0\0\0\0\0\0two\nlines\nGEOREMIND_PLACE=\n"
        + "SYSLOG_IDENTIFIER=georemindd\n")
    #expect(recv(reader.raw, &bytes, bytes.count, 0) > 0)
    #expect(recv(reader.raw, &bytes, bytes.count, 0) < 0)
  }

  @Test func noticesAMissingJournal() {
    let path = "/tmp/georemind-no-journal/socket"
    #expect(!SystemJournal.isAvailable(socketPath: path))
    let journal = SystemJournal(identifier: "georemind-test", socketPath: path)
    #expect {
      try journal.write(JournalEntry("nobody reads this", priority: .debug))
    } throws: {
      $0 as? JournalError == .unavailable(socketPath: path)
    }
  }

  /// Against the journal of the machine: entries come back by id, with a value of several lines and
  /// one of a megabyte, which goes by memfd.
  @Test(
    .enabled(if: SystemJournal.isAvailable(), "no systemd-journald runs here"),
    arguments: ["short", "two\nlines\n", String(repeating: "long ", count: 200_000)])
  func entriesComeBackFromTheJournal(title: String) throws {
    let start = SystemClock.now()
    let identity = (0..<4).map { _ in String(UInt32.random(in: 0...(.max)), radix: 16) }.joined()
    let journal = SystemJournal(identifier: "georemind-test")
    var entry = JournalEntry("a test of georemind", priority: .debug)
    entry.add("GEOREMIND_FIRING_ID", identity)
    entry.add("GEOREMIND_TITLE", title)
    try journal.write(entry)

    func holds(_ field: JournalFieldName, _ value: String, since: Int64) throws -> Bool {
      try JournalReader.contains(
        field: field, value: value, sinceRealtime: since, timeout: 3_000_000)
    }
    #expect(try holds("GEOREMIND_FIRING_ID", identity, since: start - 1_000_000))
    if title.utf8.count < 1000 {
      #expect(try holds("GEOREMIND_TITLE", title, since: start - 1_000_000))
    }
    #expect(
      try !JournalReader.contains(
        field: "GEOREMIND_FIRING_ID", value: identity, sinceRealtime: start + 60_000_000))
    #expect(
      try !JournalReader.contains(
        field: "GEOREMIND_FIRING_ID", value: identity + "0", sinceRealtime: 0))
  }

  /// Anyone may log the id of a firing; it is still to be told.
  @Test(
    .enabled(
      if: SystemJournal.isAvailable() && geteuid() == 0,
      "no systemd-journald runs here, or this is not root"))
  func entriesOfAnotherUserAreIgnored() throws {
    let identity = (0..<4).map { _ in String(UInt32.random(in: 0...(.max)), radix: 16) }.joined()
    let forge = "printf 'MESSAGE=forged\\nGEOREMIND_FIRING_ID=%s\\n' \(identity)"
    let other = "setpriv --reuid=65534 --regid=65534 --clear-groups logger --journald"
    let command: [String] = ["sh", "-c", "\(forge) | \(other)"]
    var words: [UnsafeMutablePointer<CChar>?] = command.map { word in strdup(word) }
    words.append(nil)
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    try #require(posix_spawn(&process, "/bin/sh", nil, nil, words, environ) == 0)
    var status: Int32 = 0
    try #require(waitpid(process, &status, 0) == process && status == 0)

    func holds(_ value: String) throws -> Bool {
      try JournalReader.contains(
        field: "GEOREMIND_FIRING_ID", value: value, sinceRealtime: 0, timeout: 3_000_000)
    }
    // What was sent before a marker can be read once the marker can.
    var marker = JournalEntry("a test of georemind", priority: .debug)
    marker.add("GEOREMIND_FIRING_ID", "\(identity)-marker")
    try SystemJournal(identifier: "georemind-test").write(marker)
    #expect(try holds("\(identity)-marker"))
    #expect(
      try !JournalReader.contains(
        field: "GEOREMIND_FIRING_ID", value: identity, sinceRealtime: 0))
  }
}
