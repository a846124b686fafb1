import Glibc

@testable import LinuxRuntime

/// A client of HTTP/1.1 that writes and reads bytes, and never waits.
final class Phone {
  private let socket: Descriptor
  private(set) var text = ""
  private var found: [Int] = []
  /// The server closed the connection, or refused it.
  private(set) var isClosed = false

  /// - Parameter source: the address of the loopback network that it comes from.
  init(port: UInt16, source: String = "127.0.0.1") throws {
    socket = Descriptor(
      Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    let own = try SocketAddress(numeric: source, port: 0)
    let server = try SocketAddress(numeric: "127.0.0.1", port: port)
    guard own.withPointer({ bind(socket.raw, $0, $1) }) == 0,
      server.withPointer({ connect(socket.raw, $0, $1) }) == 0
    else { throw SystemError.last("connect") }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(socket.raw, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads what is there.
  func read() {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while !isClosed {
      let count = recv(socket.raw, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EAGAIN { return }
      guard count > 0 else {
        isClosed = true
        return
      }
      let piece = String(decoding: bytes.prefix(count), as: UTF8.self)
      text += piece
      // A body has no line end: the next answer follows it.
      found += piece.split(separator: "HTTP/1.1 ", omittingEmptySubsequences: false).dropFirst()
        .compactMap { Int($0.prefix(3)) }
    }
  }

  func close() { socket.close() }

  /// The status of each answer so far.
  var statuses: [Int] {
    read()
    return found
  }
}

/// The daemon's end of the feed: reads lines.
final class FeedReader {
  private let socket: Descriptor
  private(set) var bytes: [UInt8] = []

  init(path: String) throws {
    socket = try Descriptor.connected(to: path, timeout: 0)
  }

  func read() {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(socket.raw, &chunk, chunk.count, Int32(MSG_DONTWAIT))
      guard count > 0 else { return }
      bytes += chunk.prefix(count)
    }
  }

  func close() { socket.close() }
}
