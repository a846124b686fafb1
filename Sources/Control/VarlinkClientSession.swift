package import JSONText

/// The client's end of one connection: calls into bytes, bytes into replies, no socket.
///
///     let (id, bytes) = try session.call("org.georemind.Status")
///     …
///     for reply in try session.receive(bytes) { … }
///
/// Several calls may be under way; replies come in the order of the calls.
package struct VarlinkClientSession: Sendable {
  /// A reply may be longer than a call, as a list of all reminders is: 64 MiB.
  package static let defaultReplyLimit = 64 << 20

  /// Identifies a call within its session.
  package struct CallID: Hashable, Sendable { fileprivate let number: Int }

  /// A reply and the call it belongs to.
  package struct Reply: Equatable, Sendable {
    package let call: CallID
    package let result: Result<JSONObject, VarlinkError>
    /// Another reply to the same call follows.
    package let continues: Bool
  }

  private struct Waiting {
    let id: CallID
    let more: Bool
  }

  private let callLimit: Int
  private var framer: VarlinkFramer
  private var waiting: [Waiting] = []
  private var calls = 0

  /// Limits in bytes, the NUL behind a message not counted.
  package init(
    callLimit: Int = VarlinkFramer.defaultLimit, replyLimit: Int = Self.defaultReplyLimit
  ) {
    self.callLimit = callLimit
    framer = VarlinkFramer(limit: replyLimit)
  }

  /// Calls that a reply is still due to.
  package var pendingCalls: Int { waiting.count }

  /// The bytes of a call, to be sent as they are.
  package mutating func call(
    _ method: String, _ parameters: JSONObject = JSONObject(), more: Bool = false
  ) throws(VarlinkProtocolError) -> (id: CallID, bytes: [UInt8]) {
    let call = VarlinkCall(method: method, parameters: parameters, more: more)
    let bytes = call.encoded
    // The service would hang up on it; better to say so before.
    guard bytes.count - 1 <= callLimit else { throw .tooLong(limit: callLimit) }
    calls &+= 1
    let id = CallID(number: calls)
    waiting.append(Waiting(id: id, more: more))
    return (id, bytes)
  }

  /// Takes bytes from the service. After an error the connection is of no more use.
  package mutating func receive(
    _ bytes: some Sequence<UInt8>
  ) throws(VarlinkProtocolError) -> [Reply] {
    framer.append(bytes)
    var replies: [Reply] = []
    while let message = try framer.next() {
      let reply = try VarlinkReply(message: message)
      guard let call = waiting.first else {
        throw .malformed(reason: "a reply came that no call waits for")
      }
      guard call.more || !reply.continues else {
        throw .malformed(reason: "a call for one reply is to have several")
      }
      if !reply.continues { waiting.removeFirst() }
      replies.append(
        Reply(
          call: call.id,
          result: reply.error.map {
            .failure(VarlinkError(name: $0, parameters: reply.parameters))
          } ?? .success(reply.parameters), continues: reply.continues))
    }
    return replies
  }
}
