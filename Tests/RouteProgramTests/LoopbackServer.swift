import Glibc
import Synchronization
import Testing

@testable import LinuxRuntime

/// An HTTP server of a few lines on 127.0.0.1, in a thread of its own for libcurl blocks: it
/// answers each connection with the same bytes, whatever they are, and keeps what it was asked.
final class LoopbackServer: Sendable {
  enum Answer: Sendable, CustomTestStringConvertible {
    case bytes([UInt8])
    /// Takes the request and says nothing until the other end gives up.
    case silence

    var testDescription: String {
      switch self {
      case .bytes(let bytes): String(decoding: bytes.prefix(40), as: UTF8.self)
      case .silence: "silence"
      }
    }

    /// A whole answer.
    static func http(status: String = "200 OK", head: String = "", _ body: String) -> Answer {
      .bytes(
        Array(
          """
          HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(head)Connection: close\r\n\r\n\(body)
          """.utf8))
    }
  }

  let base: String
  private let answer: Answer
  private let listener: Int32
  private let requests = Mutex<[String]>([])

  /// What was asked, head and body.
  var asked: [String] { requests.withLock { $0 } }

  init(_ answer: Answer) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let address = try SocketAddress(numeric: "127.0.0.1", port: 0)
    guard address.withPointer({ bind(listener, $0, $1) }) == 0, listen(listener, 8) == 0 else {
      throw SystemError("listen at \(address)", code: errno)
    }
    self.answer = answer
    self.listener = listener
    base = "http://127.0.0.1:\(Self.port(of: listener))"
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<LoopbackServer>.fromOpaque(context).takeRetainedValue().serve() }
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(thread)
  }

  private static func port(of socket: Int32) -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Nobody listens any more.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func serve() {
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { break }
      let request = read(client)
      requests.withLock { $0.append(request) }
      reply(to: client)
      close(client)
    }
    close(listener)
  }

  private func reply(to client: Int32) {
    switch answer {
    case .bytes(let bytes):
      var rest = bytes[...]
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes {
          send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard sent > 0 else { return }
        rest = rest.dropFirst(sent)
      }
    case .silence:
      var byte: UInt8 = 0
      _ = recv(client, &byte, 1, 0)
    }
  }

  /// The head, and as much behind it as it says.
  private func read(_ client: Int32) -> String {
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 {
        let length = parts[0].split(separator: "\r\n").first {
          $0.lowercased().hasPrefix("content-length:")
        }
        let wanted = length.flatMap { Int($0.filter(\.isNumber)) } ?? 0
        if parts[1].utf8.count >= wanted { return text }
      }
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return text }
      text += String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
