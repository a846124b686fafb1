import Control
import Testing

@Suite struct VarlinkFramerTests {
  private func drain(_ framer: inout VarlinkFramer) throws -> [String] {
    var messages: [String] = []
    while let message = try framer.next() {
      messages.append(String(decoding: message, as: UTF8.self))
    }
    return messages
  }

  /// However the stream is cut, the messages are the same.
  @Test(arguments: 1...12) func cutsDoNotMatter(size: Int) throws {
    let stream = wire("first") + wire("") + wire("third one") + wire("x") + Array("open".utf8)
    var framer = VarlinkFramer(limit: 9)
    var messages: [String] = []
    for start in stride(from: 0, to: stream.count, by: size) {
      framer.append(stream[start..<min(start + size, stream.count)])
      messages += try drain(&framer)
    }
    #expect(messages == ["first", "", "third one", "x"])
    #expect(framer.pendingBytes == 4)
  }

  @Test func returnsOneMessageAtATime() throws {
    var framer = VarlinkFramer()
    framer.append(wire("a") + wire("b"))
    #expect(try framer.next() == [0x61])
    #expect(framer.pendingBytes == 2)
    framer.append(wire("c"))
    #expect(try drain(&framer) == ["b", "c"])
    #expect(framer.pendingBytes == 0)
  }

  /// One in, one out, never empty: what was taken must not pile up.
  @Test func aBacklogThatNeverEmptiesDoesNotGrow() throws {
    var framer = VarlinkFramer()
    for _ in 0..<5 { framer.append(wire("waiting")) }
    for _ in 0..<1_000 {
      framer.append(wire("waiting"))
      #expect(try framer.next()?.count == 7)
      #expect(framer.pendingBytes == 5 * 8)
      #expect(framer.heldBytes <= 2 * framer.pendingBytes + 8)
    }
  }

  @Test func aMessageOfTheLimitPassesAndNotAByteMore() throws {
    for ending in [[0], []] as [[UInt8]] {
      var framer = VarlinkFramer(limit: 4)
      framer.append(wire("good") + Array("worse".utf8) + ending)
      #expect(try framer.next()?.count == 4)
      #expect(throws: VarlinkProtocolError.tooLong(limit: 4)) { try framer.next() }
    }
  }

  @Test func aFloodWithoutEndIsRefusedAtTheLimit() throws {
    var framer = VarlinkFramer(limit: 1_000)
    let block = [UInt8](repeating: 0x20, count: 100)
    for _ in 0..<10 {
      framer.append(block)
      #expect(try framer.next() == nil)
    }
    framer.append([0x20])
    #expect(throws: VarlinkProtocolError.self) { try framer.next() }
  }
}
