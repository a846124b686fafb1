import Glibc

/// The variables of this process.
package enum Environment {
  package static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// All of them, as NAME=VALUE.
  package static var all: [String] {
    var lines: [String] = []
    var place: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = environ
    while let here = place, let line = here.pointee {
      lines.append(String(cString: line))
      place = here + 1
    }
    return lines
  }
}
