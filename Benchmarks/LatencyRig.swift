import Glibc

/// The whole daemon as a process of its own, between a pseudo-terminal for its receiver and a
/// socket in the place of the journal's.
final class LatencyRig {
  private let folder: BenchFolder
  private var receiver: Int32 = -1
  private var journal: Int32 = -1
  private var entries: StampedDatagrams
  private var daemon: pid_t = -1

  /// - Parameter parent: where the state directory is made: a folder of a disk, or of a tmpfs,
  ///   whose sync costs nothing.
  init(stateIn parent: String, reminders: String) throws {
    folder = try BenchFolder(in: parent)
    let socket = "\(folder.path)/journal"
    journal = try Self.bindDatagrams(to: socket)
    entries = StampedDatagrams(of: journal)
    var line: Int32 = -1
    var name = [CChar](repeating: 0, count: 128)
    guard openpty(&receiver, &line, &name, nil, nil) == 0 else {
      throw BenchError("cannot make a pseudo-terminal: \(String(cString: strerror(errno)))")
    }
    close(line)
    let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
    let configuration = try folder.file(
      "bench.conf",
      """
      [Feed]
      Feed=serial://\(path)?baud=115200&max-age=1d
      [Reminders]
      File=\(try folder.file("reminders.json", reminders))
      """)
    // libsystemd knows one path of the journal's socket, so the daemon gets a /run of its own.
    let script = """
      mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/journal &&
      ln -s "$1" /run/systemd/journal/socket && shift && exec "$@"
      """
    let user = geteuid() == 0 ? [] : ["--map-root-user"]
    daemon = try Self.spawn(
      ["unshare", "--mount"] + user + ["sh", "-c", script, "sh", socket, try Self.daemonPath()]
        + ["--config", configuration, "--state-directory", folder.path]
        + ["--socket", "\(folder.path)/control"])
  }

  deinit {
    if daemon > 0 {
      kill(daemon, SIGTERM)
      waitpid(daemon, nil, 0)
    }
    if receiver >= 0 { close(receiver) }
    if journal >= 0 { close(journal) }
  }

  /// Writes what a receiver says, all of it at once.
  func send(_ burst: [UInt8]) throws {
    guard write(receiver, burst, burst.count) == burst.count else {
      throw BenchError("cannot write to the pseudo-terminal: \(String(cString: strerror(errno)))")
    }
  }

  /// The next entry that holds these words; others are passed over.
  func entry(with words: String) throws -> StampedDatagrams.Datagram {
    while true {
      guard let entry = try entries.next() else {
        let hasEnded = waitpid(daemon, nil, WNOHANG) != 0
        if hasEnded { daemon = -1 }
        throw BenchError(
          hasEnded
            ? "the daemon has ended; what it said of it stands above"
            : "no entry with \(words) came within 2 s")
      }
      if entry.text.holds(words) { return entry }
    }
  }

  // MARK: - Parts

  private static func bindDatagrams(to path: String) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
      guard path.utf8.count < place.count else { return false }
      place.copyBytes(from: path.utf8)
      return true
    }
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard descriptor >= 0, fits, result == 0 else {
      throw BenchError("cannot make the socket \(path)")
    }
    var timeout = timeval(tv_sec: 2, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    return descriptor
  }

  /// `georemindd` from the folder of this program.
  private static func daemonPath() throws -> String {
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    let own = String(
      decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let path = own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/georemindd"
    guard access(path, X_OK) == 0 else {
      throw BenchError("there is no \(path): build it first")
    }
    return path
  }

  private static func spawn(_ arguments: [String]) throws -> pid_t {
    let words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var id: pid_t = 0
    let code = posix_spawnp(&id, arguments[0], nil, nil, words, environ)
    guard code == 0 else {
      throw BenchError("cannot start \(arguments[0]): \(String(cString: strerror(code)))")
    }
    return id
  }
}

extension Collection where Element == UInt8 {
  func holds(_ words: String) -> Bool { String(decoding: self, as: UTF8.self).contains(words) }
}
