import CZlib

/// Undoes deflate (RFC 1951), from a buffer of the caller into another one.
@safe package final class Inflater {
  /// The bytes around the deflated ones; the value is zlib's `windowBits`.
  package enum Wrapping: Int32, Sendable {
    /// None, as in zip.
    case none = -15
    /// gzip's header and check sum (RFC 1952).
    case gzip = 31
  }

  package enum State: Equatable, Sendable {
    /// More input or more room is needed.
    case unfinished
    case ended
    case damaged(reason: String)
  }

  /// zlib compares its address with the one of the start, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>

  /// Fails if memory is short.
  package init?(_ wrapping: Wrapping) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let size = unsafe Int32(MemoryLayout<z_stream>.size)
    guard unsafe inflateInit2_(stream, wrapping.rawValue, ZLIB_VERSION, size) == Z_OK else {
      return nil
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Prepares for other deflated bytes.
  package func reset() { unsafe inflateReset(stream) }

  /// Unpacks the front of `input` into the front of `output`, as much as there is room for. Bytes
  /// before a damage are unpacked, too.
  package func unpack(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) -> (used: Int, made: Int, state: State) {
    let given = uInt(clamping: input.count)
    let room = uInt(clamping: output.count)
    unsafe stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    unsafe stream.pointee.avail_in = given
    unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
    unsafe stream.pointee.avail_out = room
    let result = unsafe inflate(stream, Z_NO_FLUSH)
    let used = unsafe Int(given - stream.pointee.avail_in)
    let made = unsafe Int(room - stream.pointee.avail_out)
    switch result {
    case Z_OK, Z_BUF_ERROR: return (used, made, .unfinished)
    case Z_STREAM_END: return (used, made, .ended)
    default:
      let reason = unsafe stream.pointee.msg.map { unsafe String(cString: $0) }
      return (used, made, .damaged(reason: reason ?? "error \(result)"))
    }
  }
}
