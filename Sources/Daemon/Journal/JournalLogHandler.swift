import LinuxRuntime
import Logging

/// Sends ordinary log lines to the journal.
///
/// `@unchecked Sendable`, as `LogHandler` requires: the daemon has one thread, which keeps the
/// sink.
struct JournalLogHandler: LogHandler, @unchecked Sendable {
  let sink: any JournalSink
  var logLevel: Logger.Level
  var metadata: Logger.Metadata = [:]

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var text = event.message.description
    for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 })
      .sorted(by: { $0.key < $1.key })
    {
      text += " \(key)=\(value)"
    }
    let entry = JournalEntry(
      text, priority: Self.priority(of: event.level), file: event.file, line: Int(event.line),
      function: event.function)
    // A journal that is away has no place for the news that it is away.
    try? sink.write(entry)
  }

  private static func priority(of level: Logger.Level) -> JournalPriority {
    switch level {
    case .trace, .debug: .debug
    case .info: .informational
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    case .critical: .critical
    }
  }
}
