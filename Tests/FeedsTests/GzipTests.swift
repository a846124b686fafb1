import Glibc
import LinuxRuntime
import TestSupport
import Testing

@testable import Feeds

/// Recordings as gzip packs them.
@Suite struct GzipTests {
  /// Reads a file to its end, or to its fault.
  private func read(
    _ bytes: [UInt8], room: Int = 4096
  ) throws -> (bytes: [UInt8], fault: RecordingError?) {
    let folder = try TemporaryFolder()
    let path = try folder.file("log", "")
    let descriptor = open(path, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    try #require(write(descriptor, bytes, bytes.count) == bytes.count)
    lseek(descriptor, 0, SEEK_SET)
    let reader = RecordingReader(descriptor: descriptor)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
    defer { buffer.deallocate() }
    var result: [UInt8] = []
    do throws(RecordingError) {
      // Nil is no end: go on until there is one.
      var count: Int? = nil
      while count != 0 {
        count = try reader.read(into: buffer)
        result += buffer[..<(count ?? 0)]
      }
    } catch {
      return (result, error)
    }
    #expect(reader.bytesTaken == bytes.count)
    return (result, nil)
  }

  /// A log that does not pack too well, from a seed.
  private static func log(_ count: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: 7)
    return (0..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }
  }

  @Test(arguments: [2, 3, 100, 4096, 65536])
  func unpacksWithAnyRoom(_ room: Int) throws {
    let log = Self.log(200_000)
    let (bytes, fault) = try read(deflated(log), room: room)
    #expect(fault == nil)
    #expect(bytes == log)
  }

  @Test func readsAnUncompressedFileUnchanged() throws {
    for text in ["", "$", "$GPRMC", "\u{1F}", "\u{1F}x"] {
      let (bytes, fault) = try read(Array(text.utf8))
      #expect(fault == nil)
      #expect(bytes == Array(text.utf8))
    }
  }

  /// As `cat a.gz b.gz` and a logger that is started again make them; zeros come from block
  /// devices.
  @Test func readsMembersOneAfterTheOther() throws {
    let log = Self.log(100_000)
    let parts = deflated(Array(log[..<70_000])) + deflated([]) + deflated(Array(log[70_000...]))
    for tail in [[], [UInt8](repeating: 0, count: 1000)] {
      let (bytes, fault) = try read(parts + tail)
      #expect(fault == nil)
      #expect(bytes == log)
    }
  }

  @Test func aTruncatedFileIsReadUpToTheCut() throws {
    let log = Self.log(100_000)
    let whole = deflated(log)
    for length in [2, 5, 11, 1000, whole.count / 2, whole.count - 8, whole.count - 1] {
      let (bytes, fault) = try read(Array(whole[..<length]))
      #expect(fault == .truncated(byte: length))
      #expect(log.starts(with: bytes))
      if length > whole.count - 10 { #expect(bytes == log) }
    }
    #expect(
      "\(RecordingError.truncated(byte: 7))".hasPrefix("its gzip data are cut off at byte 7;"))
  }

  @Test func damageHasAPlace() throws {
    let log = Self.log(300_000)
    var whole = deflated(log)
    let middle = whole.count / 2
    for index in middle..<middle + 64 { whole[index] ^= 0x55 }
    let (bytes, fault) = try read(whole)
    guard case .damaged(let byte, _)? = fault else {
      Issue.record("\(String(describing: fault))")
      return
    }
    #expect(byte >= middle && byte <= whole.count)
    #expect(bytes.count > 100_000)
    // The check sum alone.
    var wrong = deflated(log)
    wrong[wrong.count - 6] ^= 1
    let sum = try read(wrong)
    #expect(sum.bytes == log)
    #expect(
      sum.fault == .damaged(byte: wrong.count - 4, reason: "incorrect data check")
        || sum.fault == .damaged(byte: wrong.count, reason: "incorrect data check"))
    // Something else behind it.
    let followed = try read(deflated(log) + Array("$GPRMC".utf8))
    #expect(followed.bytes == log)
    #expect(
      followed.fault
        == .damaged(byte: deflated(log).count, reason: "something else follows"))
  }

  /// A megabyte of zeros in a thousand bytes: handed out by the buffer, never at once.
  @Test func aHighRatioTakesNoMemory() throws {
    let (bytes, fault) = try read(
      deflated([UInt8](repeating: 0, count: 1 << 20)), room: 1000)
    #expect(fault == nil)
    #expect(bytes.count == 1 << 20)
  }

  @Test func randomDamageNeverTraps() throws {
    var generator = SeededGenerator(seed: 11)
    let whole = deflated(Self.log(3000))
    for round in 0..<300 {
      var bytes = whole
      for _ in 0...round % 4 {
        bytes[Int.random(in: 2..<bytes.count, using: &generator)] =
          UInt8.random(in: 0...255, using: &generator)
      }
      let result = try read(bytes)
      #expect(result.bytes.count <= 3_000_000, "seed 11, round \(round)")
    }
  }

  @Test func aFeedReadsThem() throws {
    let folder = try TemporaryFolder()
    let log = Self.log(300_000)
    let path = try folder.file("log.nmea", "")
    let whole = deflated(log)
    for length in [whole.count, whole.count - 100] {
      let descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
      try #require(write(descriptor, whole, length) == length)
      close(descriptor)
      let loop = try EventLoop()
      let events = FeedLog()
      let feed = try Feed(.file(path: path, rate: nil), loop: loop, handlers: events.handlers)
      feed.start()
      #expect(try loop.runUntil { events.events.count == 2 })
      #expect(log.starts(with: events.bytes))
      if length == whole.count {
        #expect(events.events == ["open", "end"])
        #expect(events.bytes.count == log.count)
      } else {
        #expect(events.events.last?.hasPrefix("failed: its gzip data are cut off at byte") == true)
        #expect(events.bytes.count > log.count - 65536)
      }
    }
  }
}
