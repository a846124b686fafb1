import Control
import Glibc
import JSONText
import TestSupport

/// A daemon of a few answers on a socket of its own.
final class FakeDaemon: Sendable {
  /// Without a reply the daemon disconnects, unless the caller waits for more than one.
  typealias Handler = @Sendable (VarlinkCall) -> [VarlinkReply]

  let path: String
  private let folder: TemporaryFolder
  private let listener: Int32

  /// - Parameter flushed: how many connections are closed unread, as systemd does where the service
  ///   does not start.
  init(flushed: Int = 0, _ handler: @escaping Handler) throws {
    folder = try TemporaryFolder()
    let path = folder.path + "/socket"
    self.path = path
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.listener = listener
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { memory in
      for (index, byte) in path.utf8.enumerated() { memory[index] = byte }
    }
    let bound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard bound == 0, listen(listener, 4) == 0 else { throw Trouble() }
    try Thread.start { Service.run(listener, flushed: flushed, handler) }
  }

  struct Trouble: Error {}

  /// No connection is taken any more. To be called once: the thread closes the descriptor then, and
  /// its number may belong to another test a moment later.
  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
  }
}

/// A thread of its own for what blocks, which the threads of Swift's pool must not.
private final class Thread {
  private let body: () -> Void

  private init(_ body: @escaping () -> Void) { self.body = body }

  static func start(_ body: @escaping () -> Void) throws {
    let work = Unmanaged.passRetained(Thread(body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Thread>.fromOpaque(argument).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    guard status == 0 else { throw FakeDaemon.Trouble() }
    pthread_detach(thread)
  }
}

/// What the threads do: one takes connections, each has its own.
private enum Service {
  static func run(_ listener: Int32, flushed: Int, _ handler: @escaping FakeDaemon.Handler) {
    var flushed = flushed
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0 else { break }
      guard flushed == 0 else {
        close(connection)
        flushed -= 1
        continue
      }
      try? Thread.start {
        serve(connection, handler)
        close(connection)
      }
    }
    close(listener)
  }

  private static func serve(_ connection: Int32, _ handler: FakeDaemon.Handler) {
    var input: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { return }
      input.append(contentsOf: chunk[..<count])
      while let end = input.firstIndex(of: 0) {
        guard let call = try? VarlinkCall(message: Array(input[..<end])) else { return }
        input.removeFirst(end + 1)
        let replies = handler(call)
        if replies.isEmpty, !call.more { return }
        for reply in replies {
          let bytes = reply.encoded
          _ = send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
      }
    }
  }
}
