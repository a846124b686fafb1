/// Why a peer cannot be talked to any further.
package enum VarlinkProtocolError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A message, from here or from the peer, is longer than the limit, in bytes.
  case tooLong(limit: Int)
  /// A message is not what the protocol asks for.
  case malformed(reason: String)

  package var description: String {
    switch self {
    case .tooLong(let limit):
      "the message is longer than \(limit) bytes; split the request into smaller ones"
    case .malformed(let reason):
      "the peer does not speak Varlink: \(reason); check that the socket is the right one"
    }
  }
}

/// Cuts a stream of bytes into messages: each ends with a NUL byte (https://varlink.org/Wire).
///
///     framer.append(bytes)
///     while let message = try framer.next() { … }
///
/// Whole messages may stay in it for a while; appending frees the memory of removed ones.
package struct VarlinkFramer: Sendable {
  /// 1 MiB.
  package static let defaultLimit = 1 << 20

  /// A message longer than this, its NUL not counted, is an error; in bytes.
  package let limit: Int
  private var buffer: [UInt8] = []
  /// Offset of the current message.
  private var start = 0
  /// End of the part that has no NUL.
  private var scanned = 0

  package init(limit: Int = VarlinkFramer.defaultLimit) { self.limit = max(1, limit) }

  /// A buffer that is smaller is kept for what comes next.
  private static let keptCapacity = 65_536

  /// Bytes held that no message was made of yet.
  package var pendingBytes: Int { buffer.count - start }

  /// Bytes of memory in use: less than twice `pendingBytes` plus the last appended bytes.
  package var heldBytes: Int { buffer.count }

  package mutating func append(_ bytes: some Sequence<UInt8>) {
    // No more is moved than was taken out, so that each byte is moved once on average.
    if start >= buffer.count - start { compact() }
    buffer.append(contentsOf: bytes)
  }

  /// The next whole message without its NUL, or nil until more bytes come. After an error the
  /// framer is unusable: the next message has no known start.
  /// Complexity: O(n) over all bytes, however they are cut.
  package mutating func next() throws(VarlinkProtocolError) -> [UInt8]? {
    while scanned < buffer.count {
      if buffer[scanned] == 0 {
        let message = Array(buffer[start..<scanned])
        scanned += 1
        start = scanned
        if start == buffer.count { compact() }
        return message
      }
      scanned += 1
      guard scanned - start <= limit else { throw .tooLong(limit: limit) }
    }
    compact()
    return nil
  }

  private mutating func compact() {
    guard start > 0 else { return }
    if buffer.capacity > Self.keptCapacity {
      // Frees the memory of one long message.
      buffer = Array(buffer[start...])
    } else {
      buffer.removeSubrange(..<start)
    }
    scanned -= start
    start = 0
  }
}
