import CivilTime
import Fleet
import Glibc
import LinuxRuntime

/// Counts of a worker, as OpenMetrics (RFC draft-richih-opsawg-openmetrics) in a file for
/// `node_exporter`, and as JSON in its row of the database.
struct Metrics {
  var messages = 0
  var firings = 0
  var commits = 0
  var takeovers = 0
  var failures = 0
  /// Microseconds.
  var commitTime: Int64 = 0
  var restoreTime: Int64 = 0
  /// From taking a partition until it decides.
  var takeoverTime: Int64 = 0

  /// Each number with its kind and help.
  private func table(
    _ partitions: [Partition]
  ) -> [(name: String, kind: String, help: String, value: Double)] {
    func sum(_ count: (Partition) -> Int) -> Double {
      Double(partitions.reduce(0) { $0 + count($1) })
    }
    var usage = rusage()
    getrusage(RUSAGE_SELF.rawValue, &usage)
    let times = [usage.ru_utime, usage.ru_stime]
    return [
      ("messages", "counter", "Messages read from the log.", Double(messages)),
      ("firings", "counter", "Firings decided.", Double(firings)),
      ("commits", "counter", "Transactions.", Double(commits)),
      ("commit_seconds", "counter", "Time of the transactions.", Double(commitTime) / 1e6),
      ("takeovers", "counter", "Partitions taken.", Double(takeovers)),
      ("restore_seconds", "counter", "Time of restoring them.", Double(restoreTime) / 1e6),
      (
        "takeover_seconds", "counter", "Time from taking them to the end of the replay.",
        Double(takeoverTime) / 1e6
      ),
      ("failures", "counter", "Failures of database and log.", Double(failures)),
      (
        "cpu_seconds", "counter", "Processor time.",
        times.reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
      ),
      ("partitions", "gauge", "Partitions owned.", Double(partitions.count)),
      ("devices", "gauge", "Devices of them.", sum(\.deviceCount)),
      ("refused", "gauge", "Messages refused since the takeover.", sum(\.refusedCount)),
      ("diverged", "gauge", "Effects of messages that were read again.", sum(\.divergedCount)),
      ("memory_bytes", "gauge", "Resident memory.", Double(ProcessMemory.resident ?? 0)),
    ]
  }

  func json(_ partitions: [Partition]) -> String {
    "{" + table(partitions).map { #""\#($0.name)":\#($0.value)"# }.joined(separator: ",") + "}"
  }

  /// Replaces the file at once. A failure is no reason to end: the next time comes soon.
  func write(to path: String?, _ partitions: [Partition]) {
    guard let path else { return }
    var text = ""
    for (name, kind, help, value) in table(partitions) {
      let metric = "georemind_fleet_\(name)"
      text += "# TYPE \(metric) \(kind)\n# HELP \(metric) \(help)\n"
      text += "\(metric)\(kind == "counter" ? "_total" : "") \(value)\n"
    }
    for partition in partitions.sorted(by: { $0.number < $1.number }) {
      let isNew = partition.now.microseconds == 0
      let lag = isNew ? 0 : Double(SystemClock.now() - partition.now.microseconds) / 1e6
      text += "georemind_fleet_lag_seconds{partition=\"\(partition.number)\"} \(lag)\n"
    }
    text += "# EOF\n"
    let new = path + ".new"
    guard let file = fopen(new, "w") else { return }
    fputs(text, file)
    fclose(file)
    // Everybody may read them; the service's own files are nobody else's.
    chmod(new, 0o644)
    rename(new, path)
  }
}
