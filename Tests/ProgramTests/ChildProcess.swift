import Glibc
import TestSupport
import Testing

/// The built program under one of its names, with its standard output in a pipe and its errors in a
/// file.
final class ChildProcess {
  let id: pid_t
  private let reader: Int32
  private var text: [UInt8] = []
  private var hasEnded = false

  /// - Parameters:
  ///   - name: that of the link in `folder` by which it is called, as it is installed.
  ///   - passing: descriptors that the program gets from 3 on, with their names, as from a service
  ///     manager
  ///     (sd_listen_fds(3)).
  ///   - variables: more variables of its environment.
  init(
    _ arguments: [String], in folder: TemporaryFolder, as name: String = "georemindd",
    passing: [(name: String, descriptor: Int32)] = [], variables: [String] = []
  ) throws {
    let path = "\(folder.path)/\(name)"
    try #require(symlink(Self.program, path) == 0 || errno == EEXIST)
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let writer = ends[1]
    reader = ends[0]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, writer, 1)
    posix_spawn_file_actions_addopen(
      &actions, 2, "\(folder.path)/stderr", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    // Copies out of the way: a descriptor may be 3 itself, and would be replaced before its turn.
    let copies = passing.map { fcntl($0.descriptor, F_DUPFD_CLOEXEC, 100) }
    defer { for copy in copies { close(copy) } }
    for (index, copy) in copies.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, copy, Int32(3 + index))
    }
    let names = passing.map(\.name).joined(separator: ":")
    // Only the program itself knows its process number in time.
    let shell = [
      "/bin/sh", "-c", #"LISTEN_PID=$$ exec "$@""#, "sh",
    ]
    let words = ((passing.isEmpty ? [] : shell) + [path] + arguments).map { strdup($0) }
    defer { for word in words { free(word) } }
    // Of two with one name, the first counts.
    var variables = variables + ["HOME=\(folder.path)", "TZ=UTC"]
    if !passing.isEmpty {
      variables += ["LISTEN_FDS=\(passing.count)", "LISTEN_FDNAMES=\(names)"]
    }
    let environment = variables.map { strdup($0) }
    defer { for word in environment { free(word) } }
    var id: pid_t = 0
    let code = posix_spawn(
      &id, passing.isEmpty ? path : shell[0], &actions, nil, words + [nil], environment + [nil]
    )
    close(writer)
    try #require(code == 0, "cannot start \(Self.program)")
    self.id = id
  }

  deinit {
    close(reader)
    if !hasEnded {
      kill(id, SIGKILL)
      waitpid(id, nil, 0)
    }
  }

  /// The program file lies beside the tests.
  private static let program: String = {
    var bytes = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &bytes, bytes.count)
    let own = String(
      decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/georemind"
  }()

  /// Reads on until the output holds these words; false at its end or after five seconds.
  func waits(for words: String) throws -> Bool {
    while !String(decoding: text, as: UTF8.self).contains(words) {
      guard readSome() else { return false }
    }
    return true
  }

  func output() throws -> String {
    while readSome() {}
    return String(decoding: text, as: UTF8.self)
  }

  private func readSome() -> Bool {
    var entry = pollfd(fd: reader, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 60_000) > 0 else { return false }
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = read(reader, &chunk, chunk.count)
    text += chunk.prefix(max(0, count))
    return count > 0
  }

  /// The exit code; -1 where a signal ended it.
  func wait() throws -> Int32 {
    _ = try output()
    var status: Int32 = 0
    try #require(waitpid(id, &status, 0) == id)
    hasEnded = true
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
  }
}
