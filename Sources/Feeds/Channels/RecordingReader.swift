import Glibc
import LinuxRuntime

/// Reads a recording, plain or gzip. The first two bytes decide, not the name.
///
/// It reads on demand, so memory is two buffers for any size and ratio.
package final class RecordingReader {
  /// Bytes read from the file, before unpacking.
  package private(set) var bytesTaken = 0

  private let descriptor: Int32
  private var form = Form.unknown
  private var first: [UInt8] = []

  private enum Form {
    case unknown, plain
    case packed(Gunzip)
  }

  /// - Parameter descriptor: stays the caller's.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// Fills the front of `buffer` (at least two bytes); 0 is the end, nil means to call again.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(RecordingError) -> Int? {
    switch form {
    case .plain: return try take(into: buffer)
    case .packed(let gunzip):
      return try gunzip.read(into: buffer) { (input) throws(RecordingError) in
        try self.take(into: input)
      }
    case .unknown: return try begin(buffer)
    }
  }

  private func begin(_ buffer: UnsafeMutableRawBufferPointer) throws(RecordingError) -> Int? {
    let count = try take(into: buffer)
    first += buffer[..<count]
    // A pipe may give a single byte.
    if first.count < 2, count > 0 { return nil }
    if first.starts(with: Gunzip.magic) {
      form = .packed(try Gunzip(first))
      first = []
      return nil
    }
    form = .plain
    let length = first.count
    buffer.copyBytes(from: first)
    first = []
    return length
  }

  private func take(into buffer: UnsafeMutableRawBufferPointer) throws(RecordingError) -> Int {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 {
        bytesTaken &+= count
        return count
      }
      if errno != EINTR { throw .system(code: errno) }
    }
  }
}

/// Why a recording cannot be read further. Earlier data is valid.
package enum RecordingError: Error, Equatable, CustomStringConvertible {
  /// The system's error number.
  case system(code: Int32)
  /// The file ends within gzip data; `byte` counts the bytes of the file.
  case truncated(byte: Int)
  case damaged(byte: Int, reason: String)

  package var description: String {
    switch self {
    case .system(let code): "cannot be read: \(errorText(code))"
    case .truncated(let byte):
      "its gzip data are cut off at byte \(byte); what came before was used, copy it again "
        + "for the rest"
    case .damaged(let byte, let reason):
      "its gzip data are damaged near byte \(byte) (\(reason)); what came before was used, "
        + "copy it again for the rest"
    }
  }
}
