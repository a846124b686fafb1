import CivilTime
import JSONText

/// The clock of the daemon that a verb talks to, where it is not the clock of the machine: a
/// recording has its own. The daemon is asked once, when a time is read or shown.
final class DaemonClock {
  private let options: CommonOptions
  private var answer: (recorded: Instant?, Void)?

  init(_ options: CommonOptions) { self.options = options }

  /// The present of a recording; nil where the clock of the machine counts. The verb itself
  /// reports a daemon that does not answer.
  func recorded(_ context: Context) -> Instant? {
    if let answer { return answer.recorded }
    var context = context
    context.retryDelay = nil
    let status = (try? DaemonConnection(options, context).call("Status"))?["status"]
    let recorded = status?["clock"] == "recording" ? status?["time"]?.instant : nil
    answer = (recorded, ())
    return recorded
  }
}
