import TestSupport
import Testing

/// The units of `systemd/`: each service is confined, whoever runs it.
@Suite struct UnitFileTests {
  private static let services = files(below: "\(packageRoot)/systemd", ".service")
    .filter { !$0.contains("/examples/") }

  /// A user manager can do these without a namespace of its own.
  private static let confinement = [
    "UMask=0077", "NoNewPrivileges=yes", "RestrictNamespaces=yes", "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes", "LockPersonality=yes", "MemoryDenyWriteExecute=yes",
    "SystemCallArchitectures=native", "SystemCallFilter=@system-service",
    "SystemCallFilter=~@privileged @resources", "SystemCallErrorNumber=EPERM",
  ]

  @Test func aUserHasAllServices() {
    let names = Self.services.map { $0.split(separator: "/").suffix(2).joined(separator: "/") }
    for name in ["d", "-hook", "-mqtt", "-route", "-web"] {
      #expect(names.contains("systemd/georemind\(name).service"))
      #expect(names.contains("user/georemind\(name).service"))
    }
  }

  @Test(arguments: services) func aServiceIsConfined(file: String) throws {
    let lines = try contents(file).split(separator: "\n").map(String.init)
    for line in Self.confinement { #expect(lines.contains(line), "\(file): \(line)") }
    for key in ["MemoryMax=", "TasksMax=", "RestrictAddressFamilies=AF_UNIX"] {
      #expect(lines.contains { $0.hasPrefix(key) }, "\(file): \(key)")
    }
  }

  /// libmosquitto allocates as much as a message announces: that fails before the service is killed.
  @Test(arguments: services.filter { $0.contains("mqtt") })
  func theBrokerCannotTakeAllMemory(file: String) throws {
    let lines = try contents(file).split(separator: "\n").map(String.init)
    #expect(lines.contains("MemoryMax=64M") && lines.contains("LimitDATA=32M"))
  }
}
