import Unpacking

/// Undoes gzip (RFC 1952), member by member, as much at a time as there is room for.
final class Gunzip {
  static let magic: [UInt8] = [0x1F, 0x8B]
  private static let inputSize = 1 << 16

  private let inflater: Inflater
  private let input: UnsafeMutableRawBufferPointer
  /// The part of `input` that is still packed.
  private var rest: Range<Int>
  /// Bytes of the file that were handed in.
  private var taken: Int
  private var isBetweenMembers = false

  /// - Parameter first: bytes of the file that were read already.
  init(_ first: [UInt8]) throws(RecordingError) {
    guard let inflater = Inflater(.gzip) else {
      throw .damaged(byte: 0, reason: "zlib does not start")
    }
    self.inflater = inflater
    input = .allocate(byteCount: max(Self.inputSize, first.count), alignment: 16)
    input.copyBytes(from: first)
    rest = 0..<first.count
    taken = first.count
  }

  deinit { input.deallocate() }

  /// Offset of the next byte in the file.
  private var position: Int { taken - rest.count }

  /// Fills the front of `output`; 0 is the end, nil is nothing yet: call again.
  /// - Parameter source: puts more of the file into a buffer; 0 is the end of it.
  func read(
    into output: UnsafeMutableRawBufferPointer,
    from source: (UnsafeMutableRawBufferPointer) throws(RecordingError) -> Int
  ) throws(RecordingError) -> Int? {
    if rest.isEmpty {
      let count = try source(input)
      guard count > 0 else {
        guard isBetweenMembers else { throw .truncated(byte: taken) }
        return 0
      }
      taken += count
      rest = 0..<count
    }
    if isBetweenMembers {
      guard try beginMember() else { return nil }
    }
    let (used, made, state) = inflater.unpack(
      UnsafeRawBufferPointer(rebasing: input[rest]), into: output)
    rest = rest.dropFirst(used)
    if state == .ended { isBetweenMembers = true }
    // Bytes unpacked before a fault are returned first; the next call throws.
    if made > 0 { return made }
    if case .damaged(let reason) = state { throw .damaged(byte: position, reason: reason) }
    return nil
  }

  /// Skips zero padding of tapes and block devices after a member; false at the end.
  private func beginMember() throws(RecordingError) -> Bool {
    rest = rest.drop { input[$0] == 0 }
    guard let next = rest.first else { return false }
    guard input[next] == Self.magic[0] else {
      throw .damaged(byte: position, reason: "something else follows")
    }
    inflater.reset()
    isBetweenMembers = false
    return true
  }
}
