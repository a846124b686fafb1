import Glibc
import TestSupport
import Testing

/// What may import what, and why something may not.
///
/// Package.swift says which targets a target can import. These tests say which way dependencies
/// point, and which modules are kept out of a program for what they cost.
@Suite struct DependencyTests {
  /// From the bottom up: a target imports only targets that stand before it.
  private static let order = [
    "Bytes", "Unpacking", "Containers", "Geodesy", "CivilTime", "JSONText", "Configuration",
    "Positioning", "Phones", "Geofencing", "Departure", "Reminders", "Rules", "Fleet",
    "FleetPostgreSQL", "FleetNATS", "FleetKafka", "Interchange", "Storage", "Control", "BaseMap",
    "Report",
    "LinuxRuntime", "Feeds", "Routing", "Companion", "Notifier", "Hooks", "MQTT", "Client",
    "Daemon", "georemind", "georemind-route", "georemind-web", "georemind-mqtt", "georemind-fleet",
  ]

  /// Time arrives with each event in these, and no file or socket is opened.
  private static let pure = [
    "Bytes", "Containers", "Geodesy", "JSONText", "Positioning", "Phones", "Geofencing",
    "Departure", "Reminders", "Fleet",
  ]

  /// A module, the only targets that may import it, and the reason.
  private static let limited: [(module: String, allowed: Set<String>, reason: String)] = [
    ("Foundation", [], "20 MB resident, and time zones of its own that a static build can lose"),
    ("FoundationEssentials", [], "7 MB; only swift-argument-parser brings it"),
    ("Dispatch", [], "one thread and one loop: timers and descriptors are sd-event's"),
    ("CSystemd", ["LinuxRuntime"], "the event loop, journal and bus have one home"),
    ("CSQLite", ["Storage", "BaseMap"], "durability has one home; tiles are read alone"),
    ("CExpat", ["Interchange"], "XML is read from files of the user alone"),
    ("CZlib", ["Unpacking"], "deflate has one home"),
    ("CCurl", ["georemind-route"], "libcurl brings 30 libraries into the process"),
    ("CMicroHTTPD", ["georemind-web"], "a server, and the nine libraries of GnuTLS"),
    ("CMosquitto", ["georemind-mqtt"], "libmosquitto brings a TLS library into the process"),
    ("CPQ", ["FleetPostgreSQL"], "libpq brings Kerberos and LDAP into the process"),
    ("CNats", ["FleetNATS"], "libnats brings threads and a TLS library into the process"),
    ("CKafka", ["FleetKafka"], "librdkafka brings threads and a TLS library into the process"),
    (
      "ArgumentParser",
      [
        "Client", "Companion", "Daemon", "Notifier", "Hooks", "georemind-route", "georemind-web",
        "georemind-mqtt", "georemind-fleet",
      ],
      "command lines are the outermost part"
    ),
    ("Logging", ["Daemon", "georemind-route"], "libraries answer with errors and notices"),
  ]

  private static let imports: [(target: String, module: String, file: String)] = {
    var found: [(String, String, String)] = []
    for file in swiftFiles(below: "\(packageRoot)/Sources") {
      let target = String(file.dropFirst("\(packageRoot)/Sources/".count).prefix { $0 != "/" })
      for line in ((try? contents(file)) ?? "").split(separator: "\n") {
        let words = line.split(separator: " ")
        guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
          words[..<place].allSatisfy({
            ["package", "public", "internal", "private"].contains($0) || $0.hasPrefix("@")
          })
        else { continue }
        found.append((target, String(words[place + 1].prefix { $0 != "." }), file))
      }
    }
    return found
  }()

  @Test func everyTargetIsInTheOrder() {
    #expect(Self.imports.count > 500)
    let systemLibraries = Set(Self.limited.map(\.module).filter { $0.hasPrefix("C") })
    let targets = Set(Self.imports.map(\.target)).subtracting(systemLibraries)
    #expect(targets.subtracting(Self.order) == [])
  }

  @Test func dependenciesPointDownwards() throws {
    for (target, module, file) in Self.imports {
      guard let place = Self.order.firstIndex(of: target),
        let other = Self.order.firstIndex(of: module)
      else { continue }
      #expect(other < place, "\(file) imports \(module), which stands above \(target)")
    }
  }

  @Test func modulesStayWhereTheyAreAllowed() {
    for (target, module, file) in Self.imports {
      guard let rule = Self.limited.first(where: { $0.module == module }) else { continue }
      #expect(rule.allowed.contains(target), "\(file) imports \(module): \(rule.reason)")
    }
  }

  @Test func theDomainReadsNoClockAndOpensNoFile() throws {
    let calls = [
      "clock_gettime(", "gettimeofday(", "open(", "fopen(", "socket(", "getenv(", "readlink(",
      "opendir(",
    ]
    for file in Self.pure.flatMap({ swiftFiles(below: "\(packageRoot)/Sources/\($0)") }) {
      let text = try contents(file)
      guard text.contains("import Glibc") else { continue }
      for call in calls {
        for line in text.split(separator: "\n") where line.contains(call) {
          let isCode = !line.drop { $0 == " " }.hasPrefix("//")
          let isOwnName = line.contains("func \(call)") || line.contains(".\(call)")
          #expect(!isCode || isOwnName, "\(file) calls \(call.dropLast()): \(line)")
        }
      }
    }
  }
}
