import Glibc

/// A failed system call: the action, the error number and a remedy, if known.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The action, as the end of "cannot …": "open /dev/ttyUSB0".
  package let action: String
  /// The error number (`errno`), positive.
  package let code: Int32
  /// The remedy, without a final stop.
  package let remedy: String?

  package init(_ action: String, code: Int32, remedy: String? = nil) {
    self.action = action
    self.code = code
    self.remedy = remedy
  }

  /// The error that `errno` holds now.
  package static func last(_ action: String, remedy: String? = nil) -> SystemError {
    SystemError(action, code: errno, remedy: remedy)
  }

  package var description: String {
    let reason = "cannot \(action): \(errorText(code))"
    return remedy.map { "\(reason); \($0)" } ?? reason
  }
}

/// The system's words for an error number, in the locale of the process.
package func errorText(_ code: Int32) -> String { String(cString: strerror(code)) }

/// Turns libsystemd's convention, a negative error number, into a thrown error.
@discardableResult
func check(_ result: Int32, _ action: @autoclosure () -> String) throws(SystemError) -> Int32 {
  guard result >= 0 else { throw SystemError(action(), code: 0 &- result) }
  return result
}
