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

  /// Programs of hooks run in their units. The system's may need an interpreter that translates, and
  /// a user's may do all that their user may.
  private static let exceptions = [
    "systemd/georemind-hook@.service": ["MemoryDenyWriteExecute=yes"],
    "user/georemind-hook@.service": confinement.filter { $0 != "NoNewPrivileges=yes" } + [
      "RestrictAddressFamilies=AF_UNIX"
    ],
  ]

  private static func name(_ file: String) -> String {
    file.split(separator: "/").suffix(2).joined(separator: "/")
  }

  @Test func aUserHasAllServices() {
    let names = Self.services.map(Self.name)
    for name in ["d", "-hook@", "-mqtt", "-route", "-web"] {
      #expect(names.contains("systemd/georemind\(name).service"))
      #expect(names.contains("user/georemind\(name).service"))
    }
  }

  @Test(arguments: services) func aServiceIsConfined(file: String) throws {
    let lines = try contents(file).split(separator: "\n").map(String.init)
    let exceptions = Self.exceptions[Self.name(file)] ?? []
    for line in Self.confinement where !exceptions.contains(line) {
      #expect(lines.contains(line), "\(file): \(line)")
    }
    for key in ["MemoryMax=", "TasksMax=", "RestrictAddressFamilies=AF_UNIX"]
    where !exceptions.contains(key) {
      #expect(lines.contains { $0.hasPrefix(key) }, "\(file): \(key)")
    }
  }

  /// Promise: only-this-machine.
  @Test func theDaemonReachesOnlyThisMachine() throws {
    let lines = try contents("\(packageRoot)/systemd/georemindd.service").split(separator: "\n")
    let addresses = lines.filter { $0.hasPrefix("IPAddress") }
    #expect(addresses == ["IPAddressDeny=any", "IPAddressAllow=localhost"])
    #expect(lines.contains("PrivateDevices=yes"))
  }

  /// Only a user's manager starts services without a user of their own.
  @Test(arguments: services.filter { !$0.contains("/user/") })
  func noServiceOfTheSystemIsRoots(file: String) throws {
    let lines = try contents(file).split(separator: "\n")
    #expect(lines.contains { $0 == "DynamicUser=yes" || $0.hasPrefix("User=georemind-") })
    #expect(!lines.contains { $0.hasPrefix("User=root") || $0.hasPrefix("User=0") })
  }

  /// libmosquitto allocates as much as a message announces: that fails before the service is killed.
  @Test(arguments: services.filter { $0.contains("mqtt") })
  func theBrokerCannotTakeAllMemory(file: String) throws {
    let lines = try contents(file).split(separator: "\n").map(String.init)
    #expect(lines.contains("MemoryMax=64M") && lines.contains("LimitDATA=32M"))
  }
}
