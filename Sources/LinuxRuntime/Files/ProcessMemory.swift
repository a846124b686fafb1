import Glibc

/// The memory of this process.
package enum ProcessMemory {
  /// Resident bytes, from the second number of /proc/self/statm (proc(5)); nil without it.
  package static var resident: Int? {
    let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    let numbers = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ")
    return numbers.dropFirst().first.flatMap { Int($0) }
      .map { $0.multipliedReportingOverflow(by: Int(getpagesize())).partialValue }
  }
}
