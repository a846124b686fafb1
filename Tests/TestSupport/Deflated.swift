import CZlib

/// The bytes as zlib deflates them.
/// - Parameter windowBits: -15 without a wrapping, 31 in the form of gzip (zlib's manual,
///   deflateInit2).
package func deflated(_ bytes: [UInt8], windowBits: Int32 = 31) -> [UInt8] {
  var stream = z_stream()
  var input = bytes
  var output = [UInt8](repeating: 0, count: bytes.count + 1_000)
  let count = input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      deflateInit2_(
        &stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size))
      stream.next_in = input.baseAddress
      stream.avail_in = uInt(input.count)
      stream.next_out = output.baseAddress
      stream.avail_out = uInt(output.count)
      deflate(&stream, Z_FINISH)
      deflateEnd(&stream)
      return output.count - Int(stream.avail_out)
    }
  }
  return Array(output[..<count])
}
