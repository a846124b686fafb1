import CZlib

/// Undoes gzip (RFC 1952), member by member, as much at a time as there is room for.
final class Gunzip {
  static let magic: [UInt8] = [0x1F, 0x8B]
  private static let inputSize = 1 << 16

  /// zlib keeps a pointer to it, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let input: UnsafeMutableRawBufferPointer
  /// Bytes of the file that were handed in.
  private var taken: Int
  private var isBetweenMembers = false

  /// - Parameter first: what was read of the file already.
  init(_ first: [UInt8]) throws(RecordingError) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    input = .allocate(byteCount: max(Self.inputSize, first.count), alignment: 16)
    input.copyBytes(from: first)
    taken = first.count
    stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = uInt(first.count)
    // 15 bits of window as gzip has it, and 16 for gzip's header and check sum.
    let result = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard result == Z_OK else { throw .damaged(byte: 0, reason: "zlib does not start") }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    input.deallocate()
  }

  /// Offset of the next byte in the file.
  private var position: Int { taken - Int(stream.pointee.avail_in) }

  /// Fills the front of `output`; 0 is the end, nil is nothing yet: call again.
  /// - Parameter source: puts more of the file into a buffer; 0 is the end of it.
  func read(
    into output: UnsafeMutableRawBufferPointer,
    from source: (UnsafeMutableRawBufferPointer) throws(RecordingError) -> Int
  ) throws(RecordingError) -> Int? {
    if stream.pointee.avail_in == 0 {
      let count = try source(input)
      guard count > 0 else {
        guard isBetweenMembers else { throw .truncated(byte: taken) }
        return 0
      }
      taken += count
      stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.pointee.avail_in = uInt(count)
    }
    if isBetweenMembers {
      guard try beginMember() else { return nil }
    }
    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = uInt(output.count)
    let result = inflate(stream, Z_NO_FLUSH)
    let count = output.count - Int(stream.pointee.avail_out)
    if result == Z_STREAM_END { isBetweenMembers = true }
    // Bytes unpacked before a fault are returned first; the next call throws.
    if count > 0 { return count }
    switch result {
    case Z_OK, Z_BUF_ERROR, Z_STREAM_END: return nil
    default:
      let reason = stream.pointee.msg.map { String(cString: $0) } ?? "error \(result)"
      throw .damaged(byte: position, reason: reason)
    }
  }

  /// Skips zero padding of tapes and block devices after a member; false at the end.
  private func beginMember() throws(RecordingError) -> Bool {
    while stream.pointee.avail_in > 0, let next = stream.pointee.next_in, next.pointee == 0 {
      stream.pointee.next_in = next + 1
      stream.pointee.avail_in -= 1
    }
    guard stream.pointee.avail_in > 0, let next = stream.pointee.next_in else { return false }
    guard next.pointee == Self.magic[0] else {
      throw .damaged(byte: position, reason: "something else follows")
    }
    inflateReset(stream)
    isBetweenMembers = false
    return true
  }
}
