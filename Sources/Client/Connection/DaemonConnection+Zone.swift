import CivilTime
import JSONText

extension DaemonConnection {
  /// The zone of the daemon's clocks; nil where the daemon does not answer it, or it is not known
  /// here.
  func zone(_ context: Context) -> TimeZoneRules? {
    (try? call("Status"))?["status"]?["time_zone"]?.string
      .flatMap { try? context.zone(named: $0) }
  }
}
