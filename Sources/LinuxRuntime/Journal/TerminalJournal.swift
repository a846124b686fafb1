import Glibc

/// Prints entries as `journalctl` does by default: `Nov 21 09:30:00 host ident[pid]: MESSAGE`, with
/// further lines indented.
///
/// Control characters are printed as `\x1b`, so that no text can control the terminal.
package final class TerminalJournal: JournalSink {
  private let descriptor: Int32
  private let identifier: String
  private let hostName: String
  private let processID: Int32
  private let now: () -> Int64

  /// - Parameters:
  ///   - descriptor: stays the caller's.
  ///   - identifier: printed before each entry.
  ///   - now: wall-clock microseconds for the stamp, printed in local time.
  package init(
    descriptor: Int32, identifier: String, hostName: String = systemHostName(),
    processID: Int32 = getpid(), now: @escaping () -> Int64 = SystemClock.now
  ) {
    self.descriptor = descriptor
    self.identifier = identifier
    self.hostName = hostName
    self.processID = processID
    self.now = now
  }

  package func write(_ entry: consuming JournalEntry) throws(JournalError) {
    let stamp = Self.stamp(now())
    let text = Self.lines(
      entry.contents.message, after: "\(stamp) \(hostName) \(identifier)[\(processID)]: ")
    do throws(SystemError) {
      try Descriptors.write(text, to: descriptor, "write to the terminal")
    } catch {
      throw .notWritten(code: error.code)
    }
  }

  /// `Nov 21 09:30:00` in local time.
  static func stamp(_ microseconds: Int64) -> String {
    var seconds = time_t(microseconds / 1_000_000)
    var parts = tm()
    guard localtime_r(&seconds, &parts) != nil else { return "@\(seconds)" }
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let month = months.indices.contains(Int(parts.tm_mon)) ? months[Int(parts.tm_mon)] : "???"
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
    return "\(month) \(two(parts.tm_mday)) \(clock)"
  }

  /// The message after its prefix, further lines indented by its width, with a line end.
  static func lines(_ message: String, after prefix: String) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: prefix.unicodeScalars)
    let indent = String(repeating: " ", count: prefix.count)
    for scalar in message.unicodeScalars {
      switch scalar.value {
      case 0x0A:
        text.append("\n")
        text.append(contentsOf: indent.unicodeScalars)
      case 0x09:
        text.append(scalar)
      case 0..<0x20, 0x7F..<0xA0:
        let digits = String(scalar.value, radix: 16)
        text.append(contentsOf: "\\x\(digits.count < 2 ? "0" : "")\(digits)".unicodeScalars)
      default:
        text.append(scalar)
      }
    }
    text.append("\n")
    return String(text)
  }
}

/// The host's name up to its first dot, as the journal shows it.
package func systemHostName() -> String {
  // HOST_NAME_MAX is 64 on Linux.
  withUnsafeTemporaryAllocation(byteCount: 65, alignment: 1) { buffer in
    guard let start = buffer.baseAddress, gethostname(start, buffer.count) == 0 else {
      return "localhost"
    }
    let name = buffer.prefix { $0 != 0 && $0 != UInt8(ascii: ".") }
    return name.isEmpty ? "localhost" : String(decoding: name, as: UTF8.self)
  }
}
