import CivilTime
package import Companion
import JSONText
package import LinuxRuntime

/// One program for one firing, and the transient unit it runs in.
package struct HookCall: Equatable, Sendable {
  package let program: String
  /// The name of the destination.
  package let destination: String
  package let firing: FiringNotice

  package init(program: String, destination: String, firing: FiringNotice) {
    self.program = program
    self.destination = destination
    self.firing = firing
  }

  /// The unit's name, equal for the same firing and destination, so that systemd refuses a second
  /// start while the first runs.
  package var unit: String {
    let id = firing.id.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    return "georemind-\(destination)-\(id.prefix(64)).service"
  }

  /// The members of the firing as variables named after them: `GEOREMIND_TITLE` and so on.
  package var environment: [String] {
    firing.json.members.compactMap { key, value in
      let text: String
      switch value {
      case .string(let value): text = value
      case .number(let value): text = value.text
      case .bool(let value): text = value ? "true" : "false"
      case .null, .array, .object: return nil
      }
      let name = key.uppercased()
      guard
        name.utf8.allSatisfy({
          (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
        })
      else { return nil }
      return "GEOREMIND_\(name)=\(text)"
    }
  }

  /// The unit's properties, by their bus names: systemd.exec(5), systemd.service(5).
  /// - Parameter isSystem: the unit runs for the whole machine, so it gets a user and a sandbox.
  package func properties(_ settings: HookSettings, isSystem: Bool) -> [BusValue] {
    let line = JSONValue.object(firing.json).line + "\n"
    var properties: KeyValueList = [
      ("Description", .string("Hook \(program) for \(firing.title.printable.prefix(100))")),
      // A oneshot unit starts until its program ends, so its job has the result.
      ("Type", .string("oneshot")),
      (
        "ExecStart",
        .array(of: "(sasb)", [.structure([.string(program), .strings([program]), .bool(false)])])
      ),
      ("Environment", .strings(environment)),
      ("StandardInput", .string("data")),
      ("StandardInputData", .bytes(line.utf8)),
      ("StandardOutput", .string("journal")),
      ("StandardError", .string("journal")),
      ("SyslogIdentifier", .string("georemind-hook")),
      ("TimeoutStartUSec", .uint64(UInt64(max(1, settings.timeout.microseconds)))),
      ("TimeoutStopUSec", .uint64(5_000_000)),
      // A unit that failed stays until its exit code was read.
      ("CollectMode", .string("inactive")),
      ("NoNewPrivileges", .bool(true)),
    ]
    if isSystem {
      if let user = settings.user {
        // Only root could write there: for a user of the moment the mounts would cost a third of
        // the time of a hook, and protect nothing.
        properties += [
          ("User", .string(user)), ("ProtectKernelTunables", .bool(true)),
          ("ProtectControlGroups", .bool(true)),
        ]
      } else {
        properties.append(("DynamicUser", .bool(true)))
      }
      properties += [
        ("ProtectSystem", .string("strict")), ("ProtectHome", .string("yes")),
        ("PrivateTmp", .bool(true)), ("PrivateDevices", .bool(true)),
        ("RestrictSUIDSGID", .bool(true)),
      ]
    }
    return properties.map { .structure([.string($0.0), .variant($0.1)]) }
  }

  private typealias KeyValueList = [(String, BusValue)]
}
