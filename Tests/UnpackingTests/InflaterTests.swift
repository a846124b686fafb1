import TestSupport
import Testing
import Unpacking

@Suite struct InflaterTests {
  private static let text = Array(String(repeating: "$GPRMC,154000 ", count: 3_000).utf8)

  /// All that comes out, in pieces of `piece` bytes each way, with the last state and the bytes used.
  private func unpack(
    _ bytes: [UInt8], _ inflater: Inflater, piece: Int
  ) -> (bytes: [UInt8], used: Int, state: Inflater.State) {
    var result: [UInt8] = []
    var room = [UInt8](repeating: 0, count: piece)
    var used = 0
    while true {
      let step = room.withUnsafeMutableBytes { output in
        bytes[used...].prefix(piece).withUnsafeBytes { inflater.unpack($0, into: output) }
      }
      used += step.used
      result += room[..<step.made]
      guard step.state == .unfinished, step.used + step.made > 0 else {
        return (result, used, step.state)
      }
    }
  }

  @Test(arguments: [Inflater.Wrapping.none, .gzip], [1, 7, 100_000])
  func piecesOfAnySizeGiveTheSame(_ wrapping: Inflater.Wrapping, piece: Int) throws {
    let inflater = try #require(Inflater(wrapping))
    let packed = deflated(Self.text, windowBits: wrapping.rawValue)
    for _ in 0..<2 {
      let (bytes, used, state) = unpack(packed + [1, 2], inflater, piece: piece)
      #expect(bytes == Self.text)
      #expect(used == packed.count)
      #expect(state == .ended)
      inflater.reset()
    }
  }

  @Test func aCutStreamIsUnfinished() throws {
    let inflater = try #require(Inflater(.gzip))
    let packed = deflated(Self.text)
    let (bytes, used, state) = unpack(Array(packed.dropLast(3)), inflater, piece: 64)
    #expect(bytes == Self.text)
    #expect(used == packed.count - 3)
    #expect(state == .unfinished)
  }

  @Test func damageHasAReason() throws {
    let inflater = try #require(Inflater(.gzip))
    var packed = deflated(Self.text)
    packed[packed.count - 6] ^= 1
    let (bytes, _, state) = unpack(packed, inflater, piece: 64)
    #expect(bytes == Self.text)
    #expect(state == .damaged(reason: "incorrect data check"))
    let other = try #require(Inflater(.gzip))
    #expect(
      unpack([0x24, 0x47], other, piece: 64).state == .damaged(reason: "incorrect header check"))
  }
}
