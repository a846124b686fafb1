import Glibc

enum UserName {
  /// The name of a user id; `user 1000` where the system knows none.
  static func of(_ id: Int) -> String {
    guard let id = uid_t(exactly: id), let user = getpwuid(id), let name = user.pointee.pw_name
    else { return "user \(id)" }
    return String(cString: name)
  }
}
