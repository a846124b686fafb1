import Glibc

/// Log lines on standard error: with sd-daemon(3) levels for the journal, with a name for people.
package struct ServiceLog: Sendable {
  package enum Level: Int, Sendable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
  }

  private let prefix: String?

  /// - Parameter program: its name, for people.
  package init(program: String) {
    prefix = getenv("JOURNAL_STREAM") == nil ? "\(program): " : nil
  }

  package func write(_ level: Level, _ text: String) {
    var line = "\(prefix ?? "<\(level.rawValue)>")\(text.printable)\n"
    line.withUTF8 { _ = Glibc.write(2, $0.baseAddress, $0.count) }
  }
}
