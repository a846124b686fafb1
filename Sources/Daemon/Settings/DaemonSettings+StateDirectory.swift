import Companion
import Glibc

extension DaemonSettings {
  /// Makes the state folder: its last component, or the whole path below the user's home.
  func makeStateDirectory() throws {
    var path = stateDirectory[...]
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    var missing: [String] = []
    while !path.isEmpty, access(String(path), F_OK) != 0 {
      missing.append(String(path))
      guard let slash = path.lastIndex(of: "/") else { break }
      path = path[..<slash]
    }
    let home = getenv("HOME").map { String(cString: $0) } ?? "/"
    guard missing.count <= 1 || (home.count > 1 && stateDirectory.hasPrefix("\(home)/")) else {
      throw SettingsError(
        message:
          "the state directory \(stateDirectory) and the folder it should be in are missing; "
          + "make them, or give another --state-directory", status: .cannotCreate)
    }
    for folder in missing.reversed() where mkdir(folder, 0o700) != 0 {
      throw SettingsError(
        message: "cannot make the state directory \(folder): \(String(cString: strerror(errno))); "
          + "give another --state-directory",
        status: errno == EACCES ? .noPermission : .cannotCreate)
    }
  }
}
