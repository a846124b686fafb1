import CMicroHTTPD

/// An endless answer of Server-Sent Events: bytes wait here until the library asks for them.
final class EventStream {
  /// A page that does not read is closed at so many waiting bytes.
  static let maximumWaiting = 256 << 10

  private let connection: OpaquePointer
  private var waiting: [UInt8] = []
  private var isSuspended = false
  private(set) var isOpen = true
  private var isEnding = false
  private let wake: () -> Void
  var onEnd: () -> Void = {}

  /// - Parameter wake: runs the library soon.
  init(_ connection: OpaquePointer, wake: @escaping () -> Void) {
    (self.connection, self.wake) = (connection, wake)
  }

  /// One event; `data` has no line end.
  /// - Parameter id: the number from which a page that was away goes on.
  func send(_ event: String, id: Int? = nil, _ data: String) {
    send((id.map { "id: \($0)\n" } ?? "") + "event: \(event)\ndata: \(data)\n\n")
  }

  /// A comment, which shows that the service lives.
  func beat() { send(":\n\n") }

  private func send(_ text: String) {
    guard isOpen, !isEnding else { return }
    waiting.append(contentsOf: text.utf8)
    if waiting.count > Self.maximumWaiting { isEnding = true }
    resume()
  }

  /// Ends the answer after what waits.
  func end() {
    isEnding = true
    resume()
  }

  private func resume() {
    guard isSuspended else { return }
    isSuspended = false
    MHD_resume_connection(connection)
    wake()
  }

  /// Gives the library as much as it can take; it suspends the connection where nothing waits.
  func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    if isEnding && (waiting.isEmpty || waiting.count > Self.maximumWaiting) { return -1 }
    guard !waiting.isEmpty else {
      isSuspended = true
      MHD_suspend_connection(connection)
      return 0
    }
    let count = min(buffer.count, waiting.count)
    waiting.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
    }
    waiting.removeFirst(count)
    return count
  }

  func closed() {
    isOpen = false
    onEnd()
  }
}
