package import CivilTime
package import Configuration
import Glibc

/// Section `[Hook]` of `georemind.conf`.
package struct HookSettings: Equatable, Sendable {
  /// Programs to start for each firing, by absolute path.
  package var programs: [String] = []
  package var timeout = TimeSpan.seconds(30)
  package var maximumParallel = 4
  /// How long a firing is tried.
  package var giveUpAfter = TimeSpan.hours(24)
  /// Events that start the programs.
  package var events: Set<HookEvent> = [.firing]
  /// The user that the system's hooks run as; nil is a user of the moment (`DynamicUser=`).
  package var user: String?
  /// Lines that are left out.
  package var errors: [ConfigurationError] = []
}

extension HookSettings {
  /// Other sections are the daemon's to read and to report.
  package init(file: String) throws {
    try self.init(
      Configuration(try ConfigurationFile.load(main: file), declared: Self.table.map(\.key)))
  }

  /// Leaves out wrong lines, except the user of the hooks.
  package init(_ configuration: Configuration) throws(ConfigurationError) {
    self.init()
    var configuration = configuration
    for setting in Self.table { setting.leaveOutWrong(&configuration) }
    errors = configuration.errors
    if let error = errors.first(where: \.concernsAccess) { throw error }
    for setting in Self.table { try setting.apply(configuration, to: &self) }
  }

  package static let table: [Setting<HookSettings>] = [
    Setting(
      list: "Hook", "Exec", [],
      SettingForm("the absolute path of a program") { $0.hasPrefix("/") ? $0 : nil },
      to: \.programs),
    Setting("Hook", "TimeoutSec", "30", .span(.seconds(1) ... .hours(1)), to: \.timeout),
    Setting(
      "Hook", "GiveUpAfter", "1d", .span(.minutes(1) ... .hours(24 * 28)), to: \.giveUpAfter),
    Setting("Hook", "Events", "firing", HookEvent.form, to: \.events),
    Setting("Hook", "MaximumParallel", "4", .whole(1...64), to: \.maximumParallel),
    Setting("Hook", "User", nil, .text, concernsAccess: true) { $0.user = $1 },
  ]

  /// A program, under the name of its row in the daemon.
  package struct Destination: Hashable, Sendable {
    package let name: String
    package let program: String
  }

  /// One destination for each program, by its file name: `hook-blink`, or `hook-1000-blink` for a
  /// user's. Programs of one file name are numbered in the order of the settings.
  /// - Parameter user: the uid; nil for the system's.
  package func destinations(ofUser user: UInt32?) -> [Destination] {
    var names: Set<String> = []
    var destinations: [Destination] = []
    for program in programs.prefix(Self.maximumPrograms)
    where !destinations.contains(where: { $0.program == program }) {
      let file = program.split(separator: "/").last ?? ""
      let plain = String(
        decoding: file.utf8.map { byte in
          let letter = byte | 0x20
          let isKept = (0x61...0x7A).contains(letter) || (0x30...0x39).contains(byte)
          return isKept ? letter : 0x2D
        }, as: UTF8.self)
      // An uid has ten digits at most, a number two: 32 bytes in all.
      let stem = "hook-" + (user.map { "\($0)-" } ?? "") + plain.prefix(13)
      var name = stem
      var number = 1
      while !names.insert(name).inserted {
        number += 1
        name = "\(stem)-\(number)"
      }
      destinations.append(Destination(name: name, program: program))
    }
    return destinations
  }

  /// Each has one firing in memory.
  package static let maximumPrograms = 16

  /// Why the system's service refuses a program, if it does: users other than root could change it.
  package static func objection(to path: String, needsRoot: Bool) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else {
      return "\(path): \(String(cString: strerror(errno)))"
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o111 != 0 else {
      return "\(path) is no program; make it executable with chmod +x"
    }
    guard needsRoot else { return nil }
    guard isRoots(status) else {
      return "\(path) could be changed by others than root; give it to root and chmod go-w"
    }
    if let weakness = weakness(onTheWayTo: path) {
      return "\(path) could be replaced by others than root, for \(weakness) is not root's alone; "
        + "give that to root and chmod go-w, or keep the program elsewhere"
    }
    return nil
  }

  /// The first folder or link of a path that others than root could change, following each link.
  private static func weakness(onTheWayTo path: String) -> String? {
    var names = path.split(separator: "/").map(String.init)[...]
    var folder = ""
    var links = 0
    var status = stat()
    while let name = names.popFirst() {
      let here = folder.isEmpty ? "/" : folder
      guard lstat(here, &status) == 0, isRoots(status) || isSticky(status) else { return here }
      if name == "." { continue }
      if name == ".." {
        folder = folder.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
        continue
      }
      let entry = "\(folder)/\(name)"
      // In a folder like /tmp, owners other than root may replace their files.
      guard lstat(entry, &status) == 0, status.st_uid == 0 else { return entry }
      guard status.st_mode & S_IFMT == S_IFLNK else {
        folder = entry
        continue
      }
      links += 1
      guard links <= maximumLinks, let target = target(ofLink: entry) else { return entry }
      if target.hasPrefix("/") { folder = "" }
      names = (target.split(separator: "/").map(String.init) + names)[...]
    }
    return nil
  }

  /// The kernel's limit of followed links (path_resolution(7)).
  private static let maximumLinks = 40

  private static func target(ofLink path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.bindMemory(to: CChar.self).baseAddress.map { readlink(path, $0, bytes.count) } ?? -1
    }
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
  }

  private static func isRoots(_ status: stat) -> Bool {
    status.st_uid == 0 && status.st_mode & 0o022 == 0
  }

  /// As /tmp is: root's files in it cannot be replaced.
  private static func isSticky(_ status: stat) -> Bool {
    status.st_uid == 0 && status.st_mode & S_ISVTX != 0
  }
}
