import Glibc

/// Finding zones in the file system. Nothing here reads the environment: whoever starts the program
/// passes the values of TZ and TZDIR.
extension TimeZoneRules {
  package static let defaultDirectory = "/usr/share/zoneinfo"

  /// The zone of a name in the tz database such as `Europe/Berlin`. `UTC` needs no file.
  ///
  /// - Parameter directory: where the database lies, the value of TZDIR where it is set.
  package init(named name: String, directory: String = defaultDirectory) throws(TimeZoneError) {
    let isSafe = name.utf8.allSatisfy {
      $0.isLetter || $0.isDigit || [0x2B, 0x2D, 0x2E, 0x2F, 0x5F].contains($0)
    }
    guard !name.isEmpty, name.utf8.count <= 255, isSafe, !name.hasPrefix("/"),
      !name.split(separator: "/").contains(where: { $0 == ".." || $0 == "." })
    else {
      throw TimeZoneError(zone: name, reason: "this is not a name such as Europe/Berlin")
    }
    if let bytes = try readZoneFile("\(directory)/\(name)", zone: name) {
      try self.init(tzif: bytes, name: name)
    } else if name == "UTC" {
      self = .utc
    } else if let current = ZoneAliases.current(name),
      let bytes = try readZoneFile("\(directory)/\(current)", zone: name)
    {
      try self.init(tzif: bytes, name: name)
    } else {
      throw TimeZoneError(
        zone: name, reason: "there is no such zone in \(directory); see timedatectl list-timezones")
    }
  }

  /// The zone that the system's clocks show: what TZ says where it is set, else /etc/localtime,
  /// else UTC. TZ may hold a name, a rule in the form of POSIX, or an absolute path, with or
  /// without a colon in front; the empty text is UTC, as in the C library.
  package static func system(
    tz: String? = nil, localtime: String = "/etc/localtime", directory: String = defaultDirectory
  ) throws(TimeZoneError) -> TimeZoneRules {
    guard let tz else { return try local(path: localtime, zone: "local time") ?? .utc }
    let value = tz.hasPrefix(":") ? String(tz.dropFirst()) : tz
    if value.isEmpty { return .utc }
    if value.hasPrefix("/") {
      guard let rules = try local(path: value, zone: value) else {
        throw TimeZoneError(zone: value, reason: "there is no such file; correct TZ")
      }
      return rules
    }
    do throws(TimeZoneError) {
      return try TimeZoneRules(named: value, directory: directory)
    } catch {
      guard let rules = TimeZoneRules(posix: value) else { throw error }
      return rules
    }
  }

  /// nil where there is no such file. The zone is named after what a link points to.
  private static func local(path: String, zone: String) throws(TimeZoneError) -> TimeZoneRules? {
    guard let bytes = try readZoneFile(path, zone: zone) else { return nil }
    return try TimeZoneRules(tzif: bytes, name: zoneName(ofLink: path) ?? zone)
  }

  /// The part after `zoneinfo/` in the target of a link.
  private static func zoneName(ofLink path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 1024)
    let count = unsafe readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    let target = String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let parts = target.split(separator: "zoneinfo/", maxSplits: 1)
    return parts.count == 2 ? String(parts[1]) : nil
  }
}

/// The bytes of a small file, nil where there is none. The pointers live for one call each.
private func readZoneFile(_ path: String, zone: String) throws(TimeZoneError) -> [UInt8]? {
  func failure(_ code: Int32) -> TimeZoneError {
    TimeZoneError(
      zone: zone, reason: "\(path) cannot be read: \(unsafe String(cString: strerror(code)))")
  }
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  guard descriptor >= 0 else {
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw failure(errno)
  }
  guard let file = unsafe fdopen(descriptor, "r") else {
    close(descriptor)
    throw failure(errno)
  }
  defer { unsafe fclose(file) }
  // One byte more than is accepted shows a file that is too large.
  var bytes = [UInt8](repeating: 0, count: TimeZoneRules.maximumFileSize + 1)
  let count = unsafe fread(&bytes, 1, bytes.count, file)
  guard unsafe ferror(file) == 0 else { throw failure(errno) }
  bytes.removeLast(bytes.count - count)
  return bytes
}
