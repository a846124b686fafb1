package import JSONText

/// A service's answer to a call.
package enum VarlinkAnswer: Equatable, Sendable {
  case reply(JSONObject)
  case error(VarlinkError)
  /// The call stays open: these replies now, more by ``VarlinkConnection/push(_:)`` until the
  /// peer disconnects. For a call without `more` this is ExpectedMore.
  case stream(first: [JSONObject])
}

/// The service's end of one connection: bytes in, bytes out, no socket.
///
///     for action in connection.receive(bytes, handler: answer) { … }   // send or close
///     connection.sent(count, handler: answer)                          // what the socket took
///
/// Calls are answered in order; a call behind an open stream gets no answer. All sizes are bounded:
/// a message has a largest size, and calls are taken only while less than `outputLimit` bytes wait
/// to be sent. Input while ``wantsInput`` is false is held up to twice the size of a message.
///
/// `Peer` is the owner's knowledge of the other side, such as its credentials.
package struct VarlinkConnection<Peer> {
  package enum Action: Equatable, Sendable {
    case send([UInt8])
    /// Send the earlier output, then disconnect. The reason is for the log.
    case close(reason: String)
  }

  package typealias Handler = (_ call: VarlinkCall, _ peer: Peer) -> VarlinkAnswer

  /// 4 MiB.
  package static var defaultOutputLimit: Int { 4 << 20 }

  package let service: VarlinkService
  package let peer: Peer
  /// Bytes handed out by `send` that the owner has not yet reported as sent.
  package private(set) var unsentBytes = 0
  /// The call that waits for further replies.
  package private(set) var openCall: VarlinkCall?
  package private(set) var isClosed = false
  private let outputLimit: Int
  private var framer: VarlinkFramer

  package init(
    service: VarlinkService, peer: Peer, messageLimit: Int = VarlinkFramer.defaultLimit,
    outputLimit: Int = Self.defaultOutputLimit
  ) {
    self.service = service
    self.peer = peer
    self.outputLimit = max(1, outputLimit)
    framer = VarlinkFramer(limit: messageLimit)
  }

  /// Whether the owner should read from the socket. While false the peer waits in the kernel.
  package var wantsInput: Bool {
    !isClosed && !isBlocked
  }

  /// Whether a pushed reply would reach anyone.
  package var isStreaming: Bool { openCall != nil }

  /// No call is taken: a stream is open, or the peer does not read what it was sent.
  private var isBlocked: Bool { openCall != nil || unsentBytes >= outputLimit }

  /// Takes bytes from the peer. The handler gets each valid call and must not use this connection.
  package mutating func receive(_ bytes: some Sequence<UInt8>, handler: Handler) -> [Action] {
    guard !isClosed else { return [] }
    framer.append(bytes)
    var actions: [Action] = []
    proceed(&actions, handler)
    if isBlocked, !isClosed, framer.pendingBytes > 2 * framer.limit {
      close("it sends more calls than it waits for", &actions)
    }
    return actions
  }

  /// Reports that the socket took `count` bytes; waiting calls continue.
  package mutating func sent(_ count: Int, handler: Handler) -> [Action] {
    unsentBytes = max(0, unsentBytes - max(0, count))
    var actions: [Action] = []
    if !isClosed { proceed(&actions, handler) }
    return actions
  }

  /// Adds a reply to the open stream, if any. Above `outputLimit` waiting bytes the peer is
  /// disconnected, since it would not notice a gap.
  package mutating func push(_ parameters: JSONObject) -> [Action] {
    guard !isClosed, isStreaming else { return [] }
    var actions: [Action] = []
    guard unsentBytes < outputLimit else {
      close("it does not read the stream it asked for", &actions)
      return actions
    }
    send(VarlinkReply(parameters: parameters, continues: true), &actions)
    return actions
  }

  private mutating func proceed(_ actions: inout [Action], _ handler: Handler) {
    do {
      while !isClosed, !isBlocked, let message = try framer.next() {
        answer(try VarlinkCall(message: message), &actions, handler)
      }
    } catch {
      close(error.description, &actions)
    }
  }

  private mutating func answer(_ call: VarlinkCall, _ actions: inout [Action], _ handler: Handler) {
    var answer: VarlinkAnswer
    do {
      answer = try service.admit(call).map { .reply($0) } ?? handler(call, peer)
    } catch {
      answer = .error(error.varlink)
    }
    if case .stream = answer, !call.more {
      answer = .error(VarlinkServiceError.expectedMore.varlink)
    }
    guard !call.oneway else { return }
    switch answer {
    case .reply(let parameters): send(VarlinkReply(parameters: parameters), &actions)
    case .error(let error): send(VarlinkReply(error), &actions)
    case .stream(let first):
      openCall = call
      for parameters in first {
        send(VarlinkReply(parameters: parameters, continues: true), &actions)
      }
    }
  }

  private mutating func send(_ reply: VarlinkReply, _ actions: inout [Action]) {
    let bytes = reply.encoded
    unsentBytes += bytes.count
    actions.append(.send(bytes))
  }

  private mutating func close(_ reason: String, _ actions: inout [Action]) {
    isClosed = true
    openCall = nil
    actions.append(.close(reason: reason))
  }
}

extension VarlinkConnection: Sendable where Peer: Sendable {}
