import Glibc
import LinuxRuntime

/// A pipe, closed at the end.
package final class Pipe {
  package let reader: Int32
  package private(set) var writer: Int32

  package init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("make a pipe", code: errno) }
    (reader, writer) = (ends[0], ends[1])
  }

  deinit {
    close(reader)
    closeWriter()
  }

  package func write(_ text: String) { writeAll(text, to: writer) }

  package func closeWriter() {
    if writer >= 0 { close(writer) }
    writer = -1
  }

  /// What is in the pipe, which must not be empty.
  package func readText() -> String {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = read(reader, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}

package func writeAll(_ text: String, to descriptor: Int32) {
  var rest = Array(text.utf8)[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 else { return }
    rest = rest.dropFirst(count)
  }
}
