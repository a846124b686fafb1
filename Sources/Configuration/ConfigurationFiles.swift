import Glibc

extension ConfigurationFile {
  /// More drop-ins than this are refused.
  package static let maximumDropIns = 1_024

  /// Reads the main file and the `*.conf` drop-ins, sorted by the bytes of their names, without
  /// names that begin with a dot.
  ///
  /// A missing folder is empty; an unreadable one is an error. A drop-in that links to `/dev/null`
  /// is empty, as with systemd.
  /// - Parameters:
  ///   - mayBeMissing: whether a missing main file is empty, as the usual one of a program is. One
  ///     that somebody names must exist: without it a program would run with other settings, such
  ///     as no token.
  ///   - dropIns: the folder; nil means `main` with `.d` behind it.
  package static func load(
    main: String, mayBeMissing: Bool = false, dropIns: String? = nil
  ) throws(ConfigurationError) -> [ConfigurationFile] {
    let folder = dropIns ?? main + ".d"
    var files: [ConfigurationFile] = []
    if let bytes = try contents(of: main, mayBeMissing: mayBeMissing) {
      files.append(try parse(bytes, path: main))
    }
    for name in try names(in: folder) {
      let path = "\(folder)/\(name)"
      if let bytes = try contents(of: path, mayBeMissing: false) {
        files.append(try parse(bytes, path: path))
      }
    }
    return files
  }

  private static func names(in folder: String) throws(ConfigurationError) -> [String] {
    guard let stream = unsafe opendir(folder) else {
      if errno == ENOENT { return [] }
      throw failure(folder, "cannot be listed")
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        if errno != 0 { throw failure(folder, "cannot be listed") }
        break
      }
      let bytes = unsafe withUnsafeBytes(of: entry.pointee.d_name) { buffer in
        unsafe Array(buffer.prefix { $0 != 0 })
      }
      guard bytes.first != UInt8(ascii: "."), bytes.suffix(5).elementsEqual(".conf".utf8) else {
        continue
      }
      guard let name = String(validating: bytes, as: UTF8.self) else {
        throw ConfigurationError(
          file: folder, line: nil,
          message: "the name of a file in it is not UTF-8; rename that file")
      }
      guard names.count < maximumDropIns else {
        throw ConfigurationError(
          file: folder, line: nil,
          message: "there are more than \(maximumDropIns) drop-ins; merge some of them")
      }
      names.append(name)
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The bytes of a regular file, at most one more than the largest that is taken.
  private static func contents(
    of path: String, mayBeMissing: Bool
  ) throws(ConfigurationError) -> [UInt8]? {
    // Without O_NONBLOCK a named pipe would hold the program until someone writes to it.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      if mayBeMissing, errno == ENOENT { return nil }
      throw failure(path, "cannot be opened")
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw failure(path, "cannot be read") }
    if status.st_mode & S_IFMT == S_IFCHR, status.st_rdev == nullDevice { return [] }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw ConfigurationError(
        file: path, line: nil, message: "this is not a regular file; put a text file there")
    }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while bytes.count <= maximumSize {
      let count = unsafe read(descriptor, &block, block.count)
      if count == 0 { break }
      if count < 0 {
        if errno == EINTR { continue }
        throw failure(path, "cannot be read")
      }
      bytes.append(contentsOf: block.prefix(count))
    }
    return bytes
  }

  /// Device 1:3 as the kernel's documentation (admin-guide/devices.txt) numbers `/dev/null`.
  private static let nullDevice: dev_t = 0x103

  private static func failure(_ path: String, _ what: String) -> ConfigurationError {
    let code = errno
    let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    let remedy =
      switch code {
      case EACCES: "; let the user of this program read it"
      case ENOENT: "; name another file"
      default: ""
      }
    return ConfigurationError(file: path, line: nil, message: "\(what): \(reason)\(remedy)")
  }
}
