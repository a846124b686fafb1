import Companion
import Glibc
import LinuxRuntime
import Storage

/// The places of a hook: a script, a file of settings that names it, and a unit.
///
/// For root they are the system's, for others the user's own.
struct HookInstallation {
  /// Names are part of the names of files, units and destinations.
  static let rule = "a name has 1 to 13 of a to z, digits and -, and begins with a letter"

  let isOfSystem: Bool
  /// The folder that stands for `/`; nothing is started below another.
  private let root: String
  private let scripts: String
  private let settings: String

  init(root: String?, _ context: Context) throws(Failure) {
    self.root = root.map { $0 == "/" ? "" : $0 } ?? ""
    isOfSystem = geteuid() == 0 || root != nil
    if isOfSystem {
      scripts = self.root + "/usr/local/lib/georemind"
      settings = self.root + ServiceFolders.systemConfiguration + ".d"
    } else {
      guard let home = Environment.value("HOME") else {
        throw Failure(.usage, "HOME names no folder for the hook")
      }
      scripts = "\(home)/.local/lib/georemind"
      settings = ServiceFolders().configurationFile + ".d"
    }
  }

  static func isName(_ name: String) -> Bool {
    (1...13).contains(name.utf8.count) && name.utf8.allSatisfy(Consumer.isNameByte)
      && name.utf8.first.map { (0x61...0x7A).contains($0) } ?? false
  }

  func unit(_ name: String) -> String { "georemind-hook@\(name)" }

  private func script(_ name: String) -> String { "\(scripts)/\(name)" }

  private func setting(_ name: String) -> String { "\(settings)/hook-\(name).conf" }

  /// The names of the hooks that `add` has made.
  var names: [String] {
    guard let folder = opendir(settings) else { return [] }
    defer { closedir(folder) }
    var found: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasPrefix("hook-"), name.hasSuffix(".conf") else { continue }
      let hook = String(name.dropFirst(5).dropLast(5))
      if access(script(hook), F_OK) == 0 { found.append(hook) }
    }
    return found.sorted()
  }

  /// Installs a script, and starts its unit.
  /// - Parameter isAddressed: whether it receives only firings for the person of its name.
  /// - Throws: `Failure` where there is a hook of this name, or a file cannot be written.
  func add(_ name: String, script text: String, isAddressed: Bool = false) throws {
    guard Self.isName(name) else { throw Failure(.usage, "'\(name)': \(Self.rule)") }
    guard access(setting(name), F_OK) != 0, access(script(name), F_OK) != 0 else {
      throw Failure(
        .badData, "there is a hook '\(name)' already; remove it by 'georemind hook remove \(name)'")
    }
    for folder in [scripts, settings] { try makeFolder(folder) }
    // It may have a password: nobody else reads it.
    let group = isOfSystem ? getgrnam("georemind-hook")?.pointee.gr_gid : nil
    try write(script(name), text, mode: group == nil ? 0o700 : 0o750, group: group)
    let program = String(script(name).dropFirst(root.utf8.count))
    let addressed = isAddressed ? "Addressed=\(name)\n" : ""
    try write(setting(name), "[Hook]\nExec=\(program)\n\(addressed)", mode: 0o644, group: nil)
    try manage(["enable", "--now", unit(name)])
  }

  /// Stops a hook, and removes its files.
  func remove(_ name: String) throws {
    guard names.contains(name) else {
      throw Failure(.badData, "no hook '\(name)' was added by 'georemind hook add'")
    }
    try? manage(["disable", "--now", unit(name)])
    for path in [setting(name), script(name)] where unlink(path) != 0 {
      throw SystemError("remove \(path)", code: errno)
    }
  }

  private func manage(_ arguments: [String]) throws {
    guard root.isEmpty else { return }
    let words = ["systemctl"] + (isOfSystem ? [] : ["--user"]) + arguments
    guard try ForegroundProgram.run(words) == 0 else {
      throw Failure(
        .unavailable, "the files are in place, but '\(words.joined(separator: " "))' failed")
    }
  }

  private func makeFolder(_ path: String) throws(SystemError) {
    var made = ""
    for part in path.split(separator: "/") {
      made += "/\(part)"
      guard mkdir(made, 0o755) == 0 || errno == EEXIST else {
        throw SystemError("make the folder \(made)", code: errno)
      }
    }
  }

  private func write(
    _ path: String, _ text: String, mode: mode_t, group: gid_t?
  ) throws(SystemError) {
    let file = Descriptor(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
    guard file.raw >= 0 else { throw SystemError("write \(path)", code: errno) }
    try Descriptors.write(text, to: file.raw, "write \(path)")
    if let group, fchown(file.raw, uid_t.max, group) != 0 {
      throw SystemError("give \(path) to the hooks", code: errno)
    }
    guard fchmod(file.raw, mode) == 0 else { throw SystemError("write \(path)", code: errno) }
  }
}
