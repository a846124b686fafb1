import ArgumentParser
import CivilTime
import Companion
import Fleet
import FleetNATS
import FleetPostgreSQL
import Glibc

#if canImport(FleetKafka)
  import FleetKafka
#endif

struct FleetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "georemind-fleet",
    abstract: "Decides the reminders of many devices, from a log of their positions.",
    version: "georemind-fleet \(GeoremindVersion.text)",
    subcommands: [
      RunCommand.self, CheckCommand.self, LagCommand.self, DrainCommand.self,
      RemindersCommand.self, FollowCommand.self,
    ])
}

/// The database, for all commands.
struct DatabaseOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "PostgreSQL, as libpq reads it; without, the service 'fleet' of pg_service.conf.",
      valueName: "address"))
  var database = Environment.value("GEOREMIND_FLEET_DATABASE") ?? "service=fleet"
}

/// The log.
struct LogOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The log: nats://HOST,HOST or tls://HOST, or kafka://HOST,HOST/TOPIC.", valueName: "address"))
  var log = Environment.value("GEOREMIND_FLEET_LOG") ?? "nats://127.0.0.1"

  @Option(help: ArgumentHelp("NATS: a file with the user's credentials.", valueName: "file"))
  var credentials: String?

  @Option(help: ArgumentHelp("NATS: a file with the servers' authority.", valueName: "file"))
  var authority: String?

  @Option(
    help: ArgumentHelp("Kafka: a setting of librdkafka; may be repeated.", valueName: "key=value"))
  var kafka: [String] = []

  func connect() throws -> any LogConnection {
    let parts = log.split(separator: "://", maxSplits: 1)
    guard parts.count == 2 else { throw ValidationError("\(log) is no address of a log") }
    let hosts = parts[1].prefix { $0 != "/" }
    switch parts[0] {
    case "nats", "tls":
      return try JetStream(
        hosts.split(separator: ",").map { "\(parts[0])://\($0)" }, credentials: credentials,
        authority: authority)
    case "kafka":
      #if canImport(FleetKafka)
        let settings = kafka.map { setting in
          let pair = setting.split(separator: "=", maxSplits: 1).map(String.init)
          return (pair.first ?? "", pair.count > 1 ? pair[1] : "")
        }
        return try KafkaLog(
          servers: String(hosts), topic: String(parts[1].dropFirst(hosts.count + 1)),
          settings: settings)
      #else
        throw ValidationError("this program was built without librdkafka")
      #endif
    default: throw ValidationError("the log is at nats://, tls:// or kafka://")
    }
  }
}

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run", abstract: "Runs a worker, until a signal ends it or it is drained.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var log: LogOptions

  @Option(help: "Its name, unlike the other workers'; without, the host's.")
  var name: String?

  @Option(help: "Reminders a device may have.")
  var maximumReminders = 1_000

  @Option(help: ArgumentHelp("A file for OpenMetrics, written every second.", valueName: "file"))
  var metrics: String?

  @Flag(
    help: """
      Go on where the log lacks messages: it was cut, or restored from an older copy. The messages \
      that a restored log has by then do not count.
      """)
  var acceptGap = false

  func run() throws {
    let report = ServiceLog(program: "georemind-fleet")
    let worker = Worker(
      Worker.Options(
        name: name ?? hostName(), database: database.database, acceptsGaps: acceptGap,
        maximumReminders: maximumReminders, metrics: metrics),
      try connected(report), report: report)
    for number in [SIGTERM, SIGINT] { signal(number) { _ in isEnding = 1 } }
    worker.run { isEnding != 0 }
  }

  /// Waits for the log: a service may start before its broker.
  private func connected(_ report: ServiceLog) throws -> any LogConnection {
    var last = ""
    while true {
      do { return try log.connect() } catch let error as LogError {
        if "\(error)" != last { report.write(.warning, "\(error); trying again") }
        last = "\(error)"
        usleep(500_000)
      }
    }
  }
}

/// Set by a signal.
nonisolated(unsafe) private var isEnding: sig_atomic_t = 0

private func hostName() -> String {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, name.count - 1)
  return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
